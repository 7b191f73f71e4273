#include "bound/backends/onnxruntime_backend.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "bound/backends/node_model.h"
#include "bound/backends/onnxruntime_profile.h"
#include "bound/backends/onnxruntime_timing.h"
#include "bound/backends/tensor_bytes.h"
#include "bound/onnx/model_file.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// The first that is found, with one thread; null: none.
Backend* loaded_onnxruntime() {
  static Backend* const loaded = [] {
    std::unique_ptr<Backend> backend;
    std::vector<std::string> files = onnxruntime_files();
    if (const char* const more = getenv("XSP_TEST_ONNXRUNTIME")) files.insert(files.begin(), more);
    for (const std::string& file : files) {
      if (load_onnxruntime(file, &backend).ok() && backend->set_threads(1).ok()) return backend.release();
    }
    WARN("no ONNX Runtime with a C interface on this machine");
    return static_cast<Backend*>(nullptr);
  }();
  return loaded;
}

DeclaredValue tensor_of(std::string name, const std::vector<int64_t>& dimensions,
                        ElementType element = ElementType::kF32) {
  DeclaredValue value;
  value.name = std::move(name);
  value.element = element;
  value.has_rank = true;
  for (const int64_t size : dimensions) value.dimensions.emplace_back().size = size;
  return value;
}

/// A model of one node, which reads a, b, … and writes y.
Model one_node(std::string type, const std::vector<DeclaredValue>& inputs, const DeclaredValue& output) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 17}};
  model.graph.name = "node";
  Node node;
  node.name = "node";
  node.type = std::move(type);
  for (const DeclaredValue& input : inputs) node.inputs.push_back(input.name);
  node.outputs = {output.name};
  model.graph.nodes = {node};
  model.graph.inputs = inputs;
  model.graph.outputs = {output};
  return model;
}

Attribute integers_attribute(std::string name, std::vector<int64_t> integers) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kIntegers;
  attribute.integers = std::move(integers);
  return attribute;
}

WorkItem item_of(const std::string& problem, const Model& model) {
  WorkItem item;
  item.problem = problem;
  item.model = write_model(model);
  return item;
}

struct Ran {
  Measurement facts;
  std::vector<float> samples;
  std::vector<float> result;
  float least() const { return samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end()); }
};

Ran run_item(const WorkItem& item, double budget_ns = 20e6) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = loaded_onnxruntime()->candidates(item, &candidates);
  INFO(status.error);
  REQUIRE(candidates.size() == 1);
  std::unique_ptr<Implementation> implementation;
  REQUIRE(candidates[0]->make(&implementation).ok());
  Ran ran{candidates[0]->facts(), {}, implementation->result({})};
  ran.samples = *implementation->own_samples(budget_ns);
  return ran;
}

std::string refusal(const WorkItem& item) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = loaded_onnxruntime()->candidates(item, &candidates);
  REQUIRE(candidates.empty());
  return status.error;
}

void check_result(const std::string& text, const std::vector<float>& result) {
  const Problem problem = *Problem::parse(text);
  std::vector<size_t> positions(result.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  const std::vector<double> expected = reference_values(problem, make_operands(problem), positions);
  REQUIRE(expected.size() == result.size());
  REQUIRE_FALSE(result.empty());
  const Tolerance tolerance = tolerance_of(problem);
  for (const size_t i : positions) {
    CAPTURE(text, i);
    REQUIRE(std::fabs(result[i] - expected[i]) <= tolerance.absolute + tolerance.relative * std::fabs(expected[i]));
  }
}

Model convolution() {
  Model model = one_node("Conv", {tensor_of("x", {1, 64, 28, 28}), tensor_of("w", {64, 64, 3, 3})},
                         tensor_of("y", {1, 64, 28, 28}));
  model.graph.nodes[0].attributes = {integers_attribute("pads", {1, 1, 1, 1})};
  return model;
}

const std::string kConvolution =
    "conv src=1x64x28x28 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32";

}  // namespace

