#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "bound/backends/onnxruntime_backend.h"
#include "bound/fusion/group_model.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// Null: there is none on this machine.
Backend* onnxruntime_for_groups() {
  static const std::unique_ptr<Backend> kLoaded = [] {
    std::unique_ptr<Backend> backend;
    std::vector<std::string> files = onnxruntime_files();
    if (const char* const more = getenv("XSP_TEST_ONNXRUNTIME")) files.insert(files.begin(), more);
    for (const std::string& file : files) {
      if (load_onnxruntime(file, &backend).ok() && backend->set_threads(1).ok()) return backend;
    }
    WARN("no ONNX Runtime with a C interface on this machine");
    return std::unique_ptr<Backend>();
  }();
  return kLoaded.get();
}

struct GroupRun {
  std::string nodes;  // as ONNX Runtime ran them
  std::vector<float> result;
  std::vector<float> samples;
};

GroupRun run_group(const std::string& text) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  WorkItem item;
  item.problem = text;
  item.model = group_model(*Problem::parse(text));
  REQUIRE_FALSE(item.model.empty());
  const Status status = onnxruntime_for_groups()->candidates(item, &candidates);
  INFO(status.error);
  REQUIRE(candidates.size() == 1);
  std::unique_ptr<Implementation> implementation;
  REQUIRE(candidates[0]->make(&implementation).ok());
  return {candidates[0]->facts().implementation, implementation->result({}), *implementation->own_samples(5e6)};
}

void check_against_reference(const std::string& text, const std::vector<float>& result) {
  const Problem problem = *Problem::parse(text);
  std::vector<size_t> positions(result.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  const std::vector<double> expected = reference_values(problem, make_operands(problem), positions);
  REQUIRE(expected.size() == result.size());
  REQUIRE_FALSE(result.empty());
  const Tolerance tolerance = tolerance_of(problem);
  for (const size_t i : positions) {
    CAPTURE(i);
    REQUIRE(std::fabs(static_cast<double>(result[i]) - expected[i]) <=
            tolerance.absolute + tolerance.relative * std::fabs(expected[i]));
  }
}

constexpr const char* kConv = "conv src=1x16x8x8 wei=16x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=";

}  // namespace

TEST_CASE("ONNX Runtime computes what each group's problem says") {
  if (onnxruntime_for_groups() == nullptr) return;
  const std::string problems[] = {
      std::string(kConv) + "add+relu dtype=f32",
      std::string(kConv) + "silu(1) dtype=f32",
      std::string(kConv) + "mish dtype=f32",
      std::string(kConv) + "clip(0,6) dtype=f32",
      std::string(kConv) + " dtype=u8:i8:u8",
      "deconv src=1x8x4x4 wei=8x4x2x2 strides=2x2 pads=0,0,0,0 dil=1x1 outpad=0x0 groups=1 bias=1 post=relu dtype=f32",
      "matmul src=8x16 wei=16x24 ta=0 tb=0 bias=24 post=add+gelu_erf dtype=f32",
      "matmul src=8x16 wei=24x16 ta=0 tb=1 bias=24 post=gelu_tanh alpha=0.5 beta=2 dtype=f32",
      "matmul src=2x8x16 wei=2x16x24 ta=0 tb=0 bias=24 post=relu alpha=0.125 dtype=f32",
      "matmul src=8x16 wei=16x24 ta=0 tb=0 bias=0 post= dtype=u8:i8:u8",
      "matmul src=8x16 wei=24x16 ta=0 tb=1 bias=24 post= dtype=u8:i8:u8",
      "layernorm src=2x4x16 axis=2 bias=1 eps=1e-12 dtype=f32",
      "addnorm src=2x4x16 axis=2 row=1 bias=0 dtype=f32",
      "addnorm src=2x2x4x16 axis=2 row=0 bias=1 dtype=f32",
      "sdpa q=1x2x8x4 k=1x2x6x4 v=1x2x6x5 mask=1x1x8x6 scale=0.5 dtype=f32",
      "binary alg=sub src0=4x16 src1=16 post=hardswish dtype=f32",
      "eltwise alg=elu src=4x16 alpha=0.5 beta=0 dtype=f32",
  };
  for (const std::string& text : problems) {
    CAPTURE(text);
    const GroupRun run = run_group(text);
    check_against_reference(text, run.result);
    CHECK_FALSE(run.samples.empty());
  }
}

TEST_CASE("what ONNX Runtime fuses itself is one node, and all nodes of other groups are timed") {
  if (onnxruntime_for_groups() == nullptr) return;
  const std::string provider = " (CPUExecutionProvider)";
  CHECK(run_group(std::string(kConv) + "add+relu dtype=f32").nodes == "Conv" + provider);
  CHECK(run_group("matmul src=8x16 wei=16x24 ta=0 tb=0 bias=24 post=relu dtype=f32").nodes == "FusedGemm" + provider);
  const std::string attention = "sdpa q=1x4x64x32 k=1x4x64x32 v=1x4x64x32 mask=0 scale=1 dtype=f32";
  const std::string product = "matmul src=4x64x32 wei=4x64x32 ta=0 tb=1 bias=0 post= dtype=f32";
  const GroupRun whole = run_group(attention), part = run_group(product);
  CHECK(whole.nodes == "FusedMatMul + Softmax + MatMul" + provider);
  CHECK(*std::min_element(whole.samples.begin(), whole.samples.end()) >
        1.3F * *std::min_element(part.samples.begin(), part.samples.end()));
}

}  // namespace xsp::bound
