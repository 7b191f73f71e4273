#include "bound/shapes/arithmetic_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

constexpr int64_t kLeastInteger = std::numeric_limits<int64_t>::min();

std::optional<int64_t> power(int64_t base, int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && !multiply_checked(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent > 0 && !multiply_checked(base, base, &base)) return std::nullopt;
  }
  return result;
}

/// Nothing: not defined, does not fit, or no such operator.
std::optional<int64_t> combine(std::string_view type, bool like_c, int64_t a, int64_t b) {
  int64_t result = 0;
  if (type == "Add" || type == "Sum") return add_checked(a, b, &result) ? std::optional(result) : std::nullopt;
  if (type == "Sub") return subtract_checked(a, b, &result) ? std::optional(result) : std::nullopt;
  if (type == "Mul") return multiply_checked(a, b, &result) ? std::optional(result) : std::nullopt;
  if (type == "Min") return std::min(a, b);
  if (type == "Max") return std::max(a, b);
  if (type == "And") return a & b;
  if (type == "Or") return a | b;
  if (type == "Xor") return a ^ b;
  if (type == "Pow") return power(a, b);
  if (b == 0 || (a == kLeastInteger && b == -1)) return std::nullopt;
  if (type == "Div") return a / b;
  if (type == "Mod") {
    result = a % b;
    // Without `fmod` the sign is that of the divisor.
    if (!like_c && result != 0 && (result < 0) != (b < 0)) result += b;
    return result;
  }
  return std::nullopt;
}

std::optional<double> combine(std::string_view type, bool /*like_c*/, double a, double b) {
  if (type == "Add" || type == "Sum") return a + b;
  if (type == "Sub") return a - b;
  if (type == "Mul") return a * b;
  if (type == "Min") return std::min(a, b);
  if (type == "Max") return std::max(a, b);
  if (type == "Pow") return std::pow(a, b);
  if (b == 0) return std::nullopt;
  if (type == "Div") return a / b;
  if (type == "Mod") return std::fmod(a, b);
  return std::nullopt;
}

std::optional<int64_t> change(std::string_view type, int64_t a) {
  if (type == "Not") return a == 0 ? 1 : 0;
  if (type == "Sign") return (a > 0) - (a < 0);
  if (type == "Relu") return std::max<int64_t>(a, 0);
  if (a == kLeastInteger) return std::nullopt;
  if (type == "Neg") return -a;
  if (type == "Abs") return std::abs(a);
  return std::nullopt;
}

std::optional<double> change(std::string_view type, double a) {
  if (type == "Neg") return -a;
  if (type == "Abs") return std::abs(a);
  if (type == "Sign") return (a > 0) - (a < 0);
  if (type == "Relu") return std::max(a, 0.0);
  if (type == "Floor") return std::floor(a);
  if (type == "Ceil") return std::ceil(a);
  if (type == "Round") return std::nearbyint(a);
  if (type == "Sqrt") return std::sqrt(a);
  if (type == "Reciprocal" && a != 0) return 1 / a;
  return std::nullopt;
}

template <typename T>
bool compare(std::string_view type, T a, T b) {
  if (type == "Equal") return a == b;
  if (type == "Less") return a < b;
  if (type == "Greater") return a > b;
  if (type == "LessOrEqual") return a <= b;
  return a >= b;  // GreaterOrEqual
}

const std::optional<std::vector<int64_t>>& values_of(const ValueFacts& facts, int64_t) { return facts.integers; }
const std::optional<std::vector<double>>& values_of(const ValueFacts& facts, double) { return facts.numbers; }
void set_values(ValueFacts* output, std::vector<int64_t> values) { set_integers(output, std::move(values)); }
void set_values(ValueFacts* output, std::vector<double> values) { set_numbers(output, std::move(values)); }

template <typename T>
bool all_have_values(const OperatorCall& call) {
  const bool is_old = call.node().integer("broadcast", 0) != 0;  // aligned in another way
  if (call.input_count() == 0 || is_old) return false;
  for (size_t i = 0; i < call.input_count(); ++i)
    if (!call.has(i) || !values_of(call.input(i), T())) return false;
  return true;
}

template <typename T>
void combine_all(OperatorCall& call) {
  if (!all_have_values<T>(call)) return;
  ValueFacts& output = call.output(0);
  const std::string_view type = call.node().type;
  const bool like_c = call.node().integer("fmod", 0) != 0;
  std::vector<T> result;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const std::vector<T>& values = *values_of(call.input(i), T());
    const std::vector<size_t> positions = broadcast_positions(call.shape(i), output.dimensions);
    if (i == 0) {
      for (const size_t position : positions) result.push_back(values[position]);
      continue;
    }
    for (size_t k = 0; k < result.size(); ++k) {
      const std::optional<T> combined = combine(type, like_c, result[k], values[positions[k]]);
      if (!combined) return;
      result[k] = *combined;
    }
  }
  set_values(&output, std::move(result));
}

template <typename T>
void compare_both(OperatorCall& call) {
  if (!all_have_values<T>(call) || call.input_count() != 2) return;
  ValueFacts& output = call.output(0);
  const std::vector<size_t> left = broadcast_positions(call.shape(0), output.dimensions);
  const std::vector<size_t> right = broadcast_positions(call.shape(1), output.dimensions);
  std::vector<int64_t> result;
  for (size_t k = 0; k < left.size(); ++k)
    result.push_back(compare<T>(call.node().type, (*values_of(call.input(0), T()))[left[k]],
                                (*values_of(call.input(1), T()))[right[k]]));
  set_integers(&output, std::move(result));
}

