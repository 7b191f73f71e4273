#include "test/bound/joining/joined_model.h"

namespace xsp::bound {
namespace {

using namespace test;

/// conv+relu, twice, with a pooling and a product behind them, under names that no program knows.
LayeredModel nameless_model() {
  NamedModel model;
  const std::string x = model.input({1, 3, 8, 8});
  const std::string first = model.node("n1", "Relu", {model.conv("n0", x, 3, 8)});
  const std::string second = model.node("n3", "Relu", {model.conv("n2", first, 8, 16)});
  const std::string pooled = model.node("n4", "GlobalAveragePool", {second});
  const std::string flat = model.node("n5", "Flatten", {pooled});
  const std::string product = model.node("n6", "MatMul", {flat, model.weight({16, 10})});
  model.output(model.node("n7", "Add", {product, model.weight({10})}));
  return model.layers();
}

const std::vector<MadeLayer> kModules = {{"a", "Conv2d", "[1,8,8,8]"},
                                         {"b", "BatchNorm2d", "[1,8,8,8]"},
                                         {"c", "ReLU", "[1,8,8,8]"},
                                         {"d", "Conv2d", "[1,16,8,8]"},
                                         {"e", "BatchNorm2d", "[1,16,8,8]"},
                                         {"f", "ReLU", "[1,16,8,8]"},
                                         {"g", "AdaptiveAvgPool2d", "[1,16,1,1]"},
                                         {"h", "Linear", "[1,10]"}};

}  // namespace

TEST_CASE("modules are aligned with nodes by family and shape, and folded normalizations are counted") {
  const Joined joined(pytorch_run(kModules), nameless_model());
  CHECK(joined.layers() == Texts{"n0", "", "n1", "n2", "", "n3", "n4", "n6+n7"});
  CHECK(joined.joined.layers[0].joined_by == JoinedBy::kSequence);
  CHECK(joined.joined.framework == "pytorch");
  CHECK(
      joined.joined.notes ==
      Texts{
          "2 layers of the trace (0.2000 ms) have no counterpart in the model, all of them BatchNorm2d; the model has "
          "no batch normalizations of its own: the export put the trace's 2 into convolutions"});
}

TEST_CASE("layers of TensorFlow have their channels last") {
  MadeRun run = pytorch_run({{"x", "Conv2D", "[1,8,8,8]"},
                             {"y", "Relu", "[1,8,8,8]"},
                             {"z", "Conv2D", "[1,8,8,16]"},
                             {"u", "Relu", "[1,8,8,16]"},
                             {"v", "Mean", "[1,16]"},
                             {"w", "MatMul", "[1,10]"}});
  run.root = Kind::kRun;
  run.layer = Kind::kOperator;
  const Joined joined(run, nameless_model());
  CHECK(joined.layers() == Texts{"n0", "n1", "n2", "n3", "", "n6"});
}

TEST_CASE("without shapes the order of families decides, and calls that tell no more than pooling are poolings") {
  MadeRun run = pytorch_run({{"cudnnConvolutionForward", "cudnn"},
                             {"cudnnActivationForward", "cudnn"},
                             {"cudnnConvolutionForward", "cudnn"},
                             {"cudnnAddTensor", "cudnn"},
                             {"cudnnActivationForward", "cudnn"},
                             {"cudnnPoolingForward", "cudnn"},
                             {"cublasSgemm_v2", "cublas"}});
  run.root = Kind::kRun;
  run.layer = Kind::kLibraryCall;
  const Joined joined(run, nameless_model());
  CHECK(joined.layers() == Texts{"n0", "n1", "n2", "", "n3", "n4", "n6"});
}

TEST_CASE("branches that ran in another order are found by their shapes") {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 8});
  Texts branches;
  for (const int64_t channels : {4, 12, 20})
    branches.push_back(model.conv("b" + std::to_string(channels), x, 8, channels));
  model.output(model.node("end", "Concat", branches, {integer_attribute("axis", 1)}));
  MadeRun run = pytorch_run({{"p", "Conv2d", "[1,20,8,8]"},
                             {"q", "Conv2d", "[1,4,8,8]"},
                             {"r", "Conv2d", "[1,12,8,8]"},
                             {"s", "aten::cat", "[1,36,8,8]"}});
  run.input = "[1,8,8,8]";
  CHECK(Joined(run, model.layers()).layers() == Texts{"b20", "b4", "b12", "end"});
}

