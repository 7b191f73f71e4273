#include "bound/advice/what_if.h"
#include "bound/onnx/model_file.h"
#include "test/bound/advice/timed_problems.h"
#include "test/bound/model/taken_apart.h"

namespace xsp::bound {
namespace {

constexpr const char* kWithBf16 = "avx512_bf16";
constexpr const char* kWithoutBf16 = "avx512_vnni";

/// image [1,8,16,16] → Conv → Relu → Conv → Softmax: all values have 2048 elements.
LayeredModel convolutions_and_softmax() {
  test::ModelBuilder builder;
  const std::string image = builder.input({1, 8, 16, 16});
  const std::string first = builder.node("Conv", {image, builder.input({8, 8, 1, 1})});
  const std::string rectified = builder.node("Relu", {first});
  const std::string second =
      builder.node("Conv", {rectified, builder.input({8, 8, 3, 3})}, {test::integers_attribute("pads", {1, 1, 1, 1})});
  builder.output(builder.node("Softmax", {second}, {test::integer_attribute("axis", 1)}));
  return test::taken_apart(builder);
}
constexpr int64_t kElementsThere = 2048;

void set_own_times(const LayeredModel& model, const std::vector<double>& ms, test::TimedProblems* times) {
  REQUIRE(model.layers.size() == ms.size());
  for (size_t layer = 0; layer < ms.size(); ++layer) times->set(model.layers[layer].problem, ms[layer]);
}

FusedGroup group_of(std::vector<size_t> layers, const std::string& problem) {
  FusedGroup group;
  group.rule = "convolution";
  group.layers = std::move(layers);
  group.problem = problem;
  return group;
}

constexpr const char* kFusedConvolution =
    "conv src=1x8x16x16 wei=8x8x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post=relu dtype=f32";

PrecisionBound bound_in(const std::string& precision, const test::TimedProblems& times, const Bounds& bounds,
                        const std::string& isa = kWithBf16) {
  return precision_bound(bounds, precision, times.database(), times.look_up(), isa);
}

}  // namespace

TEST_CASE("layers without an implementation in the type stay, and what passes a border is cast") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set_typed(model.layers[0].problem, "int8", 1);
  times.set_typed(model.layers[1].problem, "int8", 0.25);
  times.set_typed(model.layers[2].problem, "int8", 2);
  times.set_casts("int8", kElementsThere, 0.125, 0.0625);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model));
  CHECK(bound.bound_ms == Approx(1 + 0.25 + 2 + 1 + 0.125 + 0.0625));  // the image becomes bytes, the scores come back
  CHECK(bound.parallel_ms == Approx(bound.bound_ms));                  // a chain
  CHECK(bound.casts == 2);
  CHECK(bound.casts_ms == Approx(0.1875));
  CHECK(bound.layers == 3);
  CHECK(bound.kept == 1);
  CHECK(bound.coverage_pct == 100.0);
  CHECK_FALSE(bound.is_emulated);
  CHECK_THAT(bound.caveat, Catch::Contains("check its accuracy"));
  CHECK_THAT(bound.caveat, Catch::Contains("2 casts"));
}

TEST_CASE("a type that was never measured is told apart from one that no library computes in") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model));
  CHECK(bound.layers == 0);
  CHECK(bound.caveat == "int8 was not measured: run it without --no-run or --time-limit");
}

TEST_CASE("a type that loses shows its loss, and that it is emulated where the processor lacks instructions") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  for (const Layer& layer : model.layers) times.set_typed(layer.problem, "bf16", 20);
  times.set_casts("bf16", kElementsThere, 0.5, 0.25);
  const Bounds bounds = times.bounds_of(model);
  const PrecisionBound emulated = bound_in("bf16", times, bounds, kWithoutBf16);
  CHECK(emulated.bound_ms == Approx(80.75));
  CHECK(emulated.is_emulated);
  CHECK_THAT(emulated.caveat, Catch::StartsWith("emulated: this processor has no bf16 instructions"));
  const PrecisionBound native = bound_in("bf16", times, bounds, kWithBf16);
  CHECK(native.bound_ms == Approx(80.75));
  CHECK_FALSE(native.is_emulated);
  CHECK(native.has_instructions);
  CHECK_THAT(native.caveat, !Catch::Contains("emulated"));
}

