#include "bound/bounds/sequential_bound.h"

#include <algorithm>

#include "bound/bounds/coverage.h"

namespace xsp::bound {
namespace {

double exact_ms(const LayerTime& time) { return time.exact_ms.value_or(time.bound_ms.value_or(0)); }

/// What a layer or a group is computed by.
struct Computation {
  const LayerTime& time;
  double ms;              // that it counts with
  size_t layers;          // of it that count
  double exact_parts_ms;  // its layers one by one, without other rounding
};

class Sum {
 public:
  void add(const Computation& computation) {
    const LayerTime& time = computation.time;
    const double ms = computation.ms;
    bound_.bound_ms += ms;
    if (!time.bound_ms) return;
    const bool is_observed = ms < *time.bound_ms;
    has_observed_ = has_observed_ || is_observed;
    expected_ms_ += is_observed ? ms : time.expected_ms.value_or(ms);
    has_expected_ = has_expected_ || (!is_observed && time.expected_ms);
    if (time.is_noisy && !is_observed) {
      bound_.noisy += computation.layers;
      bound_.noisy_ms += ms;
    }
    if (!time.is_exact && !is_observed) bound_.inexact += computation.layers;
    const double exact = std::min(time.exact_ms.value_or(computation.exact_parts_ms), computation.exact_parts_ms);
    bound_.exact_ms += is_observed || time.is_exact ? ms : std::max(ms, exact);
    if (computation.layers > 0 && (is_observed || !time.expected_ms)) {
      bound_.without_cold += computation.layers;
      bound_.without_cold_ms += ms;
    }
  }

  SequentialBound bound_with(const Coverage& coverage) {
    if (has_expected_ && !has_observed_ && bound_.without_cold_ms <= kMostHot * bound_.bound_ms)
      bound_.expected_ms = expected_ms_;
    bound_.layers = coverage.layers();
    bound_.missing = coverage.missing();
    bound_.coverage_layers_pct = coverage.layers_pct();
    bound_.coverage_flops_pct = coverage.flops_pct();
    return bound_;
  }

 private:
  SequentialBound bound_;
  double expected_ms_ = 0;
  bool has_expected_ = false;
  bool has_observed_ = false;
};

}  // namespace

SequentialBound sequential_bound(const Bounds& bounds, const BoundMode& mode) {
  Sum sum;
  Coverage coverage;
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    const LayerTime& time = bounds.times[layer];
    const size_t group = mode.group_of[layer];
    if (time.counts) coverage.add(bounds.model->layers[layer], time.bound_ms || group != kNoGroup);
    if (group == kNoGroup) {
      sum.add({time, mode.weights_ms[layer], time.counts ? 1U : 0U, exact_ms(time)});
    } else if (bounds.groups[group].layers.back() == layer) {
      Computation together = {bounds.group_times[group], mode.weights_ms[layer], 0, 0};
      for (const size_t member : bounds.groups[group].layers) {
        together.layers += bounds.times[member].counts ? 1 : 0;
        together.exact_parts_ms += exact_ms(bounds.times[member]);
      }
      sum.add(together);
    }
  }
  return sum.bound_with(coverage);
}

}  // namespace xsp::bound
