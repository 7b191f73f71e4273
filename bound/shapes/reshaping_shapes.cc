#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

Finding reshape(OperatorCall& call) {
  const GivenList wanted = call.list(1, "shape");
  if (!wanted.is_given) return Finding::impossible("no shape is given");
  if (!wanted.is_known) return depends_on_data("its shape");
  const Dimensions& from = call.shape(0);
  const bool zero_is_zero = call.node().integer("allowzero", 0) != 0;
  const Finding wrong = Finding::impossible(fmt::format("{} elements as {}", text_of(from), text_of(wanted.values)));
  Dimensions shape = wanted.values;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !zero_is_zero) {
      if (i >= from.size()) return wrong;
      shape[i] = from[i];
    } else if (shape[i] == -1 && !open) {
      open = i;
    } else if (shape[i] < 0) {
      return wrong;
    }
  }
  const int64_t all = product_of(from);
  if (open) {
    shape[*open] = 1;
    const int64_t others = product_of(shape);
    if (others == 0 ? all != 0 : all % others != 0) return wrong;
    shape[*open] = others == 0 ? 0 : all / others;
  }
  if (product_of(shape) != all) return wrong;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding flatten(OperatorCall& call) {
  const Dimensions& from = call.shape(0);
  int64_t axis = call.node().integer("axis", 1);
  if (axis != call.rank(0) && !normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, from);
  const auto split = static_cast<size_t>(axis);
  call.set_shape(0, {product_of(from, 0, split), product_of(from, split, from.size())});
  return Finding::known();
}

