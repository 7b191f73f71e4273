#include "bound/problems/plain_values.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "bound/onnx/small_float.h"
#include "bound/problems/post_steps.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

PlainTensor tensor(std::string name, std::string element, std::vector<int64_t> dimensions, std::vector<float> values) {
  return {std::move(name), std::move(element), std::move(dimensions), std::move(values)};
}

/// All values of a problem with the given operands.
std::vector<double> values_of(const std::string& text, const std::vector<PlainTensor>& operands) {
  const auto problem = Problem::parse(text);
  REQUIRE(problem);
  size_t elements = 1;
  for (const int64_t dimension : result_dimensions(*problem)) elements *= static_cast<size_t>(dimension);
  std::vector<size_t> positions(elements);
  std::iota(positions.begin(), positions.end(), size_t{0});
  return reference_values(*problem, operands, positions);
}

std::vector<PlainTensor> operands_of(const std::string& text) {
  const auto problem = Problem::parse(text);
  REQUIRE(problem);
  return make_operands(*problem);
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("a convolution adds products within the image, the bias, then what comes behind it") {
  // 3x3 image, 2x2 kernel, a row of padding above and a column at the right.
  const std::string text =
      "conv src=1x1x3x3 wei=1x1x2x2 strides=1x1 pads=1,0,0,1 dil=1x1 groups=1 bias=1 post=add+clip(0,20) dtype=f32";
  const std::vector<PlainTensor> operands = {
      tensor("src", "f32", {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), tensor("wei", "f32", {1, 1, 2, 2}, {1, 0, 0, 2}),
      tensor("bias", "f32", {1}, {-5}), tensor("add", "f32", {1, 1, 3, 3}, {1, 1, 1, 1, 1, 1, 0, 0, 1})};
  // Products: 4 6 0 | 11 14 3 | 20 23 6.
  CHECK(values_of(text, operands) == Values{0, 2, 0, 7, 10, 0, 15, 18, 2});
}

TEST_CASE("the groups of a convolution see their own channels alone") {
  const std::string text = "conv src=1x4x1 wei=2x2x1 strides=1 pads=0,0 dil=1 groups=2 bias=0 post= dtype=f32";
  CHECK(values_of(text, {tensor("src", "f32", {1, 4, 1}, {1, 2, 3, 4}),
                         tensor("wei", "f32", {2, 2, 1}, {1, 10, 1, 10})}) == Values{21, 43});
}

TEST_CASE("a transposed convolution spreads each element over the result") {
  const std::string text =
      "deconv src=1x1x2 wei=1x1x3 strides=2 pads=0,0 dil=1 outpad=1 groups=1 bias=0 post= dtype=f32";
  CHECK(values_of(text, {tensor("src", "f32", {1, 1, 2}, {1, 10}), tensor("wei", "f32", {1, 1, 3}, {1, 2, 3})}) ==
        Values{1, 2, 13, 20, 30, 0});
}

TEST_CASE("a product takes transposed operands and broadcasts batches and what is added") {
  const std::vector<float> left = {1, 2, 3, 4};
  const std::vector<float> right = {1, 10, 100, 1000};
  CHECK(values_of("matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post= dtype=f32",
                  {tensor("src", "f32", {2, 2}, left), tensor("wei", "f32", {2, 2}, right)}) ==
        Values{201, 2010, 403, 4030});
  CHECK(values_of("matmul src=2x2 wei=2x2 ta=1 tb=1 bias=2 post= alpha=2 dtype=f32",
                  {tensor("src", "f32", {2, 2}, left), tensor("wei", "f32", {2, 2}, right),
                   tensor("bias", "f32", {2}, {1, 2})}) == Values{63, 6202, 85, 8402});
  CHECK(values_of("matmul src=2x1x2 wei=2x1 ta=0 tb=0 bias=0 post= dtype=f32",
                  {tensor("src", "f32", {2, 1, 2}, left), tensor("wei", "f32", {2, 1}, {1, 10})}) == Values{21, 43});
}

TEST_CASE("sums of whole numbers saturate at the limits of the destination") {
  const std::string operands = "matmul src=2x2 wei=2x1 ta=0 tb=0 bias=0 post= dtype=";
  const std::vector<PlainTensor> values = {tensor("src", "u8", {2, 2}, {200, 200, 1, 0}),
                                           tensor("wei", "i8", {2, 1}, {-1, 3})};
  CHECK(values_of(operands + "u8:i8:i32", values) == Values{400, -1});
  CHECK(values_of(operands + "u8:i8:u8", values) == Values{255, 0});
  CHECK(values_of(operands + "u8:i8:i8", values) == Values{127, -1});
}

TEST_CASE("pooling leaves the padding out of maxima, and of averages unless it is said to count") {
  const std::vector<PlainTensor> operands = {tensor("src", "f32", {1, 1, 3}, {-1, -2, -6})};
  CHECK(values_of("maxpool src=1x1x3 kernel=2 strides=2 pads=1,0 dil=1 dtype=f32", operands) == Values{-1, -2});
  CHECK(values_of("avgpool src=1x1x3 kernel=2 strides=2 pads=1,0 include_pad=0 dtype=f32", operands) == Values{-1, -4});
  CHECK(values_of("avgpool src=1x1x3 kernel=2 strides=2 pads=1,0 include_pad=1 dtype=f32", operands) ==
        Values{-0.5, -4});
}

TEST_CASE("a clipped ReLU differs from a plain one on the operands that are made") {
  const std::string relu = "eltwise alg=relu src=1x64x8x8 alpha=0 beta=0 dtype=f32";
  const std::string clip = "eltwise alg=clip src=1x64x8x8 alpha=0 beta=6 dtype=f32";
  const auto operands = operands_of(relu);
  size_t differing = 0;
  const Values plain = values_of(relu, operands);
  const Values clipped = values_of(clip, operands);
  for (size_t i = 0; i < plain.size(); ++i) differing += plain[i] != clipped[i] ? 1 : 0;
  CHECK(differing > plain.size() / 20);
}

TEST_CASE("what is computed on a result is read with its bounds, whatever their exponents are") {
  const auto steps = post_steps("add+clip(-1e+20,1e+20)+leaky_relu(0.01)+relu");
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].is_add());
  CHECK(steps[1].alpha == -1e20);
  CHECK(steps[1].beta == 1e20);
  CHECK(text_of(steps[1]) == "clip(-1e+20,1e+20)");
  CHECK(text_of(steps[2]) == "leaky_relu(0.01)");
  CHECK(steps[3].alg == "relu");
  CHECK(post_steps("").empty());
  CHECK(elementwise_algorithm(post_steps("relu(1,2,3)")[0].alg) == nullptr);
}

