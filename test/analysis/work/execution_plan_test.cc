#include "analysis/work/execution_plan.h"

#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ExecutionPlan;
using analysis::PlanTexts;
using analysis::Trace;

/// A convolution, its bias and a ReLU in one engine.
constexpr const char* kFusedPlan = R"({
  "cudnnVersion": 90000, "schemaVersion": 4,
  "operationGraph": {
    "tensors": [
      {"name": "image", "dataType": "CUDNN_DATA_HALF", "dim": [2, 3, 8, 8], "stride": [192, 1, 24, 3], "isVirtual": false},
      {"name": "filter", "dataType": "CUDNN_DATA_HALF", "dim": [4, 3, 3, 3], "stride": [27, 1, 9, 3]},
      {"name": "sum", "dataType": "CUDNN_DATA_FLOAT", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4], "isVirtual": true},
      {"name": "bias", "dataType": "CUDNN_DATA_BFLOAT16", "dim": [1, 4, 1, 1], "stride": [4, 1, 4, 4]},
      {"name": "biased", "dataType": "CUDNN_DATA_FLOAT", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4], "isVirtual": true},
      {"name": "out", "dataType": "CUDNN_DATA_FP8_E4M3", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4]}
    ],
    "nodes": [
      {"operation": "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR", "mode": "CUDNN_CROSS_CORRELATION",
       "mathPrec": "CUDNN_DATA_FLOAT", "alpha": 1.0, "beta": 0.0, "pad": [0, 0], "stride": [1, 1], "dilation": [1, 1],
       "X": "image", "W": "filter", "Y": "sum"},
      {"operation": "CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR", "pointwiseMode": "CUDNN_POINTWISE_ADD",
       "X": "sum", "B": "bias", "Y": "biased"},
      {"operation": "CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR", "pointwiseMode": "CUDNN_POINTWISE_RELU_FWD", "alpha": 0.5,
       "upperClip": 1.7976931348623157e308, "lowerClip": 0.0, "lowerClipSlope": 0.0, "X": "biased", "Y": "out", "later": {"field": [1]}}
    ]
  },
  "engine": {"engineId": 4, "knobChoices": {"CUDNN_KNOB_TYPE_TILE_SIZE": 2, "CUDNN_KNOB_TYPE_STAGES": 3},
             "numericalNotes": ["CUDNN_NUMERICAL_NOTE_TENSOR_CORE"]}
})";

TEST_CASE("a plan's operations, tensors, engine, knobs and notes are read") {
  std::string problem;
  const auto plan = ExecutionPlan::parse(kFusedPlan, &problem);
  REQUIRE(plan);
  REQUIRE(plan->operations.size() == 3);
  const auto& convolution = plan->operations[0];
  CHECK(convolution.kind == "convolution_forward");
  REQUIRE(convolution.tensor("W"));
  const auto& filter = plan->tensors[*convolution.tensor("W")];
  CHECK(filter.type == "f16");
  CHECK(filter.dimensions == std::vector<int64_t>{4, 3, 3, 3});
  CHECK(filter.strides == std::vector<int64_t>{27, 1, 9, 3});
  CHECK_FALSE(filter.is_virtual);
  CHECK(plan->tensors[*convolution.tensor("Y")].is_virtual);
  CHECK_FALSE(convolution.tensor("B"));
  CHECK(plan->engine == 4);
  CHECK(plan->text() ==
        "convolution_forward+pointwise(ADD)+pointwise(RELU_FWD): X=f16[2,3,8,8]nhwc W=f16[4,3,3,3]nhwc "
        "Y=f32[2,4,6,6]nhwc:virtual dilation=[1,1] math=f32 pad=[0,0] stride=[1,1]; X=f32[2,4,6,6]nhwc:virtual "
        "B=bf16[1,4,1,1] Y=f32[2,4,6,6]nhwc:virtual; X=f32[2,4,6,6]nhwc:virtual Y=fp8_e4m3[2,4,6,6]nhwc alpha=0.5; "
        "engine=4 knobs=STAGES:3,TILE_SIZE:2 notes=TENSOR_CORE");
}

TEST_CASE("a plan that cannot be read says why") {
  const auto problem_of = [](const std::string& json) {
    std::string problem;
    CHECK_FALSE(ExecutionPlan::parse(json, &problem));
    return problem;
  };
  CHECK(problem_of("") == "no JSON, or cut off");
  CHECK(problem_of(std::string(kFusedPlan).substr(0, 900)) == "no JSON, or cut off");
  CHECK(problem_of("[1]") == "no JSON object");
  CHECK(problem_of("{}") == "without operations");
  CHECK(problem_of(R"({"operationGraph": {"nodes": 5}})") == "without operations");
  CHECK(problem_of(R"({"operationGraph": [{"nodes": [1]}]})") == "without operations");
  CHECK(problem_of("{\"x\": \"" + std::string(2 << 20, 'x') + "\"}") == "longer than 1 MiB");
  CHECK(problem_of(std::string(500'000, '[')) == "no JSON, or cut off");
  CHECK(problem_of(std::string(100'000, '[') + std::string(100'000, ']')) == "no JSON object");
}

TEST_CASE("a plan with fields of other types than known is read without them") {
  std::string problem;
  for (const char* json : {
           R"({"operationGraph": {"nodes": [1, {}]}})",
           R"({"operationGraph": {"nodes": [{"operation": 3, "mode": 4, "X": null}], "tensors": "none"}, "engine": 7})",
           R"({"operationGraph": {"nodes": [{"operation": "X", "X": "t", "pad": [[1], "x"], "s": [1,"x"]}],
               "tensors": [5, {"name": "t", "dim": ["a", 1e300], "dataType": 9}]},
               "engine": {"engineId": "x", "knobChoices": {"K": "v"}, "numericalNotes": [1, null]}})",
       }) {
    INFO(json);
    const auto plan = ExecutionPlan::parse(json, &problem);
    REQUIRE(plan);
    CHECK(plan->operations.size() == 1);
    CHECK_FALSE(plan->engine);
    plan->text();
  }
}

TEST_CASE("each plan of a trace is read once, and those that cannot be are counted once") {
  Trace trace;
  const uint32_t good = trace.strings.intern(kFusedPlan);
  const uint32_t bad = trace.strings.intern("{");
  PlanTexts plans(trace);
  const std::string* first = &plans.text(good);
  CHECK(first->starts_with("convolution_forward+"));
  for (int i = 0; i < 3; ++i) CHECK(plans.text(bad) == "plan not readable (no JSON, or cut off)");
  CHECK(&plans.text(good) == first);
  CHECK(plans.unreadable() == 1);
}

}  // namespace
}  // namespace xsp::test
