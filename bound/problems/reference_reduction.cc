#include <algorithm>
#include <cmath>
#include <limits>

#include "bound/problems/operand_shapes.h"
#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// How the values of a reduction come together.
struct ReductionStep {
  std::string_view alg;
  double first;
  double (*add)(double so_far, double value);
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ReductionStep kReductionSteps[] = {
    {"mean", 0, [](double so_far, double value) { return so_far + value; }},
    {"sum", 0, [](double so_far, double value) { return so_far + value; }},
    {"max", -kInfinity, [](double so_far, double value) { return std::max(so_far, value); }},
    {"min", kInfinity, [](double so_far, double value) { return std::min(so_far, value); }},
    {"prod", 1, [](double so_far, double value) { return so_far * value; }},
    {"l1", 0, [](double so_far, double value) { return so_far + std::abs(value); }},
    {"l2", 0, [](double so_far, double value) { return so_far + value * value; }},
};

}  // namespace

ReferenceValue reduction_reference(const ReferenceInput& input) {
  const std::string_view alg = input.problem.field("alg");
  const ReductionStep step = *std::ranges::find(kReductionSteps, alg, &ReductionStep::alg);
  const Dimensions& source = input.operand(0).dimensions;
  Dimensions reduced;                   // sizes of the reduced dimensions
  std::vector<size_t> reduced_strides;  // of the source
  const auto strides = row_major_strides(source);
  const auto axes = input.problem.list("axes");
  for (size_t i = 0; i < source.size(); ++i) {
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end()) continue;
    reduced.push_back(source[i]);
    reduced_strides.push_back(strides[i]);
  }
  const auto count = static_cast<size_t>(elements_in(reduced).value_or(0));
  const bool is_mean = alg == "mean";
  const bool is_root = alg == "l2";
  const bool truncates = is_mean && is_whole(input.problem.types().source);
  return [=](size_t position) {
    const Indices indices = indices_of(position, input.result);
    size_t begin = 0;
    for (size_t i = 0; i < strides.size(); ++i) begin += static_cast<size_t>(indices[i]) * strides[i];
    double value = step.first;
    for (size_t n = 0; n < count; ++n) {
      const Indices inner = indices_of(n, reduced);
      size_t at = begin;
      for (size_t i = 0; i < reduced.size(); ++i) at += static_cast<size_t>(inner[i]) * reduced_strides[i];
      value = step.add(value, static_cast<double>(input.operand(0).values[at]));
    }
    if (is_mean) value /= static_cast<double>(count);
    if (is_root) value = std::sqrt(value);
    return truncates ? std::trunc(value) : value;
  };
}

}  // namespace xsp::bound
