#include "bound/tables/measured_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/figures/grouped_bars.h"
#include "base/quantity_text.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostTypes = 8;
/// Of the longest one; shorter ones are added up.
constexpr double kLeastShare = 0.005;
constexpr size_t kMeasured = 0, kFused = 1, kLayerByLayer = 2;  // series

/// What layers of one type take.
struct TypeBars {
  std::string type;
  std::optional<double> measured_ms;
  double fused_ms = 0;
  double layers_ms = 0;
  size_t layers = 0;  // of the model
  size_t fused_missing = 0, layers_missing = 0;

  double longest() const { return std::max({measured_ms.value_or(0), fused_ms, layers_ms}); }
  void add(const TypeBars& other) {
    if (other.measured_ms) measured_ms = measured_ms.value_or(0) + *other.measured_ms;
    fused_ms += other.fused_ms;
    layers_ms += other.layers_ms;
    layers += other.layers;
    fused_missing += other.fused_missing;
    layers_missing += other.layers_missing;
  }
};

/// By type in the model; what the trace has besides has its own types.
std::vector<TypeBars> bars_by_type(const Bounds& bounds) {
  std::map<std::string, TypeBars> types;
  const std::vector<std::optional<double>> measured = measured_shares(bounds);
  const BoundMode& mode = shown_mode(bounds);
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    if (!bounds.times[layer].counts) continue;
    TypeBars bars;
    if (!measured.empty()) bars.measured_ms = measured[layer];
    bars.fused_ms = mode.shares[layer].bound_ms.value_or(0);
    bars.layers_ms = bounds.times[layer].bound_ms.value_or(0);
    bars.layers = 1;
    bars.fused_missing = mode.shares[layer].bound_ms ? 0 : 1;
    bars.layers_missing = bounds.times[layer].bound_ms ? 0 : 1;
    types[bounds.model->layers[layer].type].add(bars);
  }
  if (bounds.trace != nullptr) {
    for (const TraceLayer& layer : bounds.trace->layers) {
      if (!layer.layers.empty()) continue;
      TypeBars bars;
      bars.measured_ms = layer.measured_ms;
      types[layer.type + " (no counterpart)"].add(bars);
    }
  }
  std::vector<TypeBars> order;
  for (auto& [type, bars] : types) {
    order.push_back(bars);
    order.back().type = type;
  }
  std::ranges::stable_sort(order, [](const TypeBars& a, const TypeBars& b) { return a.longest() > b.longest(); });
  const auto is_short = [&](const TypeBars& bars) { return bars.longest() < kLeastShare * order.front().longest(); };
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostTypes, order.size()));
  const auto rest = std::find_if(order.begin(), begin, is_short);
  if (order.end() - rest > 1) {
    TypeBars others;
    others.type = plural(static_cast<size_t>(order.end() - rest), "other type");
    for (auto one = rest; one != order.end(); ++one) others.add(*one);
    order.erase(rest, order.end());
    order.push_back(std::move(others));
  }
  std::erase_if(order, [](const TypeBars& bars) { return !(bars.longest() > 0); });
  return order;
}

/// "1.250", "≥ 1.250" where some layers have no time, "no time".
std::string bound_label(double ms, size_t layers, size_t missing) {
  if (layers == missing) return "no time";
  return (missing > 0 ? "≥ " : "") + four_digits(ms);
}

}  // namespace

std::string bars_svg(const Bounds& bounds) {
  const bool has_groups = bounds.has_measured_groups();
  const bool has_trace = bounds.trace != nullptr && !bounds.trace->layers.empty();
  const std::vector<TypeBars> types = bars_by_type(bounds);
  if ((!has_groups && !has_trace) || types.empty()) return "";

  analysis::GroupedBars drawing;
  drawing.axis = "time of a call (ms)";
  drawing.series = {{"measured", 8}, {"bound, fused", 1}, {"bound layer by layer", 4}};
  for (const TypeBars& bars : types) {
    analysis::BarGroup& group = drawing.groups.emplace_back();
    group.label = bars.type;
    if (has_trace) {
      group.bars.push_back({kMeasured, bars.measured_ms.value_or(0),
                            bars.measured_ms ? four_digits(*bars.measured_ms) : "was not found in the trace"});
    }
    if (bars.layers == 0) continue;
    if (has_groups) {
      group.bars.push_back({kFused, bars.fused_ms, bound_label(bars.fused_ms, bars.layers, bars.fused_missing)});
    }
    group.bars.push_back(
        {kLayerByLayer, bars.layers_ms, bound_label(bars.layers_ms, bars.layers, bars.layers_missing)});
  }
  drawing.title = has_trace ? "Measured time and bounds by type of layer" : "Bounds by type of layer";
  drawing.finding =
      fmt::format("{}: {}", types[0].type,
                  has_trace ? fmt::format("{} ms measured, ", four_digits(types[0].measured_ms.value_or(0))) : "");
  drawing.finding += has_groups ? fmt::format("at least {} ms fused, {} ms layer by layer",
                                              four_digits(types[0].fused_ms), four_digits(types[0].layers_ms))
                                : fmt::format("at least {} ms layer by layer", four_digits(types[0].layers_ms));
  return grouped_bars_svg(drawing);
}

}  // namespace xsp::bound
