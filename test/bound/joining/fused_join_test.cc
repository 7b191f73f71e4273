#include "test/bound/joining/joined_model.h"

namespace xsp::bound {
namespace {

using namespace test;

/// x·W + b, then GELU by Erf, then x + that, then a normalization of the sum, all decomposed.
LayeredModel encoder_end() {
  NamedModel model;
  const std::string x = model.node("/start/MatMul", "MatMul", {model.input({4, 8}), model.weight({8, 8})});
  const std::string product = model.node("/up/MatMul", "MatMul", {x, model.weight({8, 8})});
  const std::string biased = model.node("/up/Add", "Add", {product, model.weight({8})});
  const std::string scaled = model.node("/Div", "Div", {biased, model.builder().number(1.4142135)});
  const std::string error = model.node("/Erf", "Erf", {scaled});
  const std::string one_more = model.node("/Add_1", "Add", {error, model.builder().number(1)});
  const std::string gated = model.node("/Mul", "Mul", {biased, one_more});
  const std::string gelu = model.node("/Mul_1", "Mul", {gated, model.builder().number(0.5)});
  const std::string sum = model.node("/Add_2", "Add", {gelu, x});
  const std::string mean = model.node("/norm/ReduceMean", "ReduceMean", {sum}, {integers_attribute("axes", {-1})});
  const std::string centred = model.node("/norm/Sub", "Sub", {sum, mean});
  const std::string square = model.node("/norm/Pow", "Pow", {centred, model.builder().number(2)});
  const std::string variance =
      model.node("/norm/ReduceMean_1", "ReduceMean", {square}, {integers_attribute("axes", {-1})});
  const std::string safe = model.node("/norm/Add", "Add", {variance, model.builder().number(1e-5)});
  const std::string deviation = model.node("/norm/Sqrt", "Sqrt", {safe});
  const std::string normal = model.node("/norm/Div", "Div", {centred, deviation});
  const std::string weighted = model.node("/norm/Mul", "Mul", {normal, model.weight({8})});
  const std::string shifted = model.node("/norm/Add_1", "Add", {weighted, model.weight({8})});
  model.output(model.node("/down/MatMul", "MatMul", {shifted, model.weight({8, 8})}));
  return model.layers();
}

constexpr const char* kGelu = "/Div+/Erf+/Add_1+/Mul+/Mul_1";
constexpr const char* kNorm =
    "/Add_2+/norm/ReduceMean+/norm/Sub+/norm/Pow+/norm/ReduceMean_1+/norm/Add+/norm/Sqrt+/norm/Div+/norm/Mul+/norm/"
    "Add_1";

}  // namespace

TEST_CASE("a normalization and a GELU without names get the layers that only they can have run") {
  const Joined joined(onnxruntime_run({{"/start/MatMul", "MatMul", "[4,8]"},
                                       {"/up/MatMul/MatMulAddFusion", "Gemm", "[4,8]"},
                                       {"gemm_output_reshape", "Reshape", "[1,4,8]"},
                                       {"Gelu_token_138", "Gelu", "[4,8]"},
                                       {"SkipLayerNormalization", "SkipLayerNormalization", "[4,8]"},
                                       {"/down/MatMul", "MatMul", "[4,8]"}}),
                      encoder_end());
  CHECK(joined.layers()[1] == "/up/MatMul+/up/Add");
  CHECK(joined.layers()[2].empty());
  CHECK(joined.layers()[3] == kGelu);
  CHECK(joined.layers()[4] == kNorm);
  CHECK(joined.joined.notes == Texts{"1 layer of the trace (0.1000 ms) has no counterpart in the model: Reshape"});
}

TEST_CASE("a bias that the runtime adds in the GELU belongs to that") {
  const Joined joined(onnxruntime_run({{"/start/MatMul", "MatMul", "[4,8]"},
                                       {"/up/MatMul", "MatMul", "[4,8]"},
                                       {"BiasGelu", "BiasGelu", "[4,8]"},
                                       {"SkipLayerNormalization", "SkipLayerNormalization", "[4,8]"},
                                       {"/down/MatMul", "MatMul", "[4,8]"}}),
                      encoder_end());
  CHECK(joined.layers()[1] == "/up/MatMul");
  CHECK(joined.layers()[2] == "/up/Add+" + std::string(kGelu));
  CHECK(joined.layers()[3] == kNorm);
}

TEST_CASE("a candidate of fusion stands for a normalization among others that could be there") {
  LayeredModel model = encoder_end();
  FusedGroup group;
  group.rule = "add+layernorm";
  for (size_t i = 0; i < model.layers.size(); ++i)
    if (model.layers[i].name == "/Add_2" || model.layers[i].name.starts_with("/norm/")) group.layers.push_back(i);
  const Joined joined(onnxruntime_run({{"/start/MatMul", "MatMul", "[4,8]"},
                                       {"/up/MatMul/MatMulAddFusion", "Gemm", "[4,8]"},
                                       {"Gelu", "Gelu", "[4,8]"},
                                       {"SkipLayerNormalization", "SkipLayerNormalization", "[4,8]"},
                                       {"/down/MatMul", "MatMul", "[4,8]"}}),
                      model, {group});
  CHECK(joined.layers()[3] == kNorm);
  CHECK(joined.layers()[2] == kGelu);
}

TEST_CASE("a program that calls each operator fuses nothing: what it has no layer for was not found") {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 8});
  const std::string first = model.node("/Relu", "Relu", {model.conv("/conv1/Conv", x, 8, 8)});
  model.output(model.node("/Add", "Add", {model.conv("/conv2/Conv", first, 8, 8), first}));
  MadeRun run = pytorch_run({{"conv1", "Conv2d", "[1,8,8,8]"}, {"conv2", "Conv2d", "[1,8,8,8]"}});
  run.input = "[1,8,8,8]";
  const Joined joined(run, model.layers());
  CHECK(joined.layers() == Texts{"/conv1/Conv", "/conv2/Conv"});
  CHECK(
      joined.joined.notes ==
      Texts{"2 layers of the model with work were not found in the trace, most often Add: the trace has no layers for "
            "functional operators"});
}

TEST_CASE("a padding goes to the pooling that alone reads it") {
  NamedModel model;
  const std::string x = model.conv("/conv/Conv", model.input({1, 8, 8, 8}), 8, 8);
  const std::string padded = model.node("/Pad", "Pad", {x, model.builder().integers({0, 0, 1, 1, 0, 0, 1, 1})});
  model.output(model.node("/pool/MaxPool", "MaxPool", {padded}, {integers_attribute("kernel_shape", {3, 3})}));
  const Joined joined(onnxruntime_run({{"/conv/Conv", "Conv", "[1,8,8,8]"}, {"/pool/MaxPool", "MaxPool", "[1,8,8,8]"}}),
                      model.layers());
  CHECK(joined.layers() == Texts{"/conv/Conv", "/Pad+/pool/MaxPool"});
}

}  // namespace xsp::bound
