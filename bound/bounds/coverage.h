#pragma once

#include <cstddef>
#include <optional>

#include "bound/bounds/layer_times.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// How much of some layers has a time.
class Coverage {
 public:
  /// Layers that do not count (LayerTime::counts) change nothing.
  void add(const Layer& layer, const LayerTime& time) {
    if (time.counts) add(layer, time.bound_ms.has_value());
  }
  /// A layer that counts.
  void add(const Layer& layer, bool is_timed);

  size_t layers() const { return layers_; }
  size_t timed() const { return timed_; }
  size_t missing() const { return layers_ - timed_; }
  /// Nothing where no layer counts.
  std::optional<double> layers_pct() const;
  /// Of the flops that are known; nothing where there are none.
  std::optional<double> flops_pct() const;

 private:
  size_t layers_ = 0;
  size_t timed_ = 0;
  double flops_ = 0;
  double timed_flops_ = 0;
};

}  // namespace xsp::bound
