#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

/// A Constant has its value in the attribute whose name says what it is.
Finding constant(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  const Node& node = call.node();
  const auto set = [&](ElementType element, Dimensions dimensions) {
    output.element = element;
    call.set_shape(0, std::move(dimensions));
  };
  const auto length_of = [](const auto& list) { return Dimensions{static_cast<int64_t>(list.size())}; };
  for (const Attribute& attribute : node.attributes) {
    if ((attribute.name == "value" || attribute.name == "sparse_value") && !attribute.tensors.empty()) {
      output = facts_of(attribute.tensors[0]);
    } else if (attribute.name == "value_int") {
      set(ElementType::kI64, {});
      output.integers = std::vector<int64_t>{attribute.integer};
    } else if (attribute.name == "value_ints") {
      set(ElementType::kI64, length_of(attribute.integers));
      if (keeps_values(output)) output.integers = attribute.integers;
    } else if (attribute.name == "value_float") {
      set(ElementType::kF32, {});
      output.numbers = std::vector<double>{attribute.number};
    } else if (attribute.name == "value_floats") {
      set(ElementType::kF32, length_of(attribute.numbers));
      if (keeps_values(output)) output.numbers = attribute.numbers;
    } else if (attribute.name == "value_string") {
      set(ElementType::kString, {});
    } else if (attribute.name == "value_strings") {
      set(ElementType::kString, length_of(attribute.texts));
    }
  }
  return output.has_shape ? Finding::known() : Finding::unknown("its value is of a kind that is not read");
}

/// The tensor that fills a ConstantOfShape; null: one zero in f32.
const ConstantTensor* filling_of(const OperatorCall& call) {
  const Attribute* value = call.node().attribute("value");
  return value != nullptr && !value->tensors.empty() ? &value->tensors[0] : nullptr;
}

Finding constant_of_shape(OperatorCall& call) {
  const GivenList shape = call.list(0, "");
  if (!shape.is_known) return depends_on_data("its shape");
  call.set_shape(0, shape.values);
  return Finding::known();
}

void constant_of_shape_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  if (!keeps_values(output)) return;
  const auto count = static_cast<size_t>(output.elements());
  const ConstantTensor* filling = filling_of(call);
  if (filling == nullptr)
    output.numbers = std::vector<double>(count, 0);
  else if (is_integer(filling->element) && filling->integers.size() == 1)
    output.integers = std::vector<int64_t>(count, filling->integers[0]);
  else if (is_floating(filling->element) && filling->numbers.size() == 1)
    output.numbers = std::vector<double>(count, filling->numbers[0]);
}

/// Number of elements of a Range; nothing where it makes no sense. The distance is of the values' own precision.
std::optional<int64_t> range_length(double start, double limit, double delta, bool is_single) {
  const double distance = is_single ? static_cast<double>(static_cast<float>(limit - start)) : limit - start;
  const double length = std::ceil(distance / delta);
  if (!(length < 0x1p53)) return std::nullopt;
  return static_cast<int64_t>(std::max(length, 0.0));
}

Finding range(OperatorCall& call) {
  for (size_t i = 0; i < 3; ++i) {
    const ValueFacts& input = call.input(i);
    const bool is_one = input.integers ? input.integers->size() == 1 : input.numbers && input.numbers->size() == 1;
    if (!is_one) return depends_on_data("its length");
  }
  std::optional<int64_t> length;
  if (call.input(0).integers && call.input(1).integers && call.input(2).integers) {
    const int64_t start = call.input(0).integers->front();
    const int64_t delta = call.input(2).integers->front();
    int64_t distance = 0;
    if (!subtract_checked(call.input(1).integers->front(), start, &distance)) return Finding::impossible("too long");
    if (delta == 0) return Finding::impossible("a step of 0");
    const bool is_empty = distance == 0 || (distance > 0) != (delta > 0);
    // Rounded up; no division overflows, as a distance and a step of the same sign are left.
    length = is_empty ? 0 : distance / delta + (distance % delta != 0 ? 1 : 0);
  } else if (call.input(0).numbers && call.input(1).numbers && call.input(2).numbers) {
    length = range_length(call.input(0).numbers->front(), call.input(1).numbers->front(),
                          call.input(2).numbers->front(), call.input(0).element == ElementType::kF32);
  }
  if (!length) return Finding::impossible("its limits make no sense");
  call.set_shape(0, {*length});
  return Finding::known();
}

