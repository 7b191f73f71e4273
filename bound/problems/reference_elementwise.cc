#include <algorithm>
#include <cmath>

#include "bound/problems/operand_shapes.h"
#include "bound/problems/post_steps.h"
#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

using BinaryFunction = double (*)(double x, double y);
constexpr std::pair<std::string_view, BinaryFunction> kBinaryFunctions[] = {
    {"add", [](double x, double y) { return x + y; }},
    {"sub", [](double x, double y) { return x - y; }},
    {"mul", [](double x, double y) { return x * y; }},
    {"div", [](double x, double y) { return x / y; }},
    {"min", [](double x, double y) { return std::min(x, y); }},
    {"max", [](double x, double y) { return std::max(x, y); }},
    {"pow", [](double x, double y) { return std::pow(x, y); }},
};

}  // namespace

ReferenceValue elementwise_reference(const ReferenceInput& input) {
  const ElementwiseAlgorithm* algorithm = elementwise_algorithm(input.problem.field("alg"));
  const double alpha = input.problem.number("alpha");
  const double beta = input.problem.number("beta");
  return [&source = input.operand(0), algorithm, alpha, beta](size_t position) {
    return algorithm->value(static_cast<double>(source.values[position]), alpha, beta);
  };
}

ReferenceValue binary_reference(const ReferenceInput& input) {
  const auto* const found = std::ranges::find(kBinaryFunctions, input.problem.field("alg"),
                                              &std::pair<std::string_view, BinaryFunction>::first);
  const bool is_whole_division = input.problem.field("alg") == "div" && is_whole(input.problem.types().source);
  return [input, is_whole_division, function = found->second](size_t position) {
    const Indices indices = indices_of(position, input.result);
    const auto value = [&](const PlainTensor& operand) {
      return static_cast<double>(operand.values[broadcast_position(indices, input.result.size(), operand.dimensions)]);
    };
    const double result = function(value(input.operand(0)), value(input.operand(1)));
    return is_whole_division ? std::trunc(result) : result;
  };
}

}  // namespace xsp::bound
