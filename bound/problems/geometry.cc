#include "bound/problems/geometry.h"

#include <algorithm>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

std::optional<int64_t> elements_in(const Dimensions& dimensions) {
  if (dimensions.size() > kMostRank) return {};
  int64_t elements = 1;
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension > kMostElements) return {};
    // Behind a zero the others may be anything.
    if (dimension > 0 && elements > kMostElements / dimension) return {};
    elements *= dimension;
  }
  return elements;
}

std::vector<size_t> row_major_strides(const Dimensions& dimensions) {
  std::vector<size_t> strides(dimensions.size(), 1);
  for (size_t i = dimensions.size(); i-- > 1;) strides[i - 1] = strides[i] * static_cast<size_t>(dimensions[i]);
  return strides;
}

Indices indices_of(size_t position, const Dimensions& dimensions) {
  Indices indices{};
  for (size_t i = dimensions.size(); i-- > 0;) {
    const auto size = static_cast<size_t>(dimensions[i]);
    indices[i] = static_cast<int64_t>(position % size);
    position /= size;
  }
  return indices;
}

size_t broadcast_position(const Indices& indices, size_t rank, const Dimensions& operand) {
  size_t position = 0;
  for (size_t i = 0; i < operand.size(); ++i) {
    const auto size = static_cast<size_t>(operand[i]);
    const auto index = static_cast<size_t>(indices[rank - operand.size() + i]);
    position = position * size + (size == 1 ? 0 : index);
  }
  return position;
}

int64_t Window::elements() const {
  int64_t elements = 1;
  for (const int64_t size : kernel) elements *= size;
  return elements;
}

std::optional<Window> window_of(const Problem& problem, const Dimensions& kernel) {
  constexpr int64_t kMost = int64_t{1} << 30;
  Window window{kernel, problem.dimensions("strides"), {}, {}, problem.dimensions("dil")};
  const size_t rank = kernel.size();
  if (!problem.has("dil")) window.dilations.assign(rank, 1);
  const Dimensions pads = problem.list("pads");
  if (rank == 0 || window.strides.size() != rank || window.dilations.size() != rank || pads.size() != 2 * rank ||
      !elements_in(kernel))
    return {};
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.pads_begin.assign(pads.begin(), half);
  window.pads_end.assign(half, pads.end());
  const auto is_size = [](int64_t value) { return value >= 1 && value <= kMost; };
  const auto is_pad = [](int64_t value) { return value >= 0 && value <= kMost; };
  const bool is_sound = std::ranges::all_of(kernel, is_size) && std::ranges::all_of(window.strides, is_size) &&
                        std::ranges::all_of(window.dilations, is_size) && std::ranges::all_of(pads, is_pad);
  return is_sound ? std::optional(std::move(window)) : std::nullopt;
}

std::optional<ProductForm> product_form(const Problem& problem) {
  Dimensions source = problem.dimensions("src");
  Dimensions weight = problem.dimensions("wei");
  if (source.size() < 2 || weight.size() < 2) return {};
  ProductForm form;
  form.is_source_transposed = problem.integer("ta") != 0;
  form.is_weight_transposed = problem.integer("tb") != 0;
  const auto last_two = [](Dimensions& dimensions, bool is_swapped) {
    std::array<int64_t, 2> last{dimensions[dimensions.size() - 2], dimensions.back()};
    dimensions.resize(dimensions.size() - 2);
    if (is_swapped) std::swap(last[0], last[1]);
    return last;
  };
  const auto [rows, depth] = last_two(source, form.is_source_transposed);
  const auto [other_depth, columns] = last_two(weight, form.is_weight_transposed);
  if (depth != other_depth || !broadcast(source, weight, &form.batch)) return {};
  form.rows = rows;
  form.columns = columns;
  form.depth = depth;
  return form;
}

}  // namespace xsp::bound