TEST_CASE("ONNX Runtime computes a convolution as it is computed plainly, and tells the node that it ran") {
  if (loaded_onnxruntime() == nullptr) return;
  const Ran ran = run_item(item_of(kConvolution, convolution()));
  CHECK(ran.facts.implementation == "Conv (CPUExecutionProvider)");
  CHECK(ran.facts.dtype == "f32");
  CHECK(ran.facts.numerics == Numerics::kExact);
  check_result(kConvolution, ran.result);
  CHECK(ran.samples.size() >= 5);
  // 57.8 million multiplications and additions take longer than any core could do them in a microsecond, and less than
  // a second on all.
  CHECK(ran.least() > 20e3f);
  CHECK(ran.least() < 1e9f);
}

TEST_CASE("a node that is long for the budget is not run again") {
  if (loaded_onnxruntime() == nullptr) return;
  const Ran ran = run_item(item_of(kConvolution, convolution()), 1e3);
  CHECK(ran.samples.size() == 1);
  CHECK(ran.least() > 20e3f);
}

TEST_CASE("weights are constants: ONNX Runtime changes their layout once, and leaves its own changes out") {
  NodeModel node;
  REQUIRE(make_node_model(write_model(convolution()), {}, 1, &node).ok());
  REQUIRE(node.inputs.size() == 1);
  CHECK(node.inputs[0].name == "x");
  REQUIRE(node.model.graph.initializers.size() == 1);
  CHECK(node.model.graph.initializers[0].name == "w");

  const Model product =
      one_node("MatMul", {tensor_of("a", {2, 3, 4}), tensor_of("b", {2, 4, 5})}, tensor_of("y", {2, 3, 5}));
  NodeModel batched;
  REQUIRE(make_node_model(write_model(product), {}, 1, &batched).ok());
  CHECK(batched.inputs.size() == 2);

  const Model biases = one_node("Add", {tensor_of("a", {4}), tensor_of("b", {4})}, tensor_of("y", {4}));
  NodeModel not_folded;
  REQUIRE(make_node_model(write_model(biases), {}, 1, &not_folded).ok());
  CHECK(not_folded.inputs.size() == 2);
}

TEST_CASE("products and element by element operators give what they give plainly") {
  if (loaded_onnxruntime() == nullptr) return;
  const std::string product = "matmul src=12x40 wei=40x24 ta=0 tb=0 bias=0 post= dtype=f32";
  check_result(product,
               run_item(item_of(product, one_node("MatMul", {tensor_of("a", {3, 4, 40}), tensor_of("b", {40, 24})},
                                                  tensor_of("y", {3, 4, 24}))))
                   .result);
  const std::string sum = "binary alg=add src0=8x16 src1=16 dtype=f32";
  check_result(
      sum,
      run_item(item_of(sum, one_node("Add", {tensor_of("a", {8, 16}), tensor_of("b", {16})}, tensor_of("y", {8, 16}))))
          .result);
}

TEST_CASE("a result of other operands than the problem's is not told") {
  if (loaded_onnxruntime() == nullptr) return;
  // The model's second matrix is not the problem's.
  const Model other = one_node("MatMul", {tensor_of("a", {12, 40}), tensor_of("b", {40, 8})}, tensor_of("y", {12, 8}));
  const Ran ran = run_item(item_of("matmul src=12x40 wei=40x24 ta=0 tb=0 bias=0 post= dtype=f32", other));
  CHECK(ran.result.empty());
  CHECK_FALSE(ran.samples.empty());
}