TEST_CASE("bytes without VNNI are slower, but not emulated") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set_typed(model.layers[0].problem, "int8", 1);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model), "avx2");
  CHECK_FALSE(bound.is_emulated);
  CHECK_THAT(bound.caveat, Catch::StartsWith("without VNNI"));
}

TEST_CASE("a function between layers of f32 does not become one of bytes for itself") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set_typed(model.layers[1].problem, "int8", 0.01);
  times.set_casts("int8", kElementsThere, 0.1, 0.1);
  const PrecisionBound bytes = bound_in("int8", times, times.bounds_of(model));
  CHECK(bytes.layers == 0);
  CHECK(bytes.kept == 4);
  CHECK(bytes.casts == 0);
  CHECK(bytes.bound_ms == Approx(13.5));
}

TEST_CASE("nothing that computes in a type is told with the reason of the dearest layer that could") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.refuse(in_precision(model.layers[2].problem, "f16").problems.front(), "oneDNN: unimplemented");
  const PrecisionBound bound = bound_in("f16", times, times.bounds_of(model));
  CHECK(bound.layers == 0);
  CHECK(bound.bound_ms == Approx(13.5));
  CHECK(bound.parallel_ms == Approx(13.5));
  CHECK_THAT(bound.caveat,
             Catch::StartsWith("nothing computes in f16: onednn 3.2.0: unsupported: oneDNN: unimplemented"));
}

TEST_CASE("a cast without a time is told") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set_typed(model.layers[0].problem, "bf16", 1);
  const PrecisionBound bound = bound_in("bf16", times, times.bounds_of(model));
  CHECK(bound.layers == 1);
  CHECK(bound.casts == 2);  // in from the image, out to Relu
  CHECK_THAT(bound.caveat, Catch::Contains("2 casts not included"));
  times.set(casts_into("bf16", kElementsThere).front(), 0.125);
  const PrecisionBound half_known = bound_in("bf16", times, times.bounds_of(model));
  CHECK(half_known.casts_ms == Approx(0.125));
  CHECK_THAT(half_known.caveat, Catch::Contains("2 casts, 0.1250 ms, included, 1 of them without a time"));
}

TEST_CASE("tf32 changes products alone, and no value between layers") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set_typed(model.layers[0].problem, "tf32", 1);
  times.set_typed(model.layers[2].problem, "tf32", 2);
  const PrecisionBound bound = bound_in("tf32", times, times.bounds_of(model), "sm_80");
  CHECK(bound.bound_ms == Approx(1 + 0.5 + 2 + 1));
  CHECK(bound.casts == 0);
  CHECK(bound.layers == 2);
}

TEST_CASE("layers without work pass on what they read, and one cast serves all readers") {
  test::ModelBuilder builder;
  const std::string image = builder.input({1, 8, 4, 4});
  const std::string made = builder.node("Conv", {image, builder.input({8, 8, 1, 1})});
  const std::string flat = builder.node("Flatten", {made});
  builder.output(builder.node("Gemm", {flat, builder.input({128, 10})}));
  builder.output(builder.node("Sigmoid", {made}));
  builder.output(builder.node("Tanh", {made}));
  const LayeredModel model = test::taken_apart(builder);
  test::TimedProblems times;
  set_own_times(model, {4, 0, 2, 0.5, 0.25}, &times);
  times.set_typed(model.layers[0].problem, "int8", 1);
  times.set_typed(model.layers[2].problem, "int8", 0.5);
  times.set_casts("int8", 128, 0.1, 0.2);
  times.set_casts("int8", 10, 0.01, 0.02);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model));
  CHECK(bound.layers == 2);
  CHECK(bound.casts == 3);  // of the image, of what both functions read, and of the product as an output
  CHECK(bound.bound_ms == Approx(1 + 0.5 + 0.5 + 0.25 + 0.1 + 0.2 + 0.02));
  // The image, the convolution, then the cast and Sigmoid, which are longer together than the product.
  CHECK(bound.parallel_ms == Approx(0.1 + 1 + 0.2 + 0.5));
}

