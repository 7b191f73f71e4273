#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {
namespace {

/// Weights are inputs, as in models without them.
std::string convolved(ModelBuilder* model, const std::string& image, int64_t channels) {
  return model->node("Conv", {image, model->input({channels, channels, 1, 1})});
}

std::string normalized(ModelBuilder* model, const std::string& image, int64_t channels) {
  std::vector<std::string> inputs{image};
  for (int i = 0; i < 4; ++i) inputs.push_back(model->input({channels}));
  return model->node("BatchNormalization", inputs);
}

std::string conv_problem(int bias, const std::string& post) {
  return "conv src=1x8x4x4 wei=8x8x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=" + std::to_string(bias) +
         " post=" + post + " dtype=f32";
}

}  // namespace

TEST_CASE("a convolution takes its batch normalization, the sum and the activation, each prefix a candidate") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string sum =
      model.node("Add", {normalized(&model, convolved(&model, image, 8), 8), model.input({1, 8, 4, 4})});
  model.node("Relu", {sum});
  const auto groups = found_groups(model);
  CHECK(texts_of(groups) ==
        std::vector<std::string>{"Conv+BatchNormalization+Add+Relu: " + conv_problem(1, "add+relu"),
                                 "Conv+BatchNormalization+Add: " + conv_problem(1, "add"),
                                 "Conv+BatchNormalization: " + conv_problem(1, ""),
                                 "Add+Relu: binary alg=add src0=1x8x4x4 src1=1x8x4x4 post=relu dtype=f32"});
  CHECK(groups[0].layers == std::vector<size_t>{0, 1, 2, 3});
  CHECK(groups[0].outer_operand == kNoLayer);
  CHECK(groups[0].inner_operand == 1);
  CHECK(groups[2].inner_operand == kNoLayer);
  // 8 products for each of 128 results, the bias, and the sum.
  CHECK(groups[0].flops == 2.0 * 8 * 128 + 128 + 128);
  CHECK(groups[0].bytes == 4.0 * (128 + 64 + 8 + 128 + 128));
}

TEST_CASE("a sum of two convolutions is a candidate for both, and says which branch it would wait for") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string left = convolved(&model, image, 8);
  const std::string right = convolved(&model, image, 8);
  model.node("Add", {left, right});
  const auto groups = found_groups(model);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].layers == std::vector<size_t>{0, 2});
  CHECK(groups[0].inner_operand == 0);
  CHECK(groups[0].outer_operand == 1);
  CHECK(groups[1].layers == std::vector<size_t>{1, 2});
  CHECK(groups[1].inner_operand == 1);
  CHECK(groups[1].outer_operand == 0);
}

TEST_CASE("a result that others read, or that the graph gives out, ends the group") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string result = convolved(&model, image, 8);
  const std::string rectified = model.node("Relu", {result});
  SECTION("another layer reads it") {
    model.node("MatMul", {result, rectified});
    CHECK(found_groups(model).empty());
  }
  SECTION("it is an output of the graph") {
    model.output(result);
    CHECK(found_groups(model).empty());
  }
  SECTION("what reads it leads nowhere") {
    model.node("Exp", {result});
    model.output(rectified);
    CHECK(texts_of(find_fusions(taken_apart(model))) ==
          std::vector<std::string>{"Conv+Relu: " + conv_problem(0, "relu")});
  }
  SECTION("nothing else does") { CHECK(found_groups(model).size() == 1); }
}

TEST_CASE("layers that pass a value on belong to the group, and are not in its name") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string passed = model.node("Identity", {convolved(&model, image, 8)});
  model.node("Relu", {model.node("Dropout", {passed})});
  const auto groups = found_groups(model);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].pattern == "Conv+Relu");
  CHECK(groups[0].layers == std::vector<size_t>{0, 1, 2, 3});
}

TEST_CASE("statistics that are computed from the image do not fold into weights") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string mean = model.node("Reshape", {model.node("GlobalAveragePool", {image}), model.integers({8})});
  const std::string scale = model.node("Exp", {mean});
  std::vector<std::string> inputs{convolved(&model, image, 8), scale};
  for (int i = 0; i < 3; ++i) inputs.push_back(model.input({8}));
  model.node("BatchNormalization", inputs);
  CHECK(found_groups(model).empty());
}

TEST_CASE("a row of channels behind a convolution is a bias") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  const std::string scaled = model.node("Mul", {convolved(&model, image, 8), model.input({8, 1, 1})});
  model.node("Add", {model.input({1, 8, 1, 1}), scaled});
  const auto groups = found_groups(model);
  CHECK(longest(groups, "convolution") == conv_problem(1, ""));
  SECTION("a row of columns is not") {
    ModelBuilder other;
    other.node("Add", {convolved(&other, other.input({1, 8, 4, 4}), 8), other.input({4})});
    CHECK(found_groups(other).empty());
  }
}

TEST_CASE("transposed convolutions and bounds of activations are fused, too") {
  ModelBuilder model(13);
  const std::string image = model.input({1, 8, 4, 4});
  const std::string result = model.node("ConvTranspose", {image, model.input({8, 4, 2, 2})});
  model.node("Clip", {result, model.number(0), model.number(6)});
  CHECK(longest(model, "convolution") ==
        "deconv src=1x8x4x4 wei=8x4x2x2 strides=1x1 pads=0,0,0,0 dil=1x1 outpad=0x0 groups=1 bias=0 post=clip(0,6) "
        "dtype=f32");
}

}  // namespace xsp::bound::test