TEST_CASE("the time of a tiny node is neither nothing nor that of a whole run") {
  if (loaded_onnxruntime() == nullptr) return;
  const Model model = one_node("Add", {tensor_of("a", {1, 768}), tensor_of("b", {1, 768})}, tensor_of("y", {1, 768}));
  const Ran ran = run_item(item_of("binary alg=add src0=1x768 src1=1x768 dtype=f32", model), 60e6);
  CHECK(ran.least() > 20);
  CHECK(ran.least() < 3000);
  CHECK(std::ranges::none_of(ran.samples, [](float sample) { return sample <= 0; }));
}

TEST_CASE("steps of the profiler are no noise, what exceeds them is") {
  const auto of = [](const std::vector<int64_t>& runs, size_t nodes, std::optional<double> least) {
    return samples_of_runs(runs, nodes, least);
  };
  CHECK(of({4, 3, 4, 9}, 1, 300.0) == std::vector<float>{300, 300, 300, 900});
  CHECK(of({0, 1, 2}, 1, 300.0) == std::vector<float>{300, 300, 900});
  CHECK(of({0, 1}, 1, std::nullopt) == std::vector<float>{500, 500});
  CHECK(of({5, 7, 8}, 2, std::nullopt) == std::vector<float>{5000, 5000, 8000});
  CHECK(of({100, 101, 130}, 1, std::nullopt) == std::vector<float>{100000, 101000, 130000});
}

TEST_CASE("inputs of whole numbers are within the range of indices, and divide nothing by zero") {
  if (loaded_onnxruntime() == nullptr) return;
  const auto i64 = ElementType::kI64;
  const Model one_row = one_node("Gather", {tensor_of("a", {1, 8}), tensor_of("b", {5}, i64)}, tensor_of("y", {5, 8}));
  CHECK(run_item(item_of("Gather in=f32[1,8];i64[5] out=f32[5,8]", one_row)).facts.dtype == "f32");
  const Model quotient =
      one_node("Div", {tensor_of("a", {5}, i64), tensor_of("b", {5}, i64)}, tensor_of("y", {5}, i64));
  CHECK(run_item(item_of("Div in=i64[5];i64[5] out=i64[5]", quotient)).facts.dtype == "i64");
}

TEST_CASE("what ONNX Runtime refuses is told in its words, in one line") {
  if (loaded_onnxruntime() == nullptr) return;
  const Model unknown = one_node("Frobnicate", {tensor_of("a", {5})}, tensor_of("y", {5}));
  const std::string why = refusal(item_of("Frobnicate in=f32[5] out=f32[5]", unknown));
  CHECK(why.find("Frobnicate") != std::string::npos);
  CHECK(why.find('\n') == std::string::npos);
  WorkItem damaged = item_of("Frobnicate in=f32[5] out=f32[5]", unknown);
  damaged.model.resize(damaged.model.size() / 2);
  CHECK_FALSE(refusal(damaged).empty());
  damaged.model.clear();
  CHECK(refusal(damaged) == "no node of this type: it runs nodes as the model has them");
}

TEST_CASE("copies of a node read the same and write values of their own") {
  NodeModel node;
  const Model model = one_node("Relu", {tensor_of("a", {4})}, tensor_of("y", {4}));
  REQUIRE(make_node_model(write_model(model), {}, 1, &node).ok());
  const NodeModel three = node.repeated(3);
  REQUIRE(three.model.graph.nodes.size() == 3);
  CHECK(three.model.graph.nodes[2].inputs == std::vector<std::string>{"a"});
  CHECK(three.outputs == std::vector<std::string>{"y", "y/1", "y/2"});
  CHECK(three.inputs.size() == 1);
}

