#include "bound/model/node_problem.h"

#include <limits>

#include "test/bound/model/taken_apart.h"

namespace xsp::bound {
namespace {

using test::integer_attribute;
using test::integers_attribute;
using test::last_problem;
using test::ModelBuilder;
using test::number_attribute;
using test::numbers_attribute;
using test::text_attribute;

std::string product_text(const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
  ModelBuilder builder;
  builder.node("MatMul", {builder.input(left), builder.input(right)});
  return last_problem(builder);
}

std::string pooling_text(const std::string& type, std::vector<Attribute> attributes) {
  ModelBuilder builder;
  attributes.push_back(integers_attribute("kernel_shape", {3, 3}));
  attributes.push_back(integers_attribute("strides", {2, 2}));
  builder.node(type, {builder.input({1, 8, 10, 9})}, attributes);
  return last_problem(builder);
}

std::string clip_text(ModelBuilder builder, std::vector<std::string> bounds, std::vector<Attribute> attributes = {}) {
  bounds.insert(bounds.begin(), builder.input({2, 3}));
  builder.node("Clip", bounds, std::move(attributes));
  return last_problem(builder);
}

std::string resize_text(std::vector<double> scales, std::vector<Attribute> attributes) {
  ModelBuilder builder;
  const std::string image = builder.input({1, 2, 4, 6});
  const std::string given = builder.numbers(std::move(scales));
  builder.node("Resize", {image, "", given}, std::move(attributes));
  return last_problem(builder);
}

}  // namespace

TEST_CASE("the padding of a convolution is written out, whatever auto_pad says") {
  // 10 rows at stride 2 need 1 row more than there are: it goes behind with SAME_UPPER, before with SAME_LOWER.
  const auto padding = [](const std::string& automatic) {
    ModelBuilder builder;
    const std::string image = builder.input({1, 4, 10, 9});
    builder.node("Conv", {image, builder.input({6, 4, 3, 3})},
                 {text_attribute("auto_pad", automatic), integers_attribute("strides", {2, 2})});
    return std::string(Problem::parse(last_problem(builder))->field("pads"));
  };
  CHECK(padding("SAME_UPPER") == "0,1,1,1");
  CHECK(padding("SAME_LOWER") == "1,1,0,1");
  CHECK(padding("VALID") == "0,0,0,0");
}

TEST_CASE("a convolution names its groups, its bias and all that has a default") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8});
  const std::string weight = builder.input({6, 2, 3, 1});
  builder.node("Conv", {image, weight, builder.input({6})}, {integer_attribute("group", 2)});
  CHECK(last_problem(builder) ==
        "conv src=1x4x8x8 wei=6x2x3x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=2 bias=1 post= dtype=f32");
}

TEST_CASE("what ONNX Runtime fused into a convolution is computed behind it: the sum, then the activation") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8});
  const std::string weight = builder.input({6, 4, 1, 1});
  const std::string bias = builder.input({6});
  builder.node("FusedConv", {image, weight, bias, builder.input({1, 6, 8, 8})},
               {text_attribute("activation", "Clip"), numbers_attribute("activation_params", {0, 6})}, "com.microsoft");
  CHECK(last_problem(builder) ==
        "conv src=1x4x8x8 wei=6x4x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=1 post=add+clip(0,6) dtype=f32");
}

TEST_CASE("a quantized convolution has the types of its operands and no scales") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 8, 8}, ElementType::kU8);
  const std::string weight = builder.input({6, 4, 1, 1}, ElementType::kI8);
  const std::string scale = builder.number(0.25);
  const std::string zero = builder.input({}, ElementType::kU8);
  const std::string weight_zero = builder.input({}, ElementType::kI8);
  builder.node("QLinearConv", {image, scale, zero, weight, scale, weight_zero, scale, zero});
  CHECK(last_problem(builder) ==
        "conv src=1x4x8x8 wei=6x4x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=u8:i8:u8");
}

