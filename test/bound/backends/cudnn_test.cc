#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "bound/backends/cudnn_backend.h"
#include "bound/problems/plain_values.h"
#include "test/bound/backends/stand_in_gpu.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

constexpr char kStandInConvolution[] =
    "conv src=1x3x6x5 wei=4x3x3x3 strides=2x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=f32";

/// cuDNN on the stand-in device; loaded once.
Backend* stand_in_cudnn() {
  static std::unique_ptr<Backend> backend;
  load_stand_in_driver();
  if (backend == nullptr) {
    const Status status = load_cudnn(fake_cuda_folder() + "/libcudnn.so.9", &backend);
    INFO(status.error);
    REQUIRE(status.ok());
    REQUIRE(backend != nullptr);
  }
  return backend.get();
}

std::vector<std::unique_ptr<Candidate>> cudnn_candidates(const std::string& problem) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = stand_in_cudnn()->candidates({.problem = problem}, &candidates);
  INFO(status.error);
  REQUIRE(status.ok());
  return candidates;
}

std::string cudnn_refusal(const std::string& problem) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = stand_in_cudnn()->candidates({.problem = problem}, &candidates);
  CHECK(candidates.empty());
  return status.error;
}

bool has_right_result(const std::string& text, const std::vector<float>& result) {
  const Problem problem = *Problem::parse(text);
  std::vector<size_t> positions(result.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  const std::vector<double> expected = reference_values(problem, make_operands(problem), positions);
  if (result.empty() || result.size() != expected.size()) return false;
  const Tolerance tolerance = tolerance_of(problem);
  return std::ranges::all_of(positions, [&](size_t i) {
    const double difference = std::fabs(static_cast<double>(result[i]) - expected[i]);
    return difference <= tolerance.absolute + tolerance.relative * std::fabs(expected[i]);
  });
}

struct TriedCandidate {
  Measurement facts;
  std::string error;
  bool is_right = false;
  uint64_t workspace_bytes = 0;
};

std::vector<TriedCandidate> tried(const std::string& problem) {
  std::vector<TriedCandidate> all;
  for (const auto& candidate : cudnn_candidates(problem)) {
    std::unique_ptr<Implementation> implementation;
    TriedCandidate one{.facts = candidate->facts(), .error = candidate->make(&implementation).error};
    if (implementation != nullptr) {
      one.is_right = has_right_result(problem, implementation->result({}));
      one.workspace_bytes = implementation->workspace_bytes();
    }
    all.push_back(std::move(one));
  }
  return all;
}

void check_all_right(const std::string& problem) {
  INFO(problem);
  for (const TriedCandidate& one : tried(problem)) {
    INFO(one.facts.implementation << " " << one.facts.layout << ": " << one.error);
    CHECK(one.is_right);
  }
}

}  // namespace

TEST_CASE("engines are listed in the library's order, with their knobs, once each, in both layouts") {
  std::vector<std::string> plain, channels_last;
  for (const auto& candidate : cudnn_candidates(kStandInConvolution)) {
    const Measurement facts = candidate->facts();
    (facts.layout == "plain" ? plain : channels_last).push_back(facts.implementation);
    CHECK(facts.dtype == "f32");
  }
  CHECK(plain == std::vector<std::string>{"engine 38 knobs 2=8,13=1", "engine 38 knobs 2=4,13=1", "engine 70",
                                          "engine 46 knobs 2=3", "engine 35 knobs 2=5", "engine 28", "engine 0"});
  CHECK(channels_last == plain);
  CHECK(cudnn_candidates(kStandInConvolution).front()->facts().layout == "plain");
}

TEST_CASE("an engine's notes tell how its results may differ") {
  std::map<std::string, std::pair<Numerics, std::string>> numerics;
  for (const auto& candidate : cudnn_candidates(kStandInConvolution)) {
    const Measurement facts = candidate->facts();
    numerics[facts.implementation] = {facts.numerics, facts.math_mode};
  }
  CHECK(numerics["engine 38 knobs 2=8,13=1"] == std::pair{Numerics::kReduced, std::string("tf32")});
  CHECK(numerics["engine 35 knobs 2=5"] == std::pair{Numerics::kTransform, std::string()});
  CHECK(numerics["engine 70"] == std::pair{Numerics::kExact, std::string()});
}

TEST_CASE("plans compute convolutions, one that is wrong is seen, and one that cannot be made says why") {
  for (const TriedCandidate& one : tried(kStandInConvolution)) {
    INFO(one.facts.implementation << " " << one.facts.layout << ": " << one.error);
    const bool cannot_be_made = one.facts.implementation == "engine 46 knobs 2=3";
    CHECK(one.error == (cannot_be_made ? "CUDNN_STATUS_NOT_SUPPORTED: no kernel of this stand-in takes the tile" : ""));
    CHECK(one.is_right == (!cannot_be_made && one.facts.implementation != "engine 28"));
    if (one.facts.implementation == "engine 35 knobs 2=5") CHECK(one.workspace_bytes == 2048);
  }
}

