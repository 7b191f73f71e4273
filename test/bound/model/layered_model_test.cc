#include "bound/model/layered_model.h"

#include "bound/onnx/model_file.h"
#include "bound/problems/plain_values.h"
#include "test/bound/model/taken_apart.h"

namespace xsp::bound {
namespace {

using test::integer_attribute;
using test::integers_attribute;
using test::ModelBuilder;
using test::taken_apart;
using test::text_attribute;

Model model_of(const UniqueLayer& unique) {
  Model model;
  const Status status = parse_model(unique.model, &model);
  INFO(status.error);
  REQUIRE(status.ok());
  return model;
}

LayerClass class_of_last(const ModelBuilder& builder) { return taken_apart(builder).layers.back().layer_class; }

/// Two branches of ReLUs behind a convolution, joined again.
ModelBuilder diamond() {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8});
  const std::string stem = builder.node("Conv", {image, builder.input({4, 4, 1, 1})});
  const std::string left = builder.node("Relu", {stem});
  const std::string right = builder.node("Relu", {stem});
  builder.output(builder.node("Add", {left, right}));
  return builder;
}

}  // namespace

TEST_CASE("layers with one problem are one unique layer, in order of the first") {
  const LayeredModel model = taken_apart(diamond());
  CHECK(model.name == "model");
  REQUIRE(model.layers.size() == 4);
  REQUIRE(model.unique.size() == 3);
  CHECK(model.layers[1].unique == 1);
  CHECK(model.layers[2].unique == 1);
  CHECK(model.unique[1].first == 1);
  CHECK(model.unique[1].layers == 2);
  CHECK(model.unique[1].problem == model.layers[2].problem);
  CHECK(model.multiply_adds == 4 * 4 * 64);
}

TEST_CASE("a layer knows the layers whose outputs it reads, once each") {
  ModelBuilder builder = diamond();
  const std::string twice = builder.model().graph.nodes[3].outputs[0];
  builder.node("Mul", {twice, twice});
  const LayeredModel model = taken_apart(builder);
  CHECK(model.layers[0].producers.empty());
  CHECK(model.layers[1].producers == std::vector<size_t>{0});
  CHECK(model.layers[3].producers == std::vector<size_t>{1, 2});
  CHECK(model.layers[4].producers == std::vector<size_t>{3});
}

TEST_CASE("what a subgraph reads of the graph around it, its node reads") {
  ModelBuilder builder;
  const std::string condition = builder.input({}, ElementType::kBool);
  const std::string inner = builder.node("Relu", {builder.input({4})});
  Attribute then_branch, else_branch;
  for (Attribute* branch : {&then_branch, &else_branch}) {
    branch->name = branch == &then_branch ? "then_branch" : "else_branch";
    branch->kind = Attribute::Kind::kGraph;
    ModelBuilder body;
    body.output(body.node("Tanh", {inner}));
    branch->graphs.push_back(body.model().graph);
    for (Node& node : branch->graphs[0].nodes) node.outputs[0] += branch->name;
    branch->graphs[0].outputs[0].name += branch->name;
  }
  builder.output(builder.node("If", {condition}, {then_branch, else_branch}));
  const LayeredModel model = taken_apart(builder);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[1].layer_class == LayerClass::kControl);
  CHECK(model.layers[1].producers == std::vector<size_t>{0});
  CHECK(model.layers[1].reason.find("If") != std::string::npos);
}

TEST_CASE("a layer without a name has that of its first output") {
  ModelBuilder builder;
  const std::string value = builder.node("Relu", {builder.input({4})});
  builder.last_node().name.clear();
  CHECK(taken_apart(builder).layers[0].name == value);
}

TEST_CASE("layers that cost nothing have a problem but neither work nor a model") {
  ModelBuilder builder;
  const std::string image = builder.input({2, 3, 4});
  builder.node("Reshape", {image, builder.integers({2, 12})});
  const LayeredModel model = taken_apart(builder);
  REQUIRE(model.layers.size() == 1);
  CHECK(model.layers[0].layer_class == LayerClass::kZero);
  CHECK(model.layers[0].problem == "Reshape in=f32[2,3,4];i64[2] out=f32[2,12] const1=2,12");
  CHECK_FALSE(model.layers[0].flops);
  CHECK_FALSE(model.layers[0].bytes);
  REQUIRE(model.unique.size() == 1);
  CHECK(model.unique[0].model.empty());
}

