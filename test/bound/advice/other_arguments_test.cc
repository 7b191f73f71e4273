#include <string>
#include <vector>

#include "bound/advice/inefficiency.h"
#include "test/bound/advice/made_convolution.h"
#include "test/bound/advice/made_evaluations.h"
#include "test/catch.h"

namespace xsp::bound::test {
namespace {

TEST_CASE("one algorithm for all shapes is told where the library was never asked") {
  struct Case {
    const char* what;
    bool has_start, asks, differ, is_found;
  };
  for (const Case& one :
       {Case{"never asked", true, false, false, true}, Case{"asked", true, true, false, false},
        Case{"start not recorded", false, false, false, false}, Case{"several algorithms", true, false, true, false}}) {
    MadeEvaluations made;
    if (one.has_start) made.call("cudnn", "cudnnCreate", 100);
    if (one.asks) made.call("cudnn", "cudnnGetConvolutionForwardAlgorithm_v7", 10);
    made.calls(5, [&](MadeEvaluations& call) {
      add_convolution(call, made_convolution("IMPLICIT_GEMM"));
      add_convolution(call, made_convolution("IMPLICIT_GEMM", "f32[8,64,56,56]", "f32[256,64,1,1]"));
      add_convolution(call, made_convolution(one.differ ? "WINOGRAD" : "IMPLICIT_GEMM"));
      call.synchronize();
    });
    const auto found = made.found();
    INFO(one.what);
    REQUIRE(found.size() == (one.is_found ? 1 : 0));
    if (found.empty()) continue;
    CHECK(found[0].kind == InefficiencyKind::kOtherArguments);
    CHECK(found[0].seen == "algo=IMPLICIT_GEMM for 2 shapes, never asked for");
    CHECK(found[0].time_ms == 0);
  }
}

TEST_CASE("settings that keep 16-bit operands from matrix units are told on devices that have them") {
  for (const uint32_t capability : {6u, 8u}) {
    MadeEvaluations made;
    made.device("GPU", capability);
    made.calls(5, [](MadeEvaluations& call) {
      add_convolution(call, made_convolution("WINOGRAD", "f16[8,64,56,56]", "f16[64,64,3,3]", "FMA_MATH"));
      add_convolution(call, made_convolution("WINOGRAD", "f32[8,64,56,56]", "f32[64,64,3,3]", "FMA_MATH"));
      call.synchronize();
    });
    CHECK(made.found().size() == (capability == 8 ? 1 : 0));
  }
}

TEST_CASE("layouts that are converted inside a call are told as arguments") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    add_convolution(call, made_convolution("WINOGRAD"), "void nchwToNhwcKernel<float, float>(int, float const*)");
    add_convolution(call, made_convolution("WINOGRAD"), "void nchwToNhwcKernel<float, float>(int, float const*)");
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == InefficiencyKind::kOtherArguments);
  CHECK(found[0].count == 2);
  CHECK(found[0].time_ms == Approx(0.02));
}

/// A model of layers with these problems, each of which reads the one before it.
LayeredModel made_model(const std::vector<std::string>& problems) {
  LayeredModel model;
  for (const std::string& problem : problems) {
    Layer& layer = model.layers.emplace_back();
    layer.name = "node" + std::to_string(model.layers.size() - 1);
    layer.type = "Conv";
    layer.layer_class = LayerClass::kCompute;
    layer.problem = problem;
    if (model.layers.size() > 1) layer.producers = {model.layers.size() - 2};
  }
  return model;
}

std::string made_problem(const std::string& source, const std::string& pads, const std::string& dtype = "f32") {
  return "conv src=" + source + " wei=64x64x3x3 strides=1x1 pads=" + pads +
         " dil=1x1 groups=1 bias=0 post= dtype=" + dtype;
}

/// Layer i of the trace ran layer order[i] of the model, and its call was asked for called[i].
void join_by_name(const std::vector<size_t>& order, const std::vector<std::string>& called, JoinedTrace& joined) {
  joined.trace_layer_of.assign(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    joined.layers[i].layers = {order[i]};
    joined.layers[i].joined_by = JoinedBy::kName;
    joined.trace_layer_of[order[i]] = i;
    joined.calls[i].problem = called[i];
  }
}

std::vector<Inefficiency> found_by_model(const LayeredModel& model, const std::vector<size_t>& order,
                                         const std::vector<std::string>& called) {
  MadeEvaluations made;
  made.calls(5, [&](MadeEvaluations& call) {
    for (size_t i = 0; i < order.size(); ++i) {
      call.layer("layer" + std::to_string(i), "Conv2d",
                 [](MadeEvaluations& in) { in.call("onednn", "convolution", 90); });
    }
  });
  return made.found(&model, [&](JoinedTrace& joined) { join_by_name(order, called, joined); });
}

TEST_CASE("calls that are asked for other than the model's layers are told") {
  const std::string asked = made_problem("8x64x56x56", "1,1,1,1");
  struct Case {
    std::string called, expected, seen;
  };
  for (const Case& one : std::vector<Case>{
           {asked, "", ""},
           {made_problem("8x64x56x56", "1,1,1,1", "bf16"), "", ""},
           {made_problem("1x64x56x56", "1,1,1,1"), "a batch of 8", "batches of 1"},
           {made_problem("8x64x58x58", "0,0,0,0"), "pads=1,1,1,1", "pads=0,0,0,0, the source padded before the call"},
           {made_problem("8x64x56x56", "0,0,0,0"), "pads=1,1,1,1", "pads=0,0,0,0"},
           {made_problem("8x64x56x56", "1,1,1,1", "f64"), "dtype=f32", "dtype=f64"}}) {
    const auto found = found_by_model(made_model({asked, asked}), {0, 1}, {one.called, one.called});
    INFO(one.called);
    REQUIRE(found.size() == (one.seen.empty() ? 0 : 1));
    if (found.empty()) continue;
    CHECK(summaries(found) == std::vector<std::string>{"other_arguments x2: 2 convolutions"});
    CHECK(found[0].expected == one.expected);
    CHECK(found[0].seen == one.seen);
  }
}

TEST_CASE("a layer that ran before what it reads is told") {
  const std::string problem = made_problem("8x64x56x56", "1,1,1,1");
  const LayeredModel model = made_model({problem, problem, problem});
  CHECK(found_by_model(model, {0, 1, 2}, {problem, problem, problem}).empty());
  const auto found = found_by_model(model, {0, 2, 1}, {problem, problem, problem});
  REQUIRE(summaries(found) == std::vector<std::string>{"order x1: layer1"});
  CHECK(found[0].expected == "after layer2, which it reads");
}

}  // namespace
}  // namespace xsp::bound::test