TEST_CASE("operands hold only values that their types can represent") {
  const auto spare_bits = [](float value, int bits) {
    int exponent = 0;
    const float scaled = std::ldexp(std::frexp(value, &exponent), bits);
    return scaled == std::floor(scaled);
  };
  for (const std::string kind :
       {"maxpool src=1x3x9x9 kernel=3x3 strides=1x1 pads=0,0,0,0 dil=1x1 dtype=",
        "eltwise alg=log src=5x70 alpha=0 beta=0 dtype=", "binary alg=div src0=5x70 src1=70 dtype="}) {
    for (const PlainTensor& operand : operands_of(kind + "bf16")) {
      for (const float value : operand.values) CHECK(spare_bits(value, 8));
    }
  }
  const auto bytes =
      operands_of("conv src=1x8x9x9 wei=8x8x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post= dtype=u8:i8:u8");
  REQUIRE(bytes.size() == 3);
  CHECK(bytes[2].element == "i32");
  std::set<float> weights(bytes[1].values.begin(), bytes[1].values.end());
  CHECK(weights == std::set<float>{-1, 0, 1});
  for (const float value : bytes[0].values) CHECK((value >= 0 && value <= 255 && value == std::floor(value)));
}

TEST_CASE("operands of eight-bit floats are numbers that these have, and those of tf32 lie as f32") {
  for (const std::string kind :
       {"matmul src=9x40 wei=40x8 ta=0 tb=0 bias=8 post=add dtype=", "eltwise alg=log src=5x70 alpha=0 beta=0 dtype=",
        "binary alg=div src0=5x70 src1=70 dtype="}) {
    for (const PlainTensor& operand : operands_of(kind + "f8e4m3")) {
      CHECK(operand.element == "f8e4m3");
      for (const float value : operand.values) {
        const uint64_t pattern = pattern_of_number(ElementType::kF8E4M3, static_cast<double>(value));
        CHECK(number_of_pattern(ElementType::kF8E4M3, pattern) == static_cast<double>(value));
      }
    }
  }
  for (const PlainTensor& operand : operands_of("matmul src=9x40 wei=40x8 ta=0 tb=0 bias=8 post= dtype=tf32"))
    CHECK(operand.element == "f32");
}

TEST_CASE("whole results are compared exactly unless a function's value may lie halfway between two") {
  const auto absolute = [](const std::string& text) { return tolerance_of(*Problem::parse(text)).absolute; };
  const std::string product = "matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post=";
  CHECK(absolute(product + "add+clip(0,6) dtype=u8:i8:u8") == 0);
  CHECK(absolute(product + "sigmoid dtype=u8:i8:u8") == 1);
  CHECK(absolute(product + " alpha=0.5 dtype=u8:i8:u8") == 1);
  CHECK(absolute("eltwise alg=relu src=4 alpha=0 beta=0 dtype=u8") == 0);
  CHECK(absolute("eltwise alg=leaky_relu src=4 alpha=0.5 beta=0 dtype=i8") == 1);
  CHECK(absolute("avgpool src=1x1x2x2 kernel=2x2 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=u8") == 1);
}

