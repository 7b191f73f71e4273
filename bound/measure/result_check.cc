#include "bound/measure/result_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace xsp::bound {
namespace {

constexpr size_t kMostPositions = 256;

/// The finalizer of SplitMix64.
uint64_t scattered(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

bool is_near(double value, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(value);
  if (std::isinf(expected)) return value == expected;
  return std::fabs(value - expected) <= tolerance.absolute + tolerance.relative * std::fabs(expected);
}

}  // namespace

std::vector<size_t> checked_positions(size_t elements) {
  const size_t count = std::min(elements, kMostPositions);
  std::vector<size_t> positions;
  positions.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    // One in each of `count` equal parts, at a place in it that no stride of a layout repeats.
    const size_t begin = i * (elements / count) + std::min(i, elements % count);
    const size_t size = elements / count + (i < elements % count ? 1 : 0);
    const bool is_first = i == 0;
    const bool is_last = i + 1 == count;
    positions.push_back(is_first ? 0 : is_last ? elements - 1 : begin + scattered(i) % size);
  }
  return positions;
}

ResultCheck::ResultCheck(const Problem& problem, const std::vector<PlainTensor>& operands, ExpectedResult earlier)
    : tolerance_(tolerance_of(problem)) {
  if (!operands.empty()) {
    size_t elements = 1;
    for (const int64_t dimension : result_dimensions(problem)) elements *= static_cast<size_t>(dimension);
    expected_ = {elements, reference_values(problem, operands, checked_positions(elements))};
  }
  if (!expected_.is_known()) expected_ = std::move(earlier);
}

std::string ResultCheck::fault_of(const std::vector<float>& result) {
  const std::vector<size_t> positions = checked_positions(result.size());
  if (!expected_.is_known()) {
    expected_.elements = result.size();
    for (const size_t position : positions) expected_.values.push_back(static_cast<double>(result[position]));
    return {};
  }
  if (result.size() != expected_.elements || positions.size() != expected_.values.size()) {
    return fmt::format("wrong result: {} values instead of {}", result.size(), expected_.elements);
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto value = static_cast<double>(result[positions[i]]);
    if (is_near(value, expected_.values[i], tolerance_)) continue;
    return fmt::format("wrong result: {:.6g} instead of {:.6g} at {}", value, expected_.values[i], positions[i]);
  }
  return {};
}

}  // namespace xsp::bound