TEST_CASE("products that say the same with fewer dimensions are one problem") {
  const auto matmul = [](const std::string& src, const std::string& wei) {
    return "matmul src=" + src + " wei=" + wei + " ta=0 tb=0 bias=0 post= dtype=f32";
  };
  CHECK(product_text({1, 128, 768}, {768, 512}) == matmul("128x768", "768x512"));
  CHECK(product_text({4, 32, 768}, {768, 512}) == matmul("128x768", "768x512"));
  CHECK(product_text({4, 32, 768}, {1, 768, 512}) == matmul("128x768", "768x512"));
  CHECK(product_text({2, 12, 128, 64}, {2, 12, 64, 128}) == matmul("24x128x64", "24x64x128"));
  CHECK(product_text({1, 1, 128, 64}, {64, 128}) == matmul("128x64", "64x128"));
  CHECK(product_text({128, 64}, {3, 64, 32}) == matmul("128x64", "3x64x32"));
  CHECK(product_text({2, 1, 5, 6}, {3, 6, 7}) == matmul("2x1x5x6", "3x6x7"));
  CHECK(product_text({6}, {6, 7}) == matmul("1x6", "6x7"));
  CHECK(product_text({2, 5, 6}, {6}) == matmul("10x6", "6x1"));
}

TEST_CASE("a general product keeps its operands as they are stored, and factors only where there are any") {
  ModelBuilder plain;
  const std::string source = plain.input({1, 2048});
  const std::string weight = plain.input({1000, 2048});
  plain.node("Gemm", {source, weight, plain.input({1000})}, {integer_attribute("transB", 1)});
  CHECK(last_problem(plain) == "matmul src=1x2048 wei=1000x2048 ta=0 tb=1 bias=1000 post= dtype=f32");

  ModelBuilder scaled;
  const std::string left = scaled.input({6, 5});
  const std::string right = scaled.input({6, 7});
  scaled.node("Gemm", {left, right, scaled.input({5, 1})},
              {integer_attribute("transA", 1), number_attribute("alpha", 0.5), number_attribute("beta", 2)});
  CHECK(last_problem(scaled) == "matmul src=6x5 wei=6x7 ta=1 tb=0 bias=5x1 post= alpha=0.5 beta=2 dtype=f32");

  ModelBuilder fused;
  fused.node("FusedMatMul", {fused.input({2, 6, 5}), fused.input({6, 7})},
             {integer_attribute("transA", 1), number_attribute("alpha", 0.125)}, "com.microsoft");
  CHECK(last_problem(fused) == "matmul src=2x6x5 wei=6x7 ta=1 tb=0 bias=0 post= alpha=0.125 dtype=f32");
}

TEST_CASE("ceil_mode becomes larger paddings at the end, except where an average counts paddings") {
  const Attribute up = integer_attribute("ceil_mode", 1);
  const Attribute counts = integer_attribute("count_include_pad", 1);
  const Attribute pads = integers_attribute("pads", {1, 1, 0, 0});
  CHECK(pooling_text("MaxPool", {}) == "maxpool src=1x8x10x9 kernel=3x3 strides=2x2 pads=0,0,0,0 dil=1x1 dtype=f32");
  CHECK(pooling_text("MaxPool", {up}) == "maxpool src=1x8x10x9 kernel=3x3 strides=2x2 pads=0,0,1,0 dil=1x1 dtype=f32");
  CHECK(pooling_text("AveragePool", {up}) ==
        "avgpool src=1x8x10x9 kernel=3x3 strides=2x2 pads=0,0,1,0 include_pad=0 dtype=f32");
  CHECK(pooling_text("AveragePool", {counts, pads}) ==
        "avgpool src=1x8x10x9 kernel=3x3 strides=2x2 pads=1,1,0,0 include_pad=1 dtype=f32");
  CHECK(pooling_text("AveragePool", {counts, pads, up}).starts_with("AveragePool in=f32[1,8,10,9] "));
}

TEST_CASE("a pooling whose indices are read is more than a maximum") {
  for (const bool reads_indices : {false, true}) {
    ModelBuilder builder;
    const std::string pooled =
        builder.node("MaxPool", {builder.input({1, 3, 8, 8})}, {integers_attribute("kernel_shape", {2, 2})}, "", 2);
    if (reads_indices) builder.output(pooled + ".1");
    CHECK(last_problem(builder).starts_with(reads_indices ? "MaxPool in=" : "maxpool src="));
  }
}

TEST_CASE("global pooling has the kernel of the whole image") {
  ModelBuilder builder;
  builder.node("GlobalAveragePool", {builder.input({1, 2048, 7, 7})});
  CHECK(last_problem(builder) == "avgpool src=1x2048x7x7 kernel=7x7 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=f32");
}