TEST_CASE("channels and rows whose sizes are powers of two have different values") {
  const auto operands = operands_of("transpose src=64x64x64 perm=2,1,0 dtype=f32");
  const auto& values = operands.at(0).values;
  for (const size_t stride : {size_t{64}, size_t{4096}}) {
    size_t equal = 0;
    for (size_t i = 0; i + stride < values.size(); ++i) equal += values[i] == values[i + stride] ? 1 : 0;
    CHECK(equal < values.size() / 10);
  }
}

TEST_CASE("large operands are made quickly") {
  const auto begin = std::chrono::steady_clock::now();
  const auto operands = operands_of("eltwise alg=relu src=25000000 alpha=0 beta=0 dtype=f32");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  CHECK(operands.at(0).elements() == 25'000'000);
  CHECK(taken.count() < 5);
}

TEST_CASE("problems whose fields do not fit together have neither operands nor values") {
  for (const char* text : {
           "conv src=1x3x8x8 wei=4x2x3x3 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=f32",
           "conv src=1x3x8x8 wei=4x3x3x3 strides=1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=f32",
           "conv src=1x3x8x8 wei=4x3x3x3 strides=0x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=f32",
           "conv src=1x3x8x8 wei=4x3x9x9 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=f32",
           "conv src=1x0x8x8 wei=4x0x3x3 strides=1x1 pads=0,0,0,0 dil=1x1 groups=0 bias=0 post= dtype=f32",
           "conv src=1x3x8x8 wei=4x9000000000000000000x3x3 strides=1x1 pads=0,0,0,0 dil=1x1 groups=9 bias=0 post= "
           "dtype=f32",
           "deconv src=1x3x4000000000x8 wei=3x3x3x3 strides=4000000000x1 pads=0,0,0,0 dil=1x1 outpad=0x0 groups=1 "
           "bias=0 post= dtype=f32",
           "matmul src=2x3 wei=4x5 ta=0 tb=0 bias=0 post= dtype=f32",
           "matmul src=2x3 wei=3x5 ta=0 tb=0 bias=7 post= dtype=f32",
           "matmul src=3 wei=3x5 ta=0 tb=0 bias=0 post= dtype=f32",
           "eltwise alg=frobnicate src=3 alpha=0 beta=0 dtype=f32",
           "eltwise alg=relu src=9000000000x9000000000 alpha=0 beta=0 dtype=f32",
           "binary alg=add src0=2x3 src1=4 dtype=f32",
           "softmax src=2x3 axis=2 log=0 dtype=f32",
           "layernorm src=2x3 axis=-1 bias=0 dtype=f32",
           "reduce alg=sum src=2x3 axes=5 dtype=f32",
           "concat axis=0 srcs=2x3,2x4 dtype=f32",
           "concat axis=0 srcs= dtype=f32",
           "transpose src=2x3 perm=0,0 dtype=f32",
           "transpose src=2x3 perm=0,2 dtype=f32",
           "resize alg=cubic src=1x1x2x2 dst=1x1x4x4 dtype=f32",
           "Gather in=f32[3];i64[1] out=f32[1] axis=0",
       }) {
    INFO(text);
    CHECK(operands_of(text).empty());
    CHECK(reference_values(*Problem::parse(text), {}, {0}).empty());
  }
}

TEST_CASE("a position outside of the result has no value, nor has a step that is not known") {
  const std::string text = "matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post= dtype=f32";
  CHECK(reference_values(*Problem::parse(text), operands_of(text), {4}).empty());
  const std::string unknown = "matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post=squash dtype=f32";
  CHECK(reference_values(*Problem::parse(unknown), operands_of(unknown), {0}).empty());
}

TEST_CASE("tolerances are tight enough to tell the two forms of GELU apart, and wider for narrow types") {
  const auto problem = [](const std::string& dtype) {
    return *Problem::parse("eltwise alg=gelu_erf src=64x64 alpha=0 beta=0 dtype=" + dtype);
  };
  const Problem exact = problem("f32");
  const Problem approximate = *Problem::parse("eltwise alg=gelu_tanh src=64x64 alpha=0 beta=0 dtype=f32");
  const auto operands = make_operands(exact);
  std::vector<size_t> positions(4096);
  std::iota(positions.begin(), positions.end(), size_t{0});
  const auto values = reference_values(exact, operands, positions);
  const auto others = reference_values(approximate, operands, positions);
  const Tolerance tolerance = tolerance_of(exact);
  size_t outside = 0;
  for (size_t i = 0; i < values.size(); ++i)
    outside += std::abs(values[i] - others[i]) > tolerance.absolute + tolerance.relative * std::abs(values[i]) ? 1 : 0;
  CHECK(outside > 100);
  CHECK(tolerance_of(problem("bf16")).relative > 100 * tolerance.relative);
  CHECK(tolerance_of(*Problem::parse("matmul src=2x2 wei=2x2 ta=0 tb=0 bias=0 post= dtype=u8:i8:i32")).absolute == 0);
}

}  // namespace xsp::bound