TEST_CASE("a layer cannot run before what it reads") {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 8});
  const std::string first = model.conv("first", x, 8, 8);
  const std::string second = model.conv("second", first, 8, 16);
  model.output(model.conv("third", second, 16, 8));
  // Of the other two only the order of shapes tells: 16 channels cannot come behind both others.
  MadeRun run =
      pytorch_run({{"a", "Conv2d", "[1,8,8,8]"}, {"b", "Conv2d", "[1,8,8,8]"}, {"c", "Conv2d", "[1,16,8,8]"}});
  run.input = "[1,8,8,8]";
  const MadeTrace trace(run);
  JoinedTrace joined;
  const LayeredModel layers = model.layers();
  REQUIRE(join_trace(*trace, layers, {}, &joined).ok());
  for (size_t i = 0; i < layers.layers.size(); ++i)
    for (const size_t producer : layers.layers[i].producers) {
      const size_t own = joined.trace_layer_of[i];
      const size_t before = joined.trace_layer_of[producer];
      if (own != kNoLayer && before != kNoLayer) CHECK(before < own);
    }
}

TEST_CASE("modules run all nodes of their name, and calls of one module those with its number") {
  NamedModel model;
  const std::string x = model.input({2, 8});
  const std::string product = model.node("/block/block.0/MatMul", "MatMul", {x, model.weight({8, 8})});
  const std::string biased = model.node("/block/block.0/Add", "Add", {product, model.weight({8})});
  const std::string first = model.node("/act/Relu", "Relu", {biased});
  const std::string gate = model.node("/gate/Sigmoid", "Sigmoid", {first});
  const std::string gated = model.node("/gate/Mul", "Mul", {first, gate});
  const std::string sum = model.node("/Add", "Add", {gated, first});
  model.output(model.node("/act_1/Relu", "Relu", {sum}));
  MadeRun run = pytorch_run({{"block.0", "Linear", "[2,8]"},
                             {"act", "ReLU", "[2,8]"},
                             {"gate", "SiLU", "[2,8]"},
                             {"aten::add", "aten::add", "[2,8]", {100}, Kind::kOperator},
                             {"act", "ReLU", "[2,8]"}});
  run.input = "[2,8]";
  const Joined joined(run, model.layers());
  CHECK(joined.layers() == Texts{"/block/block.0/MatMul+/block/block.0/Add", "/act/Relu", "/gate/Sigmoid+/gate/Mul",
                                 "/Add", "/act_1/Relu"});
  for (const TraceLayer& layer : joined.joined.layers) CHECK(layer.joined_by == JoinedBy::kName);
}

TEST_CASE("layers of Keras lack the model's name, and did not run what a converter put beside them") {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 3});
  const std::string turned =
      model.node("net/first/Conv2D__5", "Transpose", {x}, {integers_attribute("perm", {0, 3, 1, 2})});
  const std::string first = model.conv("net/first/Conv2D", turned, 3, 8);
  const std::string active = model.node("net/first/Relu", "Relu", {first});
  const std::string pooled = model.node("net/pool/Mean", "GlobalAveragePool", {active});
  model.output(pooled);
  MadeRun run = pytorch_run({{"first", "Conv2D", "[1,8,8,8]"}, {"pool", "GlobalAveragePooling2D", "[1,8]"}});
  run.root = Kind::kRun;
  run.root_type = "TensorFlow function";
  run.input = "[1,8,8,3]";
  const Joined joined(run, model.layers());
  CHECK(joined.joined.framework == "tensorflow");
  CHECK(joined.layers() == Texts{"net/first/Conv2D+net/first/Relu", "net/pool/Mean"});
}

}  // namespace xsp::bound