TEST_CASE("the bounds of Clip are part of the problem wherever they are written, if they are known") {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const std::string clipped = "eltwise alg=clip src=2x3 alpha=0 beta=6 dtype=f32";
  ModelBuilder inputs;
  const std::string zero = inputs.number(0);
  const std::string six = inputs.number(6);
  const std::string largest = inputs.number(kLargest);
  CHECK(clip_text(inputs, {zero, six}) == clipped);
  CHECK(clip_text(ModelBuilder(10), {}, {number_attribute("min", 0), number_attribute("max", 6)}) == clipped);
  CHECK(clip_text(inputs, {"", six}) == "eltwise alg=clip src=2x3 alpha=-inf beta=6 dtype=f32");
  const std::string relu = "eltwise alg=relu src=2x3 alpha=0 beta=0 dtype=f32";
  CHECK(clip_text(inputs, {zero}) == relu);
  CHECK(clip_text(inputs, {zero, largest}) == relu);
  ModelBuilder open;
  const std::string bound = open.input({});
  CHECK(clip_text(open, {bound}).starts_with("Clip in=f32[2,3];f32[] "));
}

TEST_CASE("a square is a square, by whichever operator it is computed") {
  const std::string square = "eltwise alg=square src=2x3 alpha=0 beta=0 dtype=f32";
  ModelBuilder multiplied;
  const std::string x = multiplied.input({2, 3});
  multiplied.node("Mul", {x, x});
  CHECK(last_problem(multiplied) == square);

  const auto power_text = [](double exponent) {
    ModelBuilder builder;
    const std::string base = builder.input({2, 3});
    builder.node("Pow", {base, builder.number(exponent)});
    return last_problem(builder);
  };
  CHECK(power_text(2) == square);
  CHECK(power_text(0.5) == "eltwise alg=sqrt src=2x3 alpha=0 beta=0 dtype=f32");
  CHECK(power_text(3) == "Pow in=f32[2,3];f32[] out=f32[2,3] const1=3");
}

TEST_CASE("slopes that a node leaves out are those of the published schema") {
  const auto text = [](const std::string& type, std::vector<Attribute> attributes) {
    ModelBuilder builder;
    builder.node(type, {builder.input({4})}, std::move(attributes));
    return last_problem(builder);
  };
  CHECK(text("LeakyRelu", {}) == "eltwise alg=leaky_relu src=4 alpha=0.01 beta=0 dtype=f32");
  CHECK(text("LeakyRelu", {number_attribute("alpha", static_cast<double>(0.1F))}) ==
        "eltwise alg=leaky_relu src=4 alpha=0.1 beta=0 dtype=f32");
  CHECK(text("HardSigmoid", {}) == "eltwise alg=hardsigmoid src=4 alpha=0.2 beta=0.5 dtype=f32");
  CHECK(text("Elu", {}) == "eltwise alg=elu src=4 alpha=1 beta=0 dtype=f32");
}

TEST_CASE("softmax before version 13 is along all dimensions from its axis on") {
  const auto text = [](int64_t opset, std::vector<int64_t> dimensions, std::vector<Attribute> attributes) {
    ModelBuilder builder(opset);
    builder.node("Softmax", {builder.input(std::move(dimensions))}, std::move(attributes));
    return last_problem(builder);
  };
  CHECK(text(11, {1, 1000, 1, 1}, {}) == "softmax src=1x1000x1x1 axis=1 log=0 dtype=f32");
  CHECK(text(11, {2, 3, 4}, {}) == "softmax src=2x12 axis=1 log=0 dtype=f32");
  CHECK(text(11, {2, 3, 4}, {integer_attribute("axis", -1)}) == "softmax src=2x3x4 axis=2 log=0 dtype=f32");
  CHECK(text(13, {2, 3, 4}, {}) == "softmax src=2x3x4 axis=2 log=0 dtype=f32");
  CHECK(text(13, {2, 3, 4}, {integer_attribute("axis", 1)}) == "softmax src=2x3x4 axis=1 log=0 dtype=f32");
}

TEST_CASE("a normalization names its epsilon where it is not the usual one") {
  for (const bool is_usual : {true, false}) {
    ModelBuilder builder;
    const std::string image = builder.input({1, 8, 4, 4});
    const std::string channels = builder.input({8});
    builder.node("BatchNormalization", {image, channels, channels, channels, channels},
                 {number_attribute("epsilon", static_cast<double>(is_usual ? 1e-5F : 1e-3F))});
    CHECK(last_problem(builder) ==
          (is_usual ? "batchnorm src=1x8x4x4 dtype=f32" : "batchnorm src=1x8x4x4 eps=0.001 dtype=f32"));
  }
}