template <typename T>
void change_all(OperatorCall& call) {
  if (!all_have_values<T>(call)) return;
  std::vector<T> result = *values_of(call.input(0), T());
  for (T& value : result) {
    const std::optional<T> changed = change(call.node().type, value);
    if (!changed) return;
    value = *changed;
  }
  set_values(&call.output(0), std::move(result));
}

template <typename T>
void choose(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  const auto& yes = values_of(call.input(1), T());
  const auto& no = values_of(call.input(2), T());
  if (!yes || !no) return;
  const std::vector<size_t> which = broadcast_positions(call.shape(0), output.dimensions);
  const std::vector<size_t> left = broadcast_positions(call.shape(1), output.dimensions);
  const std::vector<size_t> right = broadcast_positions(call.shape(2), output.dimensions);
  std::vector<T> result;
  for (size_t k = 0; k < which.size(); ++k)
    result.push_back((*call.input(0).integers)[which[k]] != 0 ? (*yes)[left[k]] : (*no)[right[k]]);
  set_values(&output, std::move(result));
}

template <typename T>
void reduce(OperatorCall& call, const std::vector<int64_t>& axes) {
  const auto& values = values_of(call.input(0), T());
  if (!values || values->empty()) return;
  const std::string_view type = call.node().type;
  const std::string_view step = type == "ReduceProd"  ? "Mul"
                                : type == "ReduceSum" ? "Add"
                                : type == "ReduceMin" ? "Min"
                                : type == "ReduceMax" ? "Max"
                                                      : "";
  if (step.empty()) return;
  // The kept dimensions in front, so that each run of the reduced ones is one result.
  const std::vector<int64_t> strides = strides_of(call.shape(0));
  Dimensions dimensions;
  std::vector<int64_t> order;
  for (const bool reduced : {false, true})
    for (int64_t i = 0; i < call.rank(0); ++i) {
      if (std::binary_search(axes.begin(), axes.end(), i) != reduced) continue;
      dimensions.push_back(call.shape(0)[static_cast<size_t>(i)]);
      order.push_back(strides[static_cast<size_t>(i)]);
    }
  const std::vector<size_t> positions = strided_positions(dimensions, order, 0);
  const auto run = static_cast<size_t>(product_of(dimensions, dimensions.size() - axes.size(), dimensions.size()));
  std::vector<T> result;
  for (size_t k = 0; k < positions.size(); k += run) {
    T total = (*values)[positions[k]];
    for (size_t j = 1; j < run; ++j) {
      const std::optional<T> combined = combine(step, false, total, (*values)[positions[k + j]]);
      if (!combined) return;
      total = *combined;
    }
    result.push_back(total);
  }
  set_values(&call.output(0), std::move(result));
}

}  // namespace

void unary_values(OperatorCall& call) {
  if (!keeps_values(call.output(0))) return;
  change_all<int64_t>(call);
  change_all<double>(call);
}

void binary_values(OperatorCall& call) {
  if (!keeps_values(call.output(0))) return;
  combine_all<int64_t>(call);
  combine_all<double>(call);
}

void comparison_values(OperatorCall& call) {
  if (!keeps_values(call.output(0))) return;
  compare_both<int64_t>(call);
  compare_both<double>(call);
}

void where_values(OperatorCall& call) {
  if (!keeps_values(call.output(0)) || !call.input(0).integers) return;
  choose<int64_t>(call);
  choose<double>(call);
}

void cast_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  if (!keeps_values(output)) return;
  const ValueFacts& input = call.input(0);
  const bool to_bool = output.element == ElementType::kBool;
  if (is_integer(output.element)) {
    std::vector<int64_t> values;
    if (input.integers) values = *input.integers;
    if (input.numbers) {
      constexpr double kMost = 9.2e18;
      for (const double number : *input.numbers) {
        if (!(std::abs(number) < kMost)) return;
        values.push_back(to_bool ? number != 0 : static_cast<int64_t>(number));
      }
    }
    if (!input.integers && !input.numbers) return;
    if (to_bool)
      for (int64_t& value : values) value = value != 0;
    set_integers(&output, std::move(values));
  } else if (is_floating(output.element)) {
    if (input.integers) set_numbers(&output, std::vector<double>(input.integers->begin(), input.integers->end()));
    if (input.numbers) set_numbers(&output, *input.numbers);
  }
}

void reduction_values(OperatorCall& call, const std::vector<int64_t>& axes) {
  if (!keeps_values(call.output(0))) return;
  reduce<int64_t>(call, axes);
  reduce<double>(call, axes);
}

void cumulative_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  if (!keeps_values(output) || !call.input(0).integers || !call.has(1) || !call.input(1).integers) return;
  if (call.input(1).integers->size() != 1 || call.rank(0) != 1) return;
  std::vector<int64_t> values = *call.input(0).integers;
  const bool reverse = call.node().integer("reverse", 0) != 0;
  const bool exclusive = call.node().integer("exclusive", 0) != 0;
  if (reverse) std::reverse(values.begin(), values.end());
  int64_t total = 0;
  for (int64_t& value : values) {
    const int64_t before = total;
    if (!add_checked(total, value, &total)) return;
    value = exclusive ? before : total;
  }
  if (reverse) std::reverse(values.begin(), values.end());
  set_integers(&output, std::move(values));
}

}  // namespace xsp::bound
