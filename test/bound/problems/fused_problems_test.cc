#include <cmath>
#include <numeric>

#include "bound/problems/operand_shapes.h"
#include "bound/problems/plain_values.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

std::vector<double> all_values(const std::string& text, const std::vector<PlainTensor>& operands) {
  const auto problem = Problem::parse(text);
  REQUIRE(problem);
  const auto result = result_dimensions(*problem);
  std::vector<size_t> positions(
      static_cast<size_t>(std::accumulate(result.begin(), result.end(), int64_t{1}, std::multiplies<>())));
  std::iota(positions.begin(), positions.end(), size_t{0});
  return reference_values(*problem, operands, positions);
}

PlainTensor operand(std::string name, std::vector<int64_t> dimensions, std::vector<float> values) {
  return {std::move(name), "f32", std::move(dimensions), std::move(values)};
}

}  // namespace

TEST_CASE("attention weighs values by the softmax of scaled scores") {
  const auto values = all_values("sdpa q=1x1x1x2 k=1x1x2x2 v=1x1x2x3 mask=0 scale=0.5 dtype=f32",
                                 {operand("q", {1, 1, 1, 2}, {1, 2}), operand("k", {1, 1, 2, 2}, {1, 0, 0, 2}),
                                  operand("v", {1, 1, 2, 3}, {1, 0, 5, 0, 1, 5})});
  // Scores 1 and 4, half of them 0.5 and 2.
  const double first = std::exp(0.5) / (std::exp(0.5) + std::exp(2.0));
  REQUIRE(values.size() == 3);
  CHECK(values[0] == Approx(first));
  CHECK(values[1] == Approx(1 - first));
  CHECK(values[2] == Approx(5));
}

TEST_CASE("a mask is added to the scores, and repeated where it has one row") {
  // Two heads with two queries each; the second key is masked.
  const std::vector<float> ones(8, 1.0F);
  const auto values = all_values("sdpa q=1x2x2x2 k=1x2x2x2 v=1x2x2x1 mask=1x1x1x2 scale=1 dtype=f32",
                                 {operand("q", {1, 2, 2, 2}, ones), operand("k", {1, 2, 2, 2}, ones),
                                  operand("v", {1, 2, 2, 1}, {1, 2, 3, 4}), operand("mask", {1, 1, 1, 2}, {0, -1000})});
  CHECK(values == std::vector<double>{1, 1, 3, 3});
}

TEST_CASE("the operands of attention fit together, or there are none") {
  const auto count = [](const std::string& text) { return operand_shapes(*Problem::parse(text)).size(); };
  CHECK(count("sdpa q=1x2x8x4 k=1x2x6x4 v=1x2x6x5 mask=8x6 scale=1 dtype=f32") == 4);
  CHECK(result_dimensions(*Problem::parse("sdpa q=1x2x8x4 k=1x2x6x4 v=1x2x6x5 mask=0 scale=1 dtype=f32")) ==
        std::vector<int64_t>{1, 2, 8, 5});
  CHECK(count("sdpa q=1x2x8x4 k=1x2x6x3 v=1x2x6x5 mask=0 scale=1 dtype=f32") == 0);
  CHECK(count("sdpa q=1x2x8x4 k=1x1x6x4 v=1x1x6x5 mask=0 scale=1 dtype=f32") == 0);
  CHECK(count("sdpa q=1x2x8x4 k=1x2x6x4 v=1x2x6x5 mask=8x8 scale=1 dtype=f32") == 0);
  CHECK(count("sdpa q=2x8x4 k=2x6x4 v=2x6x5 mask=0 scale=1 dtype=f32") == 0);
}

TEST_CASE("a normalization of a sum normalizes all that is added") {
  const auto values =
      all_values("addnorm src=2x2 axis=1 row=1 bias=1 eps=0 dtype=f32",
                 {operand("src", {2, 2}, {1, 2, 0, 0}), operand("skip", {2, 2}, {0, 3, 7, 0}),
                  operand("scale", {2}, {1, 10}), operand("bias", {2}, {0, 100}), operand("row", {2}, {1, 1})});
  // Sums 2 6 and 8 1: one element below the mean, the other as far above it.
  CHECK(values == std::vector<double>{-1, 110, 1, 90});
  CHECK(operand_shapes(*Problem::parse("addnorm src=2x2 axis=1 row=0 bias=0 dtype=f32")).size() == 3);
}

}  // namespace xsp::bound