TEST_CASE("classes follow from the operator, and of some from their settings") {
  ModelBuilder moved;
  moved.node("Transpose", {moved.input({2, 3})});
  CHECK(class_of_last(moved) == LayerClass::kMovement);

  for (const int64_t target : {1, 10}) {
    ModelBuilder cast;
    cast.node("Cast", {cast.input({2, 3})}, {integer_attribute("to", target)});
    CHECK(class_of_last(cast) == (target == 1 ? LayerClass::kZero : LayerClass::kCompute));
  }

  ModelBuilder dropout;
  dropout.node("Dropout", {dropout.input({2, 3})});
  CHECK(class_of_last(dropout) == LayerClass::kZero);

  for (const std::string mode : {"nearest", "linear"}) {
    ModelBuilder resize;
    const std::string image = resize.input({1, 1, 2, 2});
    resize.node("Resize", {image, "", resize.numbers({1, 1, 2, 2})}, {text_attribute("mode", mode)});
    CHECK(class_of_last(resize) == (mode == "nearest" ? LayerClass::kMovement : LayerClass::kCompute));
  }

  ModelBuilder of_shapes;
  const std::string shape = of_shapes.node("Shape", {of_shapes.input({2, 3})});
  of_shapes.node("Mul", {shape, of_shapes.integers({2, 2})});
  CHECK(class_of_last(of_shapes) == LayerClass::kZero);
}

TEST_CASE("what lies behind an unknown operator is unknown, with the operator named") {
  ModelBuilder builder;
  builder.model().opsets["com.acme"] = 1;
  const std::string foreign = builder.node("Foo", {builder.input({4})}, {}, "com.acme");
  builder.output(builder.node("Relu", {foreign}));
  const LayeredModel model = taken_apart(builder);
  REQUIRE(model.layers.size() == 2);
  for (const Layer& layer : model.layers) {
    CHECK(layer.layer_class == LayerClass::kUnknown);
    CHECK(layer.reason.find("com.acme.Foo") != std::string::npos);
    CHECK(layer.unique == kNoProblem);
    CHECK(layer.problem.empty());
  }
  CHECK(model.layers[0].type == "com.acme.Foo");
  CHECK(model.unique.empty());
}

TEST_CASE("the model of a layer has its operands as inputs, in the order of the problem's") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8});
  const std::string weight = builder.numbers(std::vector<double>(16, 1));
  builder.model().graph.initializers.back().dimensions = {4, 4, 1, 1};
  const std::string bias = builder.numbers({1, 2, 3, 4});
  builder.node("Conv", {image, weight, bias});
  const LayeredModel layered = taken_apart(builder);
  const Model model = model_of(layered.unique.at(0));
  CHECK(model.ir_version == 8);
  CHECK(model.opset("") == 17);
  REQUIRE(model.graph.nodes.size() == 1);
  CHECK(model.graph.initializers.empty());
  const auto operands = make_operands(*Problem::parse(layered.unique[0].problem));
  REQUIRE(model.graph.inputs.size() == operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<int64_t> dimensions;
    for (const Dimension& dimension : model.graph.inputs[i].dimensions) dimensions.push_back(dimension.size);
    CHECK(dimensions == operands[i].dimensions);
    CHECK(model.graph.nodes[0].inputs[i] == model.graph.inputs[i].name);
  }
}

TEST_CASE("settings are constants in the model of a layer, and scales of quantized operators are 1") {
  ModelBuilder reduced(18);
  const std::string source = reduced.input({2, 3});
  reduced.node("ReduceMean", {source, reduced.integers({1})});
  const Model reduction = model_of(taken_apart(reduced).unique.at(0));
  CHECK(reduction.graph.inputs.size() == 1);
  REQUIRE(reduction.graph.initializers.size() == 1);
  CHECK(reduction.graph.initializers[0].integers == std::vector<int64_t>{1});

  ModelBuilder quantized;
  const std::string image = quantized.input({5, 6}, ElementType::kU8);
  const std::string weight = quantized.input({6, 7}, ElementType::kI8);
  const std::string scale = quantized.number(0.25);
  const std::string zero = quantized.input({}, ElementType::kU8);
  const std::string weight_zero = quantized.input({}, ElementType::kI8);
  quantized.node("QLinearMatMul", {image, scale, zero, weight, scale, weight_zero, scale, zero});
  const Model product = model_of(taken_apart(quantized).unique.at(0));
  CHECK(product.graph.inputs.size() == 2);
  CHECK(product.graph.initializers.size() == 6);
  for (const ConstantTensor& constant : product.graph.initializers) {
    if (constant.element == ElementType::kF32) {
      CHECK(constant.numbers == std::vector<double>{1});
    } else {
      CHECK(constant.integers == std::vector<int64_t>{0});
    }
  }
}

