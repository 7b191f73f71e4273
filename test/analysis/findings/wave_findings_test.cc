#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/evidence.h"
#include "analysis/findings/families.h"
#include "analysis/tables/kernel_waves.h"
#include "test/analysis/support/kernel_specs.h"
#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::TraceBuilder;

/// How many blocks a multiprocessor of a V100 holds.
constexpr const char* kEight = "block=[256,1,1] registers=32 shared=0";
constexpr const char* kTwo = "block=[256,1,1] registers=128 shared=0";
constexpr const char* kOne = "block=[1024,1,1] registers=64 shared=0";

struct Launched {
  std::string name;
  int64_t us = 0;
  uint64_t blocks = 0;
  const char* block = kEight;
};

/// Fill all slots in ten waves. 4 ms.
std::vector<Launched> with_full_kernels(std::vector<Launched> kernels, size_t count = 20, int64_t us = 200) {
  kernels.insert(kernels.end(), count, {"large", us, 6400});
  return kernels;
}

/// One call on a V100 with 80 multiprocessors; before it and behind it the GPU is idle for `host_us`.
std::string call_of_kernels(const std::vector<Launched>& kernels, int64_t host_us = 0,
                            const std::string& gpu = test::kV100) {
  TraceBuilder builder;
  builder.add_process(10);
  if (!gpu.empty()) test::add_device(builder, gpu);
  int64_t at = host_us;
  uint32_t id = 1;
  std::vector<test::ExecutionSpec> executions;
  for (const Launched& launched : kernels) {
    ++id;
    builder.add(test::span(LEVEL_RUNTIME, id, 1, at, at + 1, "cudaLaunchKernel"));
    executions.push_back(test::kernel(at, at + launched.us, launched.name, id));
    executions.back().configuration = "grid=[" + std::to_string(launched.blocks) + ",1,1] " + launched.block;
    at += launched.us;
  }
  builder.add(test::span(LEVEL_MODEL, 1, 0, 0, at + host_us, "Net"));
  builder.add_executions(executions);
  return builder.bytes();
}

std::vector<Finding> found_in(const std::string& bytes, Mode mode = Mode::kInference) {
  test::Analysed analysed({bytes});
  REQUIRE(analysed.status.ok());
  REQUIRE(analysed.study->subject);
  analysed.evaluations.groups[*analysed.study->subject].phases.mode = mode;
  // Of all tables only R1: what is told does not depend on the others.
  const std::vector<Table> tables = {kernel_waves(*analysed.study)};
  std::vector<Finding> found;
  add_wave_findings({*analysed.study, tables}, &found);
  for (const Finding& finding : found) {
    CHECK(finding.table == "R1");
    CHECK_FALSE(finding.gain_ms);  // what is unused is no forecast of what would be won
  }
  return found;
}

std::vector<std::string> ids_of(const std::vector<Finding>& found) {
  std::vector<std::string> ids;
  for (const Finding& finding : found) ids.push_back(finding.id);
  return ids;
}

using Ids = std::vector<std::string>;
const Ids kNothing;
const Ids kSmall = {"small-kernels"};
const Ids kTail = {"wave-tail"};

Ids told_of(const std::vector<Launched>& kernels) { return ids_of(found_in(call_of_kernels(kernels))); }

const std::vector<Launched> kFew = {
    {"void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float, float)", 1000, 64},
    {"void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float, float)", 1000, 64},
    {"volta_sgemm_128x64_nn", 1000, 20, kTwo}};

TEST_CASE("kernels of fewer blocks than multiprocessors are told, with what is idle and the worst") {
  const auto found = found_in(call_of_kernels(with_full_kernels(kFew)));
  REQUIRE(ids_of(found) == kSmall);
  // 2 ms with 16 of 80 multiprocessors idle, 1 ms with 60 of them.
  CHECK(found[0].text ==
        "Kernels with fewer blocks than the GPU has multiprocessors take 3.00 ms of the 7.00 ms of kernel time (43 %); "
        "on average 38 % of the multiprocessors have nothing to do in them; most in volta_sgemm_128x64_nn (750 µs of "
        "its 1.00 ms) and bn_fw_inf_1C11_kernel_NCHW (400 µs of its 2.00 ms)");
  CHECK(found[0].value == Approx(100 * 3 / 7.0));
  CHECK(found[0].key == "volta_sgemm_128x64_nn");
  REQUIRE(found[0].share_pct);
  CHECK(*found[0].share_pct == Approx(100 * 3 / 7.0));
  CHECK(found[0].share_of == "call");
}