TEST_CASE("operands of convolutions are laid out as each layout wants them") {
  for (const char* const problem :
       {"conv src=2x3x6x5 wei=4x3x3x3 strides=2x1 pads=1,0,1,2 dil=1x1 groups=1 bias=0 post= dtype=f32",
        "conv src=1x2x9 wei=3x2x3 strides=2 pads=1,1 dil=1 groups=1 bias=1 post=relu dtype=f32"}) {
    size_t right = 0;
    for (const TriedCandidate& one : tried(problem)) right += one.is_right ? 1 : 0;
    CHECK(right == 10);  // of seven engines in two layouts two are wrong or cannot be made
  }
}

TEST_CASE("TF32 takes engines with tensor cores only") {
  const std::string problem =
      "conv src=1x3x6x5 wei=4x3x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=tf32";
  std::set<std::string> names;
  for (const auto& candidate : cudnn_candidates(problem)) {
    CHECK(candidate->facts().numerics == Numerics::kReduced);
    CHECK(candidate->facts().dtype == "tf32");
    names.insert(candidate->facts().implementation);
  }
  CHECK(names == std::set<std::string>{"engine 38 knobs 2=8,13=1", "engine 38 knobs 2=4,13=1"});
}

TEST_CASE("softmax goes to the call that is older than graphs, along any axis") {
  check_all_right("softmax src=2x3x4x5 axis=3 log=0 dtype=f32");
  check_all_right("softmax src=2x3x4x5 axis=1 log=0 dtype=f32");
  check_all_right("softmax src=7x10 axis=1 log=1 dtype=f32");
  CHECK(cudnn_candidates("softmax src=7x10 axis=1 log=0 dtype=f32").size() == 2);
  CHECK(cudnn_candidates("softmax src=7x10x3 axis=1 log=0 dtype=f32").size() == 1);
}

TEST_CASE("pooling goes to the older call where there is no engine, in both layouts") {
  check_all_right("maxpool src=1x3x8x9 kernel=3x3 strides=2x2 pads=1,1,1,1 dil=1x1 dtype=f32");
  check_all_right("avgpool src=2x3x7x7 kernel=7x7 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=f32");
  check_all_right("avgpool src=1x3x8x9 kernel=3x2 strides=1x2 pads=1,1,1,1 include_pad=1 dtype=f32");
  check_all_right("avgpool src=1x3x8x9 kernel=3x2 strides=1x2 pads=1,1,1,1 include_pad=0 dtype=f32");
  CHECK(cudnn_candidates("maxpool src=1x3x8x8 kernel=2x2 strides=2x2 pads=0,0,0,0 dil=1x1 dtype=f32").size() == 2);
}

TEST_CASE("padding that the older call cannot be told is refused, not computed wrongly") {
  CHECK(cudnn_refusal("avgpool src=1x3x8x8 kernel=3x3 strides=1x1 pads=0,0,2,2 include_pad=1 dtype=f32") != "");
  CHECK(cudnn_refusal("maxpool src=1x3x8x8 kernel=3x3 strides=1x1 pads=2,2,2,2 dil=2x2 dtype=f32") != "");
  // The end is not reached: it is the same as without padding there.
  check_all_right("maxpool src=1x3x8x8 kernel=2x2 strides=2x2 pads=0,0,1,1 dil=1x1 dtype=f32");
}

TEST_CASE("what cuDNN has no call for is refused with a reason") {
  CHECK(cudnn_refusal("concat axis=1 srcs=1x2,1x3 dtype=f32") != "");
  CHECK(cudnn_refusal("Gather in=f32[3,4];i64[2] out=f32[2,4]") == "cuDNN has no call for this kind of problem");
  CHECK(cudnn_refusal("eltwise alg=round src=3x4 alpha=0 beta=0 dtype=f32") == "cuDNN computes no round");
  CHECK(cudnn_refusal("softmax src=0x10 axis=1 log=0 dtype=f32") != "");
  CHECK(cudnn_refusal("conv src=1x3x6x5 wei=4x3x3x3 strides=1x1") != "");
}

TEST_CASE("an implementation tells times of its own, hot and cold") {
  for (const auto& candidate : cudnn_candidates(kStandInConvolution)) {
    if (candidate->facts().implementation != "engine 70") continue;
    std::unique_ptr<Implementation> implementation;
    REQUIRE(candidate->make(&implementation).ok());
    const auto hot = implementation->own_samples(2e6);
    REQUIRE(hot);
    CHECK(hot->size() >= 5);
    const auto cold = implementation->own_cold_samples(2e6);
    REQUIRE(cold);
    CHECK(cold->size() >= 1);
    for (const float ns : *hot) CHECK(ns > 0);
    CHECK(has_right_result(kStandInConvolution, implementation->result({})));
    break;
  }
}

TEST_CASE("a call that fails when it is made is an error of its row") {
  const auto candidates = cudnn_candidates("softmax src=7x10 axis=1 log=0 dtype=f32");
  const SetVariable fail("FAKE_CUDA_FAIL", "cudnnSoftmaxForward=2000");
  std::unique_ptr<Implementation> implementation;
  CHECK(candidates.front()->make(&implementation).error.starts_with("CUDNN_STATUS_BAD_PARAM"));
  CHECK(implementation == nullptr);
}

}  // namespace xsp::bound
