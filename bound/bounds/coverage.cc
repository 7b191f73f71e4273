#include "bound/bounds/coverage.h"

namespace xsp::bound {

void Coverage::add(const Layer& layer, bool is_timed) {
  const double flops = layer.flops.value_or(0);
  ++layers_;
  flops_ += flops;
  if (!is_timed) return;
  ++timed_;
  timed_flops_ += flops;
}

std::optional<double> Coverage::layers_pct() const {
  if (layers_ == 0) return std::nullopt;
  return 100 * static_cast<double>(timed_) / static_cast<double>(layers_);
}

std::optional<double> Coverage::flops_pct() const {
  if (!(flops_ > 0)) return std::nullopt;
  return 100 * timed_flops_ / flops_;
}

}  // namespace xsp::bound