TEST_CASE("the axes of a reduction are counted from the front, wherever they are given") {
  const std::string over_two = "reduce alg=mean src=2x3x4 axes=0,2 dtype=f32";
  ModelBuilder attribute;
  attribute.node("ReduceMean", {attribute.input({2, 3, 4})}, {integers_attribute("axes", {-1, 0})});
  CHECK(last_problem(attribute) == over_two);
  ModelBuilder input(18);
  const std::string source = input.input({2, 3, 4});
  input.node("ReduceMean", {source, input.integers({0, 2})}, {integer_attribute("keepdims", 0)});
  CHECK(last_problem(input) == over_two);
  ModelBuilder all(18);
  all.node("ReduceMax", {all.input({2, 3, 4})});
  CHECK(last_problem(all) == "reduce alg=max src=2x3x4 axes=0,1,2 dtype=f32");
}

TEST_CASE("resizing by whole factors is one problem for all coordinates that mean the same") {
  const std::string doubled = "resize alg=nearest src=1x2x4x6 dst=1x2x8x12 dtype=f32";
  CHECK(resize_text({1, 1, 2, 2}, {}) == doubled);
  CHECK(resize_text({1, 1, 2, 2}, {text_attribute("coordinate_transformation_mode", "asymmetric"),
                                   text_attribute("nearest_mode", "floor")}) == doubled);
  CHECK(resize_text({1, 1, 2, 2}, {text_attribute("coordinate_transformation_mode", "align_corners")})
            .starts_with("Resize in="));
  CHECK(resize_text({1, 1, 1.5, 0.5}, {text_attribute("coordinate_transformation_mode", "asymmetric"),
                                       text_attribute("nearest_mode", "floor")}) ==
        "resize alg=nearest src=1x2x4x6 dst=1x2x6x3 mode=asymmetric dtype=f32");
  const Attribute linear = text_attribute("mode", "linear");
  CHECK(resize_text({1, 1, 2, 2}, {linear}) == "resize alg=linear src=1x2x4x6 dst=1x2x8x12 dtype=f32");
  CHECK(resize_text({1, 1, 2, 2}, {linear, text_attribute("coordinate_transformation_mode", "align_corners")}) ==
        "resize alg=linear src=1x2x4x6 dst=1x2x8x12 mode=align_corners dtype=f32");
  // 4 · 1.3 = 5.2: the scale is not the ratio of the sizes.
  CHECK(resize_text({1, 1, 1.3, 1}, {linear}).starts_with("Resize in="));
  CHECK(resize_text({1, 1, 2, 2}, {text_attribute("mode", "cubic")}).starts_with("Resize in="));
}

TEST_CASE("other operators have their tensors, attributes by name, and small constants of whole numbers as problem") {
  ModelBuilder builder;
  const std::string table = builder.input({30522, 768});
  builder.node("Gather", {table, builder.input({1, 128}, ElementType::kI64)}, {integer_attribute("axis", 0)});
  CHECK(last_problem(builder) == "Gather in=f32[30522,768];i64[1,128] out=f32[1,128,768] axis=0");

  ModelBuilder sliced;
  const std::string source = sliced.input({8, 8});
  const std::string begin = sliced.integers({1});
  const std::string end = sliced.integers({5});
  sliced.node("Slice", {source, begin, end});
  CHECK(last_problem(sliced) == "Slice in=f32[8,8];i64[1];i64[1] out=f32[4,8] const1=1 const2=5");

  ModelBuilder quick;
  quick.node("Attention", {quick.input({1, 4, 8}), quick.input({8, 24}), quick.input({24})},
             {integer_attribute("num_heads", 2)}, "com.microsoft");
  CHECK(last_problem(quick) == "com.microsoft.Attention in=f32[1,4,8];f32[8,24];f32[24] out=f32[1,4,8] num_heads=2");
}

TEST_CASE("settings that a node of a common operator leaves out are written with their defaults") {
  const auto text = [](std::vector<Attribute> attributes) {
    ModelBuilder builder;
    const std::string table = builder.input({8, 4});
    builder.node("Gather", {table, builder.input({2}, ElementType::kI64)}, std::move(attributes));
    return last_problem(builder);
  };
  CHECK(text({}) == "Gather in=f32[8,4];i64[2] out=f32[2,4] axis=0");
  CHECK(text({}) == text({integer_attribute("axis", 0)}));
  CHECK(text({}) != text({integer_attribute("axis", 1)}));
}