TEST_CASE("a move that no library makes in the type moves what there is") {
  test::ModelBuilder builder;
  const std::string image = builder.input({1, 8, 4, 4});
  const std::string made = builder.node("Conv", {image, builder.input({8, 8, 1, 1})});
  const std::string padded = builder.node("Pad", {made, builder.integers({0, 0, 1, 1, 0, 0, 1, 1})});
  builder.output(builder.node("Conv", {padded, builder.input({8, 8, 3, 3})}));
  const LayeredModel model = test::taken_apart(builder);
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 4}, &times);
  for (const size_t layer : {size_t{0}, size_t{2}}) times.set_typed(model.layers[layer].problem, "bf16", 2);
  times.set_casts("bf16", 128, 0.1, 0.2);
  const PrecisionBound bound = bound_in("bf16", times, times.bounds_of(model));
  CHECK(bound.casts == 2);  // the model's input and output
  CHECK(bound.bound_ms == Approx(2 + 0.5 + 2 + 0.1 + 0.2));
  CHECK(bound.kept == 1);
}

TEST_CASE("a group is computed in the type where it was measured so") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set(kFusedConvolution, 4.1);
  times.set_typed(kFusedConvolution, "int8", 0.75);
  times.set_typed(model.layers[0].problem, "int8", 1);
  times.set_casts("int8", kElementsThere, 0.125, 0.0625);
  const Bounds bounds = times.bounds_of(model, {group_of({0, 1}, kFusedConvolution)});
  REQUIRE(bounds.fused().sequential.bound_ms == Approx(4.1 + 8 + 1));
  const PrecisionBound bound = bound_in("int8", times, bounds);
  CHECK(bound.bound_ms == Approx(0.75 + 8 + 1 + 0.125 + 0.0625));
  CHECK(bound.layers == 2);
  CHECK(bound.casts == 2);
}

TEST_CASE("a group that cannot be computed in the type leaves its layers one by one") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set(kFusedConvolution, 4.1);
  times.set_typed(model.layers[0].problem, "int8", 1);
  times.set_casts("int8", kElementsThere, 0.125, 0.0625);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model, {group_of({0, 1}, kFusedConvolution)}));
  CHECK(bound.bound_ms == Approx(1 + 0.5 + 8 + 1 + 0.125 + 0.0625));
  CHECK(bound.layers == 1);
}

TEST_CASE("a group stays together in f32 where one of its layers has no time by itself") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  for (const size_t layer : {size_t{0}, size_t{2}, size_t{3}}) times.set(model.layers[layer].problem, 4);
  times.set(kFusedConvolution, 3.5);
  times.set_typed(model.layers[0].problem, "int8", 1);
  times.set_typed(model.layers[2].problem, "int8", 2);
  times.set_casts("int8", kElementsThere, 0.125, 0.0625);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model, {group_of({0, 1}, kFusedConvolution)}));
  CHECK(bound.bound_ms == Approx(3.5 + 2 + 4 + 0.125 + 0.0625));
  CHECK(bound.coverage_pct == 100.0);
}