TEST_CASE("copies of a group read inputs of their own, so that no node serves two of them") {
  NodeModel node;
  Model model = one_node("Relu", {tensor_of("a", {4})}, tensor_of("y", {4}));
  Node second = model.graph.nodes[0];
  second.inputs = {"y", ""};
  second.outputs = {"z"};
  model.graph.nodes.push_back(second);
  model.graph.outputs = {tensor_of("z", {4})};
  REQUIRE(make_node_model(write_model(model), {}, 1, &node).ok());
  const NodeModel three = node.repeated(3);
  REQUIRE(three.model.graph.nodes.size() == 6);
  CHECK(three.model.graph.nodes[4].inputs == std::vector<std::string>{"a/2"});
  CHECK(three.model.graph.nodes[5].inputs == std::vector<std::string>{"y/2", ""});
  CHECK(three.outputs == std::vector<std::string>{"z", "z/1", "z/2"});
  CHECK(three.model.graph.outputs.size() == 3);
  REQUIRE(three.inputs.size() == 3);
  CHECK(three.model.graph.inputs.size() == 3);
  CHECK(three.inputs[2].name == "a/2");
  CHECK(three.inputs[2].memory == three.inputs[0].memory);
}

TEST_CASE("a profile gives the time of the nodes by run, without changes of layout") {
  const auto event = [](const char* type, int microseconds) {
    return R"({"cat":"Node","name":"n_kernel_time","dur":)" + std::to_string(microseconds) + R"(,"args":{"op_name":")" +
           type + R"(","provider":"CPUExecutionProvider"}},)";
  };
  const std::string end = R"({"cat":"Session","name":"model_run","dur":99})";
  OrtProfile profile;
  REQUIRE(parse_ort_profile("[" + event("ReorderInput", 5) + event("Conv", 30) + event("ReorderOutput", 7) + end + "," +
                                event("Conv", 31) + event("MemcpyToHost", 2) + event("Relu", 4) + end + "]",
                            false, &profile)
              .ok());
  CHECK(profile.runs_us == std::vector<int64_t>{30, 35});
  CHECK(profile.has_blocked_layout);
  CHECK(profile.nodes == std::vector<OrtNode>{{"Conv", "CPUExecutionProvider"}});

  const std::string transposed =
      "[" + event("Transpose", 5) + event("QLinearConv", 30) + event("Transpose", 7) + end + "]";
  OrtProfile without;
  REQUIRE(parse_ort_profile(transposed, false, &without).ok());
  CHECK(without.runs_us == std::vector<int64_t>{30});
  CHECK(without.has_channels_last);
  OrtProfile with;
  REQUIRE(parse_ort_profile(transposed, true, &with).ok());
  CHECK(with.runs_us == std::vector<int64_t>{42});

  OrtProfile none;
  CHECK_FALSE(parse_ort_profile("[" + event("Conv", 30), false, &none).ok());
  CHECK_FALSE(parse_ort_profile("[]", false, &none).ok());
  CHECK_FALSE(parse_ort_profile(R"([1,{"cat":7},{"cat":"Node","name":"x_kernel_time","dur":"y"}])", false, &none).ok());
}

TEST_CASE("numbers become elements of any type and come back") {
  const std::vector<float> values{0, 1, -2.5f, 300, -1e10f};
  const auto round = [&](ElementType type) {
    std::vector<char> bytes(values.size() * 8);
    write_elements(values, type, bytes.data());
    return read_elements(bytes.data(), values.size(), type);
  };
  CHECK(round(ElementType::kF32) == values);
  CHECK(round(ElementType::kF64) == values);
  CHECK(round(ElementType::kI8) == std::vector<float>{0, 1, -2, 127, -128});
  CHECK(round(ElementType::kU8) == std::vector<float>{0, 1, 0, 255, 0});
  CHECK(round(ElementType::kI64) == std::vector<float>{0, 1, -2, 300, -1e10f});
  CHECK(round(ElementType::kBool) == std::vector<float>{0, 1, 1, 1, 1});
  CHECK(round(ElementType::kF16)[2] == -2.5f);
  CHECK(round(ElementType::kF16)[3] == 300);
  CHECK(round(ElementType::kBf16)[2] == -2.5f);
  CHECK_FALSE(has_plain_bytes(ElementType::kString));
  CHECK_FALSE(has_plain_bytes(ElementType::kI4));
}

}  // namespace xsp::bound