void range_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  if (!keeps_values(output)) return;
  const auto count = static_cast<size_t>(output.elements());
  if (call.input(0).integers) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(call.input(0).integers->front() + static_cast<int64_t>(i) * call.input(2).integers->front());
    set_integers(&output, std::move(values));
  } else {
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(call.input(0).numbers->front() + static_cast<double>(i) * call.input(2).numbers->front());
    set_numbers(&output, std::move(values));
  }
}

/// Dimensions that a Shape node gives: those from `start` to before `end`, both clamped.
Dimensions shown_dimensions(const OperatorCall& call) {
  const Dimensions& shape = call.shape(0);
  const int64_t rank = call.rank(0);
  const auto clamped = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank); };
  const int64_t start = clamped(call.node().integer("start", 0));
  const int64_t end = clamped(call.node().integer("end", rank));
  return start < end ? Dimensions(shape.begin() + start, shape.begin() + end) : Dimensions();
}

Finding shape_of(OperatorCall& call) {
  call.set_shape(0, {static_cast<int64_t>(shown_dimensions(call).size())});
  return Finding::known();
}

void shape_of_values(OperatorCall& call) { call.output(0).integers = shown_dimensions(call); }

Finding scalar(OperatorCall& call) {
  call.set_shape(0, {});
  return Finding::known();
}

void size_values(OperatorCall& call) { call.output(0).integers = std::vector<int64_t>{product_of(call.shape(0))}; }

Finding shape_attribute(OperatorCall& call) {
  call.set_shape(0, call.node().integers("shape"));
  return Finding::known();
}

Finding one_hot(OperatorCall& call) {
  const ValueFacts& depth = call.input(1);
  int64_t size = 0;
  if (depth.integers && depth.integers->size() == 1)
    size = depth.integers->front();
  else if (depth.numbers && depth.numbers->size() == 1 && std::abs(depth.numbers->front()) < 0x1p53)
    size = static_cast<int64_t>(depth.numbers->front());
  else
    return depends_on_data("its depth");
  Dimensions shape = call.shape(0);
  int64_t axis = call.node().integer("axis", -1);
  if (!normalize_axis(call.rank(0) + 1, &axis)) return no_such_axis(axis, shape);
  shape.insert(shape.begin() + axis, size);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding multinomial(OperatorCall& call) {
  if (call.rank(0) != 2) return wrong_rank("the input", call.shape(0));
  call.set_shape(0, {call.shape(0)[0], call.node().integer("sample_size", 1)});
  return Finding::known();
}

constexpr OperatorRule kCreationRules[] = {
    {"", "Bernoulli", 1, "@dtype:0", same_shape, nullptr, OperatorRule::kRandom},
    {"", "Constant", 0, "*", constant},
    {"", "ConstantOfShape", 1, "@value:f32", constant_of_shape, constant_of_shape_values},
    {"", "EyeLike", 1, "@dtype:0", same_shape, nullptr, OperatorRule::kOfShapeAlone},
    {"", "Multinomial", 1, "@dtype:i32", multinomial, nullptr, OperatorRule::kRandom},
    {"", "OneHot", 3, "2", one_hot},
    {"", "RandomNormal", 0, "@dtype:f32", shape_attribute, nullptr, OperatorRule::kRandom},
    {"", "RandomNormalLike", 1, "@dtype:0", same_shape, nullptr, OperatorRule::kRandom},
    {"", "RandomUniform", 0, "@dtype:f32", shape_attribute, nullptr, OperatorRule::kRandom},
    {"", "RandomUniformLike", 1, "@dtype:0", same_shape, nullptr, OperatorRule::kRandom},
    {"", "Range", 3, "0", range, range_values},
    {"", "Shape", 1, "i64", shape_of, shape_of_values, OperatorRule::kOfShapeAlone},
    {"", "Size", 1, "i64", scalar, size_values, OperatorRule::kOfShapeAlone},
};

}  // namespace

std::span<const OperatorRule> creation_rules() { return kCreationRules; }

}  // namespace xsp::bound
