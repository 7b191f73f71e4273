#include <algorithm>
#include <cmath>
#include <utility>

#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// Where an index of a resized dimension lies in the source (the published schema of Resize).
double source_coordinate(std::string_view mode, int64_t index, int64_t from, int64_t to) {
  const auto x = static_cast<double>(index);
  const double shrinking = static_cast<double>(from) / static_cast<double>(to);
  if (mode == "align_corners") return to == 1 ? 0 : x * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  if (mode == "asymmetric") return x * shrinking;
  return (x + 0.5) * shrinking - 0.5;
}

size_t clamped(double coordinate, int64_t size) {
  return static_cast<size_t>(std::clamp(coordinate, 0.0, static_cast<double>(size - 1)));
}

/// Halves go down; asymmetric coordinates are cut off.
double nearest_value(const PlainTensor& source, const Dimensions& result, std::string_view mode, size_t position) {
  const Indices indices = indices_of(position, result);
  size_t at = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t size = source.dimensions[i];
    const double exact = source_coordinate(mode, indices[i], size, result[i]);
    const double whole = mode == "asymmetric" ? std::floor(exact) : std::ceil(exact - 0.5);
    at = at * static_cast<size_t>(size) + clamped(whole, size);
  }
  return static_cast<double>(source.values[at]);
}

double linear_value(const PlainTensor& source, const Dimensions& result, std::string_view mode, size_t position) {
  const Indices indices = indices_of(position, result);
  const size_t rank = result.size();
  std::array<std::array<size_t, 2>, kMostRank> corners{};
  std::array<double, kMostRank> shares{};
  size_t blended = 0;  // dimensions that are resized, as a set
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = source.dimensions[i];
    const double exact =
        std::clamp(source_coordinate(mode, indices[i], size, result[i]), 0.0, static_cast<double>(size - 1));
    corners[i] = {clamped(std::floor(exact), size), clamped(std::floor(exact) + 1, size)};
    shares[i] = exact - std::floor(exact);
    if (shares[i] > 0) blended |= size_t{1} << i;
  }
  double value = 0;
  // All subsets of the blended dimensions.
  for (size_t upper = blended;; upper = (upper - 1) & blended) {
    double share = 1;
    size_t at = 0;
    for (size_t i = 0; i < rank; ++i) {
      const bool is_upper = (upper >> i & 1) != 0;
      share *= is_upper ? shares[i] : 1 - shares[i];
      at = at * static_cast<size_t>(source.dimensions[i]) + corners[i][is_upper ? 1 : 0];
    }
    value += share * static_cast<double>(source.values[at]);
    if (upper == 0) return value;
  }
}

}  // namespace

ReferenceValue concatenation_reference(const ReferenceInput& input) {
  const auto axis = static_cast<size_t>(input.problem.integer("axis"));
  return [input, axis](size_t position) {
    Indices indices = indices_of(position, input.result);
    for (const PlainTensor& operand : input.operands) {
      if (indices[axis] < operand.dimensions[axis])
        return static_cast<double>(
            operand.values[broadcast_position(indices, input.result.size(), operand.dimensions)]);
      indices[axis] -= operand.dimensions[axis];
    }
    return 0.0;
  };
}

ReferenceValue transposition_reference(const ReferenceInput& input) {
  const auto order = input.problem.list("perm");
  const auto strides = row_major_strides(input.operand(0).dimensions);
  return [input, order, strides](size_t position) {
    const Indices indices = indices_of(position, input.result);
    size_t at = 0;
    for (size_t i = 0; i < order.size(); ++i)
      at += static_cast<size_t>(indices[i]) * strides[static_cast<size_t>(order[i])];
    return static_cast<double>(input.operand(0).values[at]);
  };
}

ReferenceValue resizing_reference(const ReferenceInput& input) {
  const bool is_nearest = input.problem.field("alg") == "nearest";
  const std::string mode(input.problem.field("mode"));
  if (!mode.empty() && mode != "asymmetric" && (mode != "align_corners" || is_nearest)) return {};
  return [input, is_nearest, mode](size_t position) {
    return is_nearest ? nearest_value(input.operand(0), input.result, mode, position)
                      : linear_value(input.operand(0), input.result, mode, position);
  };
}

ReferenceValue cast_reference(const ReferenceInput& input) {
  const bool is_truth = input.problem.field("to") == "bool";
  return [&source = input.operand(0), is_truth](size_t position) {
    const auto value = static_cast<double>(source.values[position]);
    return is_truth ? (value != 0 ? 1.0 : 0.0) : value;
  };
}

}  // namespace xsp::bound