TEST_CASE("slots that stay empty are nothing where every multiprocessor has a block") {
  // An eighth of a wave; no slower than with eight blocks each, if one block alone uses what its multiprocessor has.
  CHECK(told_of(with_full_kernels({{"spread", 4000, 80}})) == kNothing);
  CHECK(told_of(with_full_kernels({{"spread", 4000, 70}})) == kSmall);  // 6.25 % of kernel time
}

TEST_CASE("small kernels need idle multiprocessors for a twentieth of kernel time") {
  CHECK(told_of(with_full_kernels({{"small", 460, 40}})) == kSmall);    // 230 of 4460 µs
  CHECK(told_of(with_full_kernels({{"small", 400, 40}})) == kNothing);  // 200 of 4400 µs
}

TEST_CASE("nothing is told of kernels while the host decides how long a step takes") {
  const auto kernels = with_full_kernels(kFew);  // 7 ms
  CHECK(ids_of(found_in(call_of_kernels(kernels, 300))) == kSmall);
  CHECK(ids_of(found_in(call_of_kernels(kernels, 1000))) == kNothing);  // idle for 2 of 9 ms
  CHECK(ids_of(found_in(call_of_kernels(kernels, 8000))) == kNothing);
}

TEST_CASE("nothing is told of few, short or unknown kernels") {
  CHECK(told_of(std::vector<Launched>(20, {"small", 100, 20})) == kSmall);
  CHECK(told_of(std::vector<Launched>(19, {"small", 100, 20})) == kNothing);
  CHECK(told_of(std::vector<Launched>(20, {"small", 49, 20})) == kNothing);  // 0.98 ms
  CHECK(told_of(std::vector<Launched>(500, {"small", 4, 20})) == kNothing);  // each as long as its launch
  auto kernels = with_full_kernels(kFew);
  kernels.push_back({"unread", 1700, 20, "block=[256,1,1]"});
  CHECK(told_of(kernels) == kSmall);  // known for 80.5 %
  const auto found = found_in(call_of_kernels(kernels));
  CHECK(contains(found[0].text, "take 3.00 ms (43 %) of the 7.00 ms of kernel time whose launch is known (80 %); on"));
  kernels.back().us = 1800;
  CHECK(told_of(kernels) == kNothing);
}

TEST_CASE("kernels that move data between ranks, and persistent ones, are no small kernels") {
  const auto found = found_in(call_of_kernels(with_full_kernels({{"ncclDevKernel_AllReduce_Sum_f32", 3000, 16}})));
  CHECK(found.empty());
  CHECK(told_of(with_full_kernels({{"sm90_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64", 3000, 20, kTwo}})) == kNothing);
  CHECK(told_of(with_full_kernels({{"sm80_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64", 3000, 20, kTwo}})) == kSmall);
  auto kernels = with_full_kernels(kFew);
  kernels.push_back({"ncclDevKernel_AllReduce_Sum_f32", 3000, 16});
  CHECK(contains(found_in(call_of_kernels(kernels)).at(0).text,
                 "3.00 ms of the 7.00 ms of kernel time without communication (43 %)"));
}

std::string advice_for(const std::string& name, Mode mode = Mode::kInference) {
  return found_in(call_of_kernels(with_full_kernels({{name, 3000, 20, kTwo}})), mode).at(0).advice;
}

TEST_CASE("advice for small kernels is what can help that kernel") {
  const std::string beside =
      "run it beside other kernels (streams, branches of a CUDA graph) if they do not depend on each other";
  const std::string split =
      "split-K or another algorithm (autotuning; in PyTorch torch.backends.cudnn.benchmark) has more blocks; ";
  CHECK(advice_for("volta_sgemm_128x64_nn") == "volta_sgemm_128x64_nn: use a larger batch; " + split + beside);
  CHECK(advice_for("volta_sgemm_128x64_nn", Mode::kTraining) == "volta_sgemm_128x64_nn: " + split + beside);
  CHECK(advice_for("void cudnn::cnn::wgrad_alg0_engine<float, 128>(int)") == "wgrad_alg0_engine: " + split + beside);
  CHECK(advice_for("void cudnn::detail::dgrad_engine<float>(int)") == "dgrad_engine: " + split + beside);
  CHECK(advice_for("void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>(float)") ==
        "bn_fw_inf_1C11_kernel_NCHW: its grid follows the channels: another layout (channels_last) or implementation "
        "has more blocks; " +
            beside);
  CHECK(advice_for("void at::native::reduce_kernel<512, 1>(int)") ==
        "reduce_kernel: fuse it with its neighbours, or " + beside);
  CHECK(advice_for("fill") == "fill: use a larger batch; fuse it with its neighbours, or " + beside);
}

