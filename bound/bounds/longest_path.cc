#include "bound/bounds/longest_path.h"

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr size_t kNothingBefore = SIZE_MAX;

/// The longest way that ends with a layer.
struct PathEnd {
  double length = 0;
  size_t before = kNothingBefore;  // the layer ahead of it
};

/// `producers_of` gives what the layer at a place reads.
template <typename ProducersOf>
LongestPath longest_path_of(size_t count, std::span<const double> weights, const ProducersOf& producers_of) {
  std::vector<PathEnd> ends(count);
  size_t last = kNothingBefore;
  double longest = 0;
  for (size_t layer = 0; layer < count; ++layer) {
    PathEnd& end = ends[layer];
    for (const size_t producer : producers_of(layer)) {
      const double length = ends[producer].length;
      if (length > end.length || (length == end.length && length > 0 && producer < end.before)) {
        end = {length, producer};
      }
    }
    end.length += weights[layer];
    if (end.length > longest) {
      longest = end.length;
      last = layer;
    }
  }
  LongestPath path;
  path.length = longest;
  for (size_t layer = last; layer != kNothingBefore; layer = ends[layer].before) path.layers.push_back(layer);
  std::reverse(path.layers.begin(), path.layers.end());
  return path;
}

}  // namespace

LongestPath longest_path(std::span<const Layer> layers, std::span<const double> weights) {
  return longest_path_of(layers.size(), weights,
                         [&](size_t layer) -> const std::vector<size_t>& { return layers[layer].producers; });
}

LongestPath longest_path_through(std::span<const std::vector<size_t>> producers, std::span<const double> weights) {
  return longest_path_of(producers.size(), weights,
                         [&](size_t layer) -> const std::vector<size_t>& { return producers[layer]; });
}

}  // namespace xsp::bound
