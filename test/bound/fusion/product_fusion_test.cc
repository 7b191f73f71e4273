#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {

TEST_CASE("a product takes a bias, a sum and an activation") {
  ModelBuilder model;
  const std::string product = model.node("MatMul", {model.input({1, 4, 8}), model.input({8, 16})});
  const std::string biased = model.node("Add", {model.input({16}), product});
  const std::string residual = model.input({1, 4, 16});
  SECTION("all of them") {
    model.node("Tanh", {model.node("Add", {biased, residual})});
    const auto groups = found_groups(model);
    REQUIRE(groups.size() >= 3);
    CHECK(groups[0].problem == "matmul src=4x8 wei=8x16 ta=0 tb=0 bias=16 post=add+tanh dtype=f32");
    CHECK(groups[1].problem == "matmul src=4x8 wei=8x16 ta=0 tb=0 bias=16 post=add dtype=f32");
    CHECK(groups[2].problem == "matmul src=4x8 wei=8x16 ta=0 tb=0 bias=16 post= dtype=f32");
    CHECK(groups[0].inner_operand == 1);
    CHECK(groups[0].flops == 2.0 * 4 * 8 * 16 + 3.0 * 64);
  }
  SECTION("without a sum") {
    model.node("Relu", {biased});
    CHECK(longest(model, "product") == "matmul src=4x8 wei=8x16 ta=0 tb=0 bias=16 post=relu dtype=f32");
  }
}

TEST_CASE("a Gemm has a bias of its own, and a second row is no other one") {
  ModelBuilder model;
  const std::string product = model.node("Gemm", {model.input({4, 8}), model.input({16, 8}), model.input({16})},
                                         {integer_attribute("transB", 1)});
  SECTION("an activation") {
    model.node("Sigmoid", {product});
    CHECK(longest(model, "product") == "matmul src=4x8 wei=16x8 ta=0 tb=1 bias=16 post=sigmoid dtype=f32");
  }
  SECTION("a row") {
    model.node("Add", {product, model.input({16})});
    CHECK(longest(model, "product").empty());
  }
}

TEST_CASE("a product that is scaled has a factor") {
  ModelBuilder model;
  const std::string product = model.node("MatMul", {model.input({2, 4, 8}), model.input({2, 8, 4})});
  model.node("Div", {product, model.number(8)});
  CHECK(longest(model, "product") == "matmul src=2x4x8 wei=2x8x4 ta=0 tb=0 bias=0 post= alpha=0.125 dtype=f32");
}

TEST_CASE("a number divided by a product is no scaled product") {
  ModelBuilder model;
  const std::string product = model.node("MatMul", {model.input({2, 4, 8}), model.input({2, 8, 4})});
  model.node("Div", {model.number(8), product});
  CHECK(found_groups(model).empty());
}

TEST_CASE("operands and results that are quantized make a product or a convolution of bytes") {
  ModelBuilder model;
  const auto scale = [&] { return model.number(0.5); };
  const auto dequantized = [&](const std::string& bytes) { return model.node("DequantizeLinear", {bytes, scale()}); };
  const std::string image = dequantized(model.input({1, 8, 4, 4}, ElementType::kU8));
  const std::string weights = dequantized(model.input({8, 8, 3, 3}, ElementType::kI8));
  const std::string bias = dequantized(model.input({8}, ElementType::kI32));
  SECTION("with a rectifier, which bytes without a sign have anyway") {
    const std::string result = model.node("Relu", {model.node("Conv", {image, weights, bias})});
    model.node("QuantizeLinear", {result, scale()});
    const auto groups = found_groups(model);
    const auto found = std::ranges::find(groups, "quantized", &FusedGroup::rule);
    REQUIRE(found != groups.end());
    CHECK(found->problem ==
          "conv src=1x8x4x4 wei=8x8x3x3 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post= dtype=u8:i8:u8");
    CHECK(found->pattern == "DequantizeLinear+DequantizeLinear+DequantizeLinear+Conv+Relu+QuantizeLinear");
    CHECK(found->bytes == 1.0 * 8 * 16 + 8 * 8 * 9 + 4 * 8 + 8 * 4);
  }
  SECTION("what others read, too, stays a layer") {
    const std::string result = model.node("Conv", {image, weights, bias});
    const std::string quantized = model.node("QuantizeLinear", {result, scale()});
    model.output(model.node("Relu", {image}));
    model.output(quantized);
    const auto groups = find_fusions(taken_apart(model));
    REQUIRE(!groups.empty());
    CHECK(groups[0].rule == "quantized");
    CHECK(groups[0].layers.size() == 4);
  }
  SECTION("a product") {
    const std::string left = dequantized(model.input({4, 8}, ElementType::kI8));
    const std::string right = dequantized(model.input({8, 16}, ElementType::kI8));
    const std::string zero = model.node("Cast", {model.number(0)}, {integer_attribute("to", 3)});
    model.node("QuantizeLinear", {model.node("Relu", {model.node("MatMul", {left, right})}), scale(), zero});
    CHECK(longest(model, "quantized") == "matmul src=4x8 wei=8x16 ta=0 tb=0 bias=0 post=relu dtype=i8:i8:i8");
  }
}

}  // namespace xsp::bound::test
