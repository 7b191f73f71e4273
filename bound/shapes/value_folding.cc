#include "bound/shapes/value_folding.h"

#include <cmath>
#include <limits>
#include <utility>

namespace xsp::bound {
namespace {

/// The least and the largest number of an integer type.
std::pair<int64_t, int64_t> range_of(ElementType type) {
  switch (type) {
    case ElementType::kBool:
      return {0, 1};
    case ElementType::kU2:
      return {0, 3};
    case ElementType::kI2:
      return {-2, 1};
    case ElementType::kU4:
      return {0, 15};
    case ElementType::kI4:
      return {-8, 7};
    case ElementType::kU8:
      return {0, std::numeric_limits<uint8_t>::max()};
    case ElementType::kI8:
      return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
    case ElementType::kU16:
      return {0, std::numeric_limits<uint16_t>::max()};
    case ElementType::kI16:
      return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
    case ElementType::kU32:
      return {0, std::numeric_limits<uint32_t>::max()};
    case ElementType::kI32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case ElementType::kU64:
      return {0, std::numeric_limits<int64_t>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

template <typename T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<size_t>& positions) {
  std::vector<T> result;
  result.reserve(positions.size());
  for (const size_t position : positions) result.push_back(values[position]);
  return result;
}

}  // namespace

ValueFacts facts_of(const ConstantTensor& tensor) {
  ValueFacts facts;
  facts.element = tensor.element;
  facts.dimensions = tensor.dimensions;
  facts.is_constant = true;
  facts.has_shape = true;
  if (!tensor.has_values || !keeps_values(facts)) return facts;
  const auto count = static_cast<size_t>(facts.elements());
  if (is_integer(tensor.element) && tensor.integers.size() == count) facts.integers = tensor.integers;
  if (is_floating(tensor.element) && tensor.numbers.size() == count) facts.numbers = tensor.numbers;
  return facts;
}

bool keeps_values(const ValueFacts& output) {
  return output.has_shape && output.elements() <= static_cast<double>(ConstantTensor::kMostConstantElements);
}

void set_integers(ValueFacts* output, std::vector<int64_t> values) {
  if (!is_integer(output->element)) return;
  const auto [least, most] = range_of(output->element);
  for (const int64_t value : values)
    if (value < least || value > most) return;
  output->integers = std::move(values);
}

void set_numbers(ValueFacts* output, std::vector<double> values) {
  const bool is_single = output->element == ElementType::kF32;
  if (!is_single && output->element != ElementType::kF64) return;
  for (double& value : values) {
    if (!std::isfinite(value)) return;
    if (!is_single) continue;
    if (std::abs(value) > std::numeric_limits<float>::max()) return;
    value = static_cast<float>(value);
  }
  output->numbers = std::move(values);
}

void copy_values(OperatorCall& call) {
  if (!call.has(0) || !keeps_values(call.output(0))) return;
  call.output(0).integers = call.input(0).integers;
  call.output(0).numbers = call.input(0).numbers;
}

void pick_values(const ValueFacts& input, const std::vector<size_t>& positions, ValueFacts* output) {
  if (input.integers) output->integers = picked(*input.integers, positions);
  if (input.numbers) output->numbers = picked(*input.numbers, positions);
}

std::vector<size_t> strided_positions(const Dimensions& dimensions, const std::vector<int64_t>& strides, int64_t base) {
  const auto count = static_cast<size_t>(product_of(dimensions));
  std::vector<size_t> positions;
  positions.reserve(count);
  std::vector<int64_t> index(dimensions.size(), 0);
  int64_t position = base;
  while (positions.size() < count) {
    positions.push_back(static_cast<size_t>(position));
    for (size_t i = dimensions.size(); i-- > 0;) {
      position += strides[i];
      if (++index[i] < dimensions[i]) break;
      position -= strides[i] * dimensions[i];
      index[i] = 0;
    }
  }
  return positions;
}

std::vector<int64_t> strides_of(const Dimensions& dimensions) {
  std::vector<int64_t> strides(dimensions.size(), 1);
  for (size_t i = dimensions.size(); i-- > 1;) strides[i - 1] = strides[i] * dimensions[i];
  return strides;
}

std::vector<size_t> broadcast_positions(const Dimensions& from, const Dimensions& to) {
  const std::vector<int64_t> own = strides_of(from);
  std::vector<int64_t> strides(to.size(), 0);
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) strides[offset + i] = own[i];
  return strided_positions(to, strides, 0);
}

}  // namespace xsp::bound