TEST_CASE("a last wave that is nearly empty is told as what is lost at most") {
  // 180 blocks of 160 at a time: 1.125 waves; 2.25 blocks a multiprocessor, of which some have three.
  const auto found = found_in(call_of_kernels(with_full_kernels({{"volta_sgemm_128x64_nn", 2000, 180, kTwo}})));
  REQUIRE(ids_of(found) == kTail);
  CHECK(found[0].text ==
        "The last wave of volta_sgemm_128x64_nn is 12 % full (180 blocks, 1.12 waves of 160): up to 44 % of its time "
        "(875 µs of 2.00 ms) is unused, 25 % if blocks are faster where fewer share a multiprocessor");
  CHECK(found[0].advice ==
        "try another batch size, or let the library choose another kernel (autotuning; in PyTorch "
        "torch.backends.cudnn.benchmark)");
  CHECK(found[0].row == 0);
  // Where a multiprocessor holds one block there is no other case.
  const auto alone = found_in(call_of_kernels(with_full_kernels({{"own", 2000, 100, kOne}})));
  REQUIRE(ids_of(alone) == kTail);
  CHECK(alone[0].text ==
        "The last wave of own is 25 % full (100 blocks, 1.25 waves of 80): up to 38 % of its time (750 µs of 2.00 ms) "
        "is unused");
  CHECK(alone[0].advice == "try another batch size, or another tile size if the kernel is the program's own");
  const auto triton = call_of_kernels(with_full_kernels({{"triton_mm_0", 2000, 100, kOne}}));
  CHECK(found_in(triton).at(0).advice == "try another batch size, or another tile size");
  CHECK(found_in(triton, Mode::kTraining).at(0).advice == "another tile size");
}

TEST_CASE("a last wave is told only where it matters") {
  CHECK(told_of(with_full_kernels({{"tailed", 2000, 180, kTwo}})) == kTail);
  CHECK(told_of(with_full_kernels({{"full", 2000, 320, kTwo}})) == kNothing);
  CHECK(told_of(with_full_kernels({{"nearly", 2000, 296, kTwo}})) == kNothing);  // 85 %
  CHECK(told_of(with_full_kernels({{"many", 2000, 1300, kTwo}})) == kNothing);   // 8.125 waves
  CHECK(told_of(with_full_kernels({{"tailed", 250, 180, kTwo}})) == kNothing);   // 2.6 % of kernel time
  CHECK(told_of(with_full_kernels(std::vector<Launched>(300, {"short", 10, 180, kTwo}))) == kNothing);
  CHECK(told_of(with_full_kernels({{"ncclDevKernel_AllReduce", 2000, 180, kTwo}})) == kNothing);
  CHECK(told_of(with_full_kernels({{"persistent_matmul", 2000, 180, kTwo}})) == kNothing);
}

TEST_CASE("blocks that share a multiprocessor with many others make up for a last wave, unless unevenly spread") {
  // 9 blocks a multiprocessor, where 8 fit at a time: none has more to do than another.
  CHECK(told_of(with_full_kernels({{"even", 2000, 720}})) == kNothing);
  // At most two blocks a multiprocessor are uneven already; of eight this is no wave and a bit.
  CHECK(told_of(with_full_kernels({{"uneven", 2000, 100, kOne}})) == kTail);
}

TEST_CASE("last waves are added up by name and grid") {
  // Alone each is 2.2 % of kernel time.
  const std::vector<Launched> same(2, {"tailed", 220, 180, kTwo});
  CHECK(told_of(with_full_kernels(same)) == kTail);
  CHECK(told_of(with_full_kernels({{"tailed", 220, 180, kTwo}, {"tailed", 220, 181, kTwo}})) == kNothing);
}

TEST_CASE("without R1 nothing is told of waves") {
  test::Analysed analysed({call_of_kernels(with_full_kernels(kFew))});
  REQUIRE(analysed.status.ok());
  std::vector<Finding> found;
  add_wave_findings({*analysed.study, {}}, &found);
  CHECK(found.empty());
  CHECK(ids_of(found_in(call_of_kernels(with_full_kernels(kFew), 0, ""))) == kNothing);  // an unknown GPU
}

}  // namespace
}  // namespace xsp::analysis
