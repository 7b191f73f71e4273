#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bound/problems/problem.h"

namespace xsp::bound {

using Dimensions = std::vector<int64_t>;

/// A problem may come from a file: no tensor that one computes with has more elements.
inline constexpr int64_t kMostElements = int64_t{1} << 40;
inline constexpr size_t kMostRank = 16;

/// Nothing where a dimension is negative, or there are more than kMostElements or kMostRank.
std::optional<int64_t> elements_in(const Dimensions& dimensions);

/// How far apart neighbours of each dimension lie in row-major order.
std::vector<size_t> row_major_strides(const Dimensions& dimensions);

/// Indices of an element, at most kMostRank of them.
using Indices = std::array<int64_t, kMostRank>;
Indices indices_of(size_t position, const Dimensions& dimensions);

/// Where the element of a broadcast operand lies that belongs to these indices of the result.
size_t broadcast_position(const Indices& indices, size_t rank, const Dimensions& operand);

/// A window that moves over images: of convolutions and poolings.
struct Window {
  Dimensions kernel, strides, pads_begin, pads_end, dilations;

  size_t rank() const { return kernel.size(); }
  int64_t elements() const;
};

/// From the fields strides, pads, dil (1 where there is none); nothing where they are not as long as the kernel, or
/// cannot be those of a window.
std::optional<Window> window_of(const Problem& problem, const Dimensions& kernel);

/// A product of the operands' last two dimensions.
struct ProductForm {
  Dimensions batch;  // of the result
  int64_t rows = 0, columns = 0, depth = 0;
  bool is_source_transposed = false, is_weight_transposed = false;
};
std::optional<ProductForm> product_form(const Problem& problem);

/// The operands of concat; empty where the field is none of dimensions joined by ",".
std::vector<Dimensions> concatenated(const Problem& problem);

/// Dimensions of the result; nothing where the kind has no back ends, or its fields do not fit together.
std::optional<Dimensions> checked_result_dimensions(const Problem& problem);

}  // namespace xsp::bound