TEST_CASE("nodes whose tensors differ are different problems, also where the values are not kept") {
  const auto text = [](std::vector<double> values, const std::string& name) {
    ModelBuilder builder;
    Attribute attribute;
    attribute.name = "leafs";
    attribute.kind = Attribute::Kind::kTensor;
    ConstantTensor& tensor = attribute.tensors.emplace_back();
    tensor.element = ElementType::kF32;
    tensor.has_values = !values.empty();
    tensor.dimensions = {values.empty() ? int64_t{100'000} : static_cast<int64_t>(values.size())};
    tensor.numbers = std::move(values);
    builder.node("Softsign", {builder.input({4})}, {attribute});
    builder.last_node().name = name;
    return last_problem(builder);
  };
  CHECK(text({1, 2}, "a").find(" leafs=f32[2]:") != std::string::npos);
  CHECK(text({1, 2}, "a") == text({1, 2}, "b"));
  CHECK(text({1, 2}, "a") != text({1, 3}, "a"));
  CHECK(text({}, "a") == text({}, "a"));
  CHECK(text({}, "a") != text({}, "b"));
}

TEST_CASE("lists of tensors, attributes and constants that are too long are cut and differ by their sums") {
  const auto of_attributes = [](int64_t last) {
    ModelBuilder builder;
    std::vector<Attribute> attributes;
    for (int64_t i = 0; i < 100'000; ++i)
      attributes.push_back(integer_attribute("a" + std::to_string(i), i == 99'999 ? last : i));
    builder.node("Softsign", {builder.input({4})}, std::move(attributes));
    return last_problem(builder);
  };
  CHECK(of_attributes(1).starts_with("Softsign in=f32[4] out=f32[4] attributes=100000:"));
  CHECK(of_attributes(1).size() < 100);
  CHECK(of_attributes(1) != of_attributes(2));

  const auto of_inputs = [](int64_t rows) {
    ModelBuilder builder;
    std::vector<std::string> inputs(500, builder.input({1, 3}));
    inputs.back() = builder.input({rows, 3});
    builder.node("Sum", inputs);
    return std::string(Problem::parse(last_problem(builder))->field("in"));
  };
  // 113 tensors of 8 letters with a separator behind each; the others have 386 times 3 elements and the last.
  CHECK(of_inputs(1).size() < 1100);
  CHECK(of_inputs(1).ends_with("[1161]"));
  CHECK(of_inputs(7).ends_with("[1179]"));
  CHECK(of_inputs(1) == of_inputs(1));
  CHECK(of_inputs(1).substr(0, 1000) == of_inputs(7).substr(0, 1000));

  const auto of_constants = [](int64_t last) {
    ModelBuilder builder(13);
    std::vector<std::string> inputs = {builder.input({1}, ElementType::kI64)};
    for (int64_t i = 0; i < 200; ++i) inputs.push_back(builder.integers({i == 199 ? last : i}));
    builder.node("Max", inputs);
    return last_problem(builder);
  };
  CHECK(of_constants(1).find(" constants=200:") != std::string::npos);
  CHECK(of_constants(1) != of_constants(2));
}

TEST_CASE("an attribute that is called like a field, or like one that was renamed, keeps a field of its own") {
  ModelBuilder builder;
  builder.node("Softsign", {builder.input({4})},
               {integer_attribute("in", 1), integer_attribute("attribute.in", 2), integer_attribute("const0", 3)});
  CHECK(last_problem(builder) ==
        "Softsign in=f32[4] out=f32[4] attribute.attribute.in=2 attribute.const0=3 attribute.in=1");
}

TEST_CASE("a concatenation of very many operands is a problem of the framework's alone") {
  ModelBuilder builder;
  builder.node("Concat", std::vector<std::string>(3000, builder.input({4})), {integer_attribute("axis", 0)});
  CHECK(last_problem(builder).starts_with("Concat in=f32[4];"));
}

TEST_CASE("attributes that are too long to be written differ by their sums") {
  const auto text = [](double last) {
    ModelBuilder builder;
    std::vector<double> values(1000, 0.125);
    values.back() = last;
    builder.node("Softsign", {builder.input({4})}, {numbers_attribute("values", values)});
    return last_problem(builder);
  };
  CHECK(text(1).size() < 200);
  CHECK(text(1) == text(1));
  CHECK(text(1) != text(2));
}

}  // namespace xsp::bound