TEST_CASE("a group of which nothing computes in the type stays as it is") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  times.set(kFusedConvolution, 4.1);
  times.set_typed(model.layers[2].problem, "int8", 2);
  times.set_casts("int8", kElementsThere, 0.125, 0.0625);
  const PrecisionBound bound = bound_in("int8", times, times.bounds_of(model, {group_of({0, 1}, kFusedConvolution)}));
  CHECK(bound.bound_ms == Approx(4.1 + 2 + 1 + 0.125 + 0.0625));
  CHECK(bound.layers == 1);
  CHECK(bound.kept == 3);
}

TEST_CASE("of two ways to write a type the faster one counts") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  set_own_times(model, {4, 0.5, 8, 1}, &times);
  const PrecisionProblem typed = in_precision(model.layers[2].problem, "int8");
  REQUIRE(typed.problems.size() == 2);
  times.set(typed.problems[0], 3).set(typed.problems[1], 2);
  times.set_casts("int8", kElementsThere, 0, 0);
  CHECK(bound_in("int8", times, times.bounds_of(model)).bound_ms == Approx(4 + 0.5 + 2 + 1));
}

TEST_CASE("what is to be measured for a type is each problem once, and casts of all values") {
  const LayeredModel model = convolutions_and_softmax();
  test::TimedProblems times;
  const auto problems_of = [](const std::vector<WorkItem>& items) {
    std::vector<std::string> problems;
    for (const WorkItem& item : items) problems.push_back(item.problem);
    return problems;
  };
  const std::vector<FusedGroup> groups = {group_of({0, 1}, kFusedConvolution)};
  const std::string convolution = in_precision(model.layers[0].problem, "int8").problems[0];
  const std::string convolution_of_gpu = in_precision(model.layers[0].problem, "int8").problems[1];
  const std::string fused = in_precision(kFusedConvolution, "int8").problems[0];
  SECTION("with times of a processor") {
    set_own_times(model, {4, 0.5, 8, 1}, &times);
    const auto problems = problems_of(precision_items(times.bounds_of(model, groups), "int8"));
    CHECK(std::ranges::count(problems, convolution) == 1);
    CHECK(std::ranges::count(problems, convolution_of_gpu) == 0);
    CHECK(std::ranges::count(problems, fused) == 1);
    CHECK(std::ranges::count(problems, "cast src=2048 from=f32 to=u8") == 1);
    CHECK(std::ranges::count(problems, "cast src=2048 from=u8 to=f32") == 1);
    CHECK(problems.size() == 6);  // two convolutions, Relu, the group; Softmax stays
  }
  SECTION("without any times both ways") {
    const auto problems = problems_of(precision_items(times.bounds_of(model, groups), "int8"));
    CHECK(std::ranges::count(problems, convolution) == 1);
    CHECK(std::ranges::count(problems, convolution_of_gpu) == 1);
    const auto for_gpu = problems_of(precision_items(times.bounds_of(model, groups), "int8", "sm_90"));
    CHECK(std::ranges::count(for_gpu, convolution) == 0);
    CHECK(std::ranges::count(for_gpu, convolution_of_gpu) == 1);
  }
  SECTION("ONNX Runtime is asked for convolutions of bytes, and for no narrow floating point") {
    for (const char* precision : {"int8", "bf16", "f16"}) {
      for (const WorkItem& item : precision_items(times.bounds_of(model, groups), precision)) {
        INFO(item.problem);
        Model written;
        if (!item.model.empty()) REQUIRE(parse_model(item.model, &written).ok());
        const bool is_of_bytes = item.problem.find("dtype=u8:i8:u8") != std::string::npos;
        REQUIRE(written.graph.nodes.size() == (is_of_bytes ? 1 : 0));
        if (is_of_bytes) CHECK(written.graph.nodes[0].type == "QLinearConv");
      }
    }
  }
  SECTION("tf32 has no casts") { CHECK(precision_items(times.bounds_of(model, groups), "tf32").size() == 3); }
  SECTION("an unknown type has nothing") { CHECK(precision_items(times.bounds_of(model, groups), "f12").empty()); }
}

}  // namespace xsp::bound