Finding squeeze(OperatorCall& call) {
  GivenList axes = call.list(1, "axes");
  if (!axes.is_known) return depends_on_data("the list of its axes");
  const Dimensions& from = call.shape(0);
  if (!normalize_axes(call.rank(0), &axes.values))
    return Finding::impossible(fmt::format("axes {} of {}", text_of(axes.values), text_of(from)));
  Dimensions shape;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool goes = axes.is_given
                          ? std::binary_search(axes.values.begin(), axes.values.end(), static_cast<int64_t>(i))
                          : from[i] == 1;
    if (!goes) shape.push_back(from[i]);
    if (goes && from[i] != 1) return Finding::impossible(fmt::format("axis {} of {} is not 1", i, text_of(from)));
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding unsqueeze(OperatorCall& call) {
  GivenList axes = call.list(1, "axes");
  if (!axes.is_known) return depends_on_data("the list of its axes");
  const Dimensions& from = call.shape(0);
  if (!normalize_axes(call.rank(0) + static_cast<int64_t>(axes.values.size()), &axes.values))
    return Finding::impossible(fmt::format("axes {} put into {}", text_of(axes.values), text_of(from)));
  Dimensions shape = from;
  for (const int64_t axis : axes.values) shape.insert(shape.begin() + axis, 1);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// The order of the dimensions of a Transpose; reversed where none is given. Nothing for what is no order.
std::optional<std::vector<size_t>> order_of(const OperatorCall& call) {
  const auto rank = static_cast<size_t>(call.rank(0));
  std::vector<size_t> order;
  if (call.node().attribute("perm") == nullptr) {
    for (size_t i = rank; i-- > 0;) order.push_back(i);
    return order;
  }
  std::vector<int64_t> axes = call.node().integers("perm");
  for (int64_t& axis : axes) {
    if (!normalize_axis(call.rank(0), &axis)) return std::nullopt;
    order.push_back(static_cast<size_t>(axis));
  }
  if (axes.size() != rank || !normalize_axes(call.rank(0), &axes)) return std::nullopt;
  return order;
}

Finding transpose(OperatorCall& call) {
  const auto order = order_of(call);
  if (!order)
    return Finding::impossible(
        fmt::format("the order {} of {}", text_of(call.node().integers("perm")), text_of(call.shape(0))));
  Dimensions shape;
  for (const size_t axis : *order) shape.push_back(call.shape(0)[axis]);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

void transpose_values(OperatorCall& call) {
  const auto order = order_of(call);
  if (!order || !keeps_values(call.output(0))) return;
  const std::vector<int64_t> own = strides_of(call.shape(0));
  std::vector<int64_t> strides;
  for (const size_t axis : *order) strides.push_back(own[axis]);
  pick_values(call.input(0), strided_positions(call.output(0).dimensions, strides, 0), &call.output(0));
}

Finding expand(OperatorCall& call) {
  const GivenList to = call.list(1, "shape");
  if (!to.is_known || !to.is_given) return depends_on_data("its shape");
  Dimensions shape;
  if (!broadcast(call.shape(0), to.values, &shape))
    return Finding::impossible(fmt::format("{} expanded to {}", text_of(call.shape(0)), text_of(to.values)));
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

void expand_values(OperatorCall& call) {
  if (!keeps_values(call.output(0))) return;
  pick_values(call.input(0), broadcast_positions(call.shape(0), call.output(0).dimensions), &call.output(0));
}

Finding tile(OperatorCall& call) {
  const GivenList repeats = call.list(1, "");
  if (!repeats.is_known) return depends_on_data("how often it repeats");
  Dimensions shape = call.shape(0);
  const Finding wrong =
      Finding::impossible(fmt::format("{} repeated {} times", text_of(shape), text_of(repeats.values)));
  if (repeats.values.size() != shape.size()) return wrong;
  for (size_t i = 0; i < shape.size(); ++i)
    if (repeats.values[i] < 0 || !multiply_checked(shape[i], repeats.values[i], &shape[i])) return wrong;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// As [repeat, size] for each dimension, where a repeat does not move in the input.
void tile_values(OperatorCall& call) {
  if (!keeps_values(call.output(0)) || call.output(0).elements() == 0) return;
  const std::vector<int64_t> own = strides_of(call.shape(0));
  Dimensions dimensions;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < own.size(); ++i) {
    dimensions.insert(dimensions.end(), {call.output(0).dimensions[i] / call.shape(0)[i], call.shape(0)[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  pick_values(call.input(0), strided_positions(dimensions, strides, 0), &call.output(0));
}

Finding depth_to_space(OperatorCall& call) {
  const Dimensions& from = call.shape(0);
  const int64_t block = call.node().integer("blocksize", 0);
  if (from.size() != 4) return wrong_rank("the input", from);
  int64_t area = 0;
  Dimensions shape = from;
  if (block < 1 || !multiply_checked(block, block, &area) || from[1] % area != 0 ||
      !multiply_checked(from[2], block, &shape[2]) || !multiply_checked(from[3], block, &shape[3]))
    return Finding::impossible(fmt::format("blocks of {} of {}", block, text_of(from)));
  shape[1] = from[1] / area;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding space_to_depth(OperatorCall& call) {
  const Dimensions& from = call.shape(0);
  const int64_t block = call.node().integer("blocksize", 0);
  if (from.size() != 4) return wrong_rank("the input", from);
  int64_t area = 0;
  Dimensions shape = from;
  if (block < 1 || from[2] % block != 0 || from[3] % block != 0 || !multiply_checked(block, block, &area) ||
      !multiply_checked(from[1], area, &shape[1]))
    return Finding::impossible(fmt::format("blocks of {} of {}", block, text_of(from)));
  shape[2] = from[2] / block;
  shape[3] = from[3] / block;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kReshapingRules[] = {
    {"", "DepthToSpace", 1, "0", depth_to_space},      {"", "Expand", 2, "0", expand, expand_values},
    {"", "Flatten", 1, "0", flatten, copy_values},     {"", "Reshape", 1, "0", reshape, copy_values},
    {"", "SpaceToDepth", 1, "0", space_to_depth},      {"", "Squeeze", 1, "0", squeeze, copy_values},
    {"", "Tile", 2, "0", tile, tile_values},           {"", "Transpose", 1, "0", transpose, transpose_values},
    {"", "Unsqueeze", 1, "0", unsqueeze, copy_values},
};

}  // namespace

std::span<const OperatorRule> reshaping_rules() { return kReshapingRules; }

}  // namespace xsp::bound
