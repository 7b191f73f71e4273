#include "analysis/report/bound_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/figures/grouped_bars.h"
#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostBoundBars = 24;
constexpr size_t kMeasured = 0, kFused = 1, kLayerByLayer = 2;  // series

}  // namespace

std::optional<PageDrawing> bound_bars(const GivenBounds& bounds) {
  std::vector<const LayerBound*> layers;
  for (const LayerBound& layer : bounds.layers) {
    if (layer.measured_ms && layer.bound_ms) layers.push_back(&layer);
  }
  if (layers.empty()) return {};
  std::ranges::stable_sort(layers,
                           [](const LayerBound* a, const LayerBound* b) { return *a->measured_ms > *b->measured_ms; });
  const size_t count = layers.size();
  layers.resize(std::min(count, kMostBoundBars));

  GroupedBars drawing;
  drawing.title = "Measured time and bounds by layer";
  drawing.finding = fmt::format("{}: {} ms measured, at least {} ms", layers[0]->name,
                                four_digits(*layers[0]->measured_ms), four_digits(*layers[0]->bound_ms));
  drawing.axis = "time of a call (ms)";
  drawing.series = {{"measured", 8}, {"bound, fused", 1}, {"bound layer by layer", 4}};
  for (const LayerBound* layer : layers) {
    BarGroup& group = drawing.groups.emplace_back();
    group.label = layer->name;
    group.bars.push_back({kMeasured, *layer->measured_ms, four_digits(*layer->measured_ms)});
    group.bars.push_back({kFused, *layer->bound_ms, four_digits(*layer->bound_ms)});
    if (layer->layer_by_layer) {
      group.bars.push_back({kLayerByLayer, *layer->layer_by_layer, four_digits(*layer->layer_by_layer)});
    }
  }
  const size_t left_out = count - layers.size();
  return PageDrawing{.id = "bounds",
                     .title = "Measured against bounds",
                     .svg = grouped_bars_svg(drawing),
                     .shows = left_out == 0 ? "" : fmt::format("{} more in B3.layers.", plural(left_out, "layer"))};
}

}  // namespace xsp::analysis
