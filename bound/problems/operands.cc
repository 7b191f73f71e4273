#include <array>
#include <cmath>

#include "bound/problems/operand_shapes.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {
namespace {

constexpr size_t kTableBits = 8;
using ValueTable = std::array<float, size_t{1} << kTableBits>;

/// The value of a range at a number below 256.
float value_at(ValueRange range, uint32_t number) {
  const auto signed_within = [number](int32_t most) {
    return static_cast<float>(static_cast<int32_t>(number % static_cast<uint32_t>(2 * most + 1)) - most);
  };
  const auto at_least_one = [number](uint32_t most) { return static_cast<float>(number % most + 1); };
  switch (range) {
    case ValueRange::kCoarse:
      return signed_within(8) / 4;
    case ValueRange::kWeight:
      return signed_within(4) / 4;
    case ValueRange::kFine:
      return signed_within(127) / 16;
    case ValueRange::kPositive:
      return at_least_one(256) / 16;
    case ValueRange::kNotZero:
      return at_least_one(8) / 4 * (number % 32 < 16 ? 1.0F : -1.0F);
    case ValueRange::kDivisor:
      return at_least_one(16) / 4;
    case ValueRange::kSign:
      return number % 2 == 0 ? 1.0F : -1.0F;
    case ValueRange::kSparse:
      return number < 4 ? 1.0F : 0.0F;
    case ValueRange::kSparseSign:
      return number < 32 ? 1.0F : number < 64 ? -1.0F : 0.0F;
    case ValueRange::kTwoValues:
      return static_cast<float>(number % 2);
    case ValueRange::kCount:
      return static_cast<float>(number % 8);
    case ValueRange::kPositiveCount:
      return at_least_one(4);
  }
  return 0;
}

/// The numbers below 256 in an order without pattern (a generator of full period, its middle bits), as values.
ValueTable shuffled_values(ValueRange range, uint32_t seed) {
  ValueTable table{};
  uint32_t state = seed;
  for (float& value : table) {
    state = state * 1664525U + 1013904223U;
    value = value_at(range, (state >> 16) & 0xFF);
  }
  return table;
}

/// Element i takes the value at the upper bits of i times an odd number near 2^32 / golden ratio: quick, evenly spread,
/// and no power of two is a period, so that channels and rows that are mistaken for one another differ.
void fill_values(ValueRange range, uint32_t ordinal, std::vector<float>* values) {
  const ValueTable table = shuffled_values(range, ordinal * 7919U + 12345U);
  const uint32_t step = 2654435769U + 2 * ordinal * 40503U;
  constexpr uint32_t kShift = 32 - kTableBits;
  float* const out = values->data();
  const size_t count = values->size();
  for (size_t i = 0; i < count; ++i) out[i] = table[(static_cast<uint32_t>(i) * step) >> kShift];
}

}  // namespace

std::vector<PlainTensor> make_operands(const Problem& problem) {
  std::vector<PlainTensor> operands;
  uint32_t ordinal = 0;
  for (OperandShape& shape : operand_shapes(problem)) {
    PlainTensor operand{shape.name, shape.element, shape.dimensions, {}};
    operand.values.resize(static_cast<size_t>(elements_in(shape.dimensions).value_or(0)));
    fill_values(shape.range, ordinal, &operand.values);
    operands.push_back(std::move(operand));
    ++ordinal;
  }
  return operands;
}

}  // namespace xsp::bound
