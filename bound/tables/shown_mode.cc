#include "bound/tables/shown_mode.h"

namespace xsp::bound {

const BoundMode& shown_mode(const Bounds& bounds) {
  return bounds.has_measured_groups() ? bounds.fused() : bounds.layers();
}

std::string_view words_for(const BoundMode& mode) { return mode.name == "layers" ? "layer by layer" : mode.name; }

std::vector<std::optional<double>> measured_shares(const Bounds& bounds) {
  if (bounds.trace == nullptr) return {};
  std::vector<std::optional<double>> shares(bounds.times.size());
  const BoundMode& mode = shown_mode(bounds);
  for (const TraceLayer& ran : bounds.trace->layers) {
    std::vector<size_t> counted;
    for (const size_t layer : ran.layers) {
      if (layer < shares.size() && bounds.times[layer].counts && !shares[layer]) counted.push_back(layer);
    }
    const std::optional<double> bound_ms = bound_of(bounds, mode, ran);
    for (const size_t layer : counted) {
      shares[layer] = bound_ms.value_or(0) > 0 ? ran.measured_ms * *mode.shares[layer].bound_ms / *bound_ms
                                               : ran.measured_ms / static_cast<double>(counted.size());
    }
  }
  return shares;
}

}  // namespace xsp::bound
