#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bound/model/layer.h"

namespace xsp::bound {

struct LongestPath {
  double length = 0;
  std::vector<size_t> layers;  // in order
};

/// The dearest way through the graph, `weights` by layer, none of them negative. It begins and ends with a layer that
/// has a weight; layers without one lie on it where it passes through them. Of equal ways the one over earlier layers.
/// Empty where nothing has a weight.
///
/// Lengths are summed from the first layer on, as a plain sum over all layers is: of a chain both are equal to the last
/// bit, and never is the path the longer one.
LongestPath longest_path(std::span<const Layer> layers, std::span<const double> weights);

/// The same of a graph of anything, by what each reads: all of it before it.
LongestPath longest_path_through(std::span<const std::vector<size_t>> producers, std::span<const double> weights);

}  // namespace xsp::bound
