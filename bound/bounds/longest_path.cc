#include "bound/bounds/longest_path.h"

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr size_t kNoLayer = SIZE_MAX;

/// The longest way that ends with a layer.
struct PathEnd {
  double length = 0;
  size_t before = kNoLayer;  // the layer ahead of it
};

}  // namespace

LongestPath longest_path(std::span<const Layer> layers, std::span<const double> weights) {
  std::vector<PathEnd> ends(layers.size());
  size_t last = kNoLayer;
  double longest = 0;
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    PathEnd& end = ends[layer];
    for (const size_t producer : layers[layer].producers) {
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
  for (size_t layer = last; layer != kNoLayer; layer = ends[layer].before) path.layers.push_back(layer);
  std::reverse(path.layers.begin(), path.layers.end());
  return path;
}

}  // namespace xsp::bound