TEST_CASE("models that are older or newer than runtimes read are written in a version that they do read") {
  for (const int64_t version : {3, 8, 13}) {
    ModelBuilder builder;
    builder.model().ir_version = version;
    builder.node("Relu", {builder.input({4})});
    CHECK(model_of(taken_apart(builder).unique.at(0)).ir_version == std::clamp<int64_t>(version, 4, 10));
  }
}

TEST_CASE("a square reads its one operand twice") {
  ModelBuilder builder;
  const std::string x = builder.input({4});
  builder.node("Mul", {x, x});
  const Model model = model_of(taken_apart(builder).unique.at(0));
  REQUIRE(model.graph.inputs.size() == 1);
  CHECK(model.graph.nodes[0].inputs == std::vector<std::string>{"x0", "x0"});
}

TEST_CASE("an operator keeps outputs that nothing reads where its problem is the general one") {
  ModelBuilder builder;
  const std::string source = builder.input({3, 4});
  builder.output(builder.node("TopK", {source, builder.integers({2})}, {}, "", 2));
  const Model model = model_of(taken_apart(builder).unique.at(0));
  CHECK(model.graph.nodes[0].outputs.size() == 2);
  CHECK(model.graph.outputs.size() == 2);
}

TEST_CASE("what no output of the model needs costs nothing, as runtimes drop it, and is not read by what is needed") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8});
  const std::string stem = builder.node("Relu", {image});
  const std::string dropped = builder.node("Conv", {stem, builder.input({4, 4, 3, 3})});
  builder.node("Tanh", {dropped});
  const std::string pooled = builder.node("MaxPool", {stem}, {integers_attribute("kernel_shape", {2, 2})}, "", 2);
  builder.node("Foo", {pooled + ".1"}, {}, "com.acme");
  builder.model().opsets["com.acme"] = 1;
  builder.output(pooled);
  const LayeredModel model = taken_apart(builder);
  REQUIRE(model.layers.size() == 5);
  CHECK(model.layers[0].layer_class == LayerClass::kCompute);
  for (const size_t index : {1, 2, 4}) {
    CHECK(model.layers[index].layer_class == LayerClass::kZero);
    CHECK(model.layers[index].reason.empty());
    CHECK_FALSE(model.layers[index].flops);
  }
  // Nothing that is needed reads its indices.
  CHECK(model.layers[3].problem.starts_with("maxpool "));
  CHECK(model.multiply_adds == 0);
  CHECK(model.notes == std::vector<std::string>{"3 layers compute what nothing reads; they cost nothing"});

  builder.model().graph.outputs.clear();
  CHECK(taken_apart(builder).notes.empty());
  CHECK(taken_apart(builder).layers[1].layer_class == LayerClass::kCompute);
}

TEST_CASE("a unique layer is that of a layer with work, also where one without work has the same problem before it") {
  ModelBuilder builder;
  const std::string table = builder.input({10, 4});
  const std::string rows = builder.input({2}, ElementType::kI64);
  builder.node("Gather", {table, rows});
  builder.output(builder.node("Gather", {table, rows}));
  const LayeredModel model = taken_apart(builder);
  REQUIRE(model.unique.size() == 1);
  CHECK(model.unique[0].layers == 2);
  CHECK(model.unique[0].first == 1);
  CHECK(model_of(model.unique[0]).graph.nodes[0].type == "Gather");
}

TEST_CASE("a node of very many inputs becomes a model with each of them once, and short texts") {
  constexpr size_t kInputs = 200'000;
  ModelBuilder builder;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < kInputs; ++i) inputs.push_back(builder.input({1}));
  inputs.push_back(inputs[7]);
  builder.node("Max", inputs);
  const LayeredModel layered = taken_apart(builder);
  const Model model = model_of(layered.unique.at(0));
  CHECK(model.graph.inputs.size() == kInputs);
  CHECK(model.graph.nodes[0].inputs.back() == "x7");
  CHECK(layered.layers[0].inputs.size() < 2000);
  CHECK(layered.layers[0].problem.size() < 3000);
}

TEST_CASE("errors are those of the file and of its shapes") {
  LayeredModel model;
  CHECK(take_apart("/nowhere/model.onnx", {}, &model).exit_code == 3);
  ModelBuilder builder;
  builder.node("MatMul", {builder.input({2, 3}), builder.input({4, 5})});
  const test::ModelFolder folder;
  CHECK(take_apart(folder.write("m.onnx", builder.model()), {}, &model).exit_code == 3);
}

}  // namespace xsp::bound
