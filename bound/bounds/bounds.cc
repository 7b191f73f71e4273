#include "bound/bounds/bounds.h"

#include <fmt/format.h>

#include <cmath>

#include "bound/bounds/coverage.h"
#include "bound/bounds/longest_path.h"

namespace xsp::bound {
namespace {

/// Sums of the same numbers in another order may differ by that much.
constexpr double kRoundingShare = 1e-9;

/// Of the bound, that may count in the expected time without a time from memory.
constexpr double kMostHot = 0.2;

bool is_duration(double ms) { return std::isfinite(ms) && ms >= 0; }

/// One bad number would make all of the sums worthless.
void drop_what_is_no_time(std::vector<LayerTime>* times) {
  for (LayerTime& time : *times) {
    if (time.expected_ms && !is_duration(*time.expected_ms)) time.expected_ms.reset();
    if (!time.bound_ms || is_duration(*time.bound_ms)) continue;
    time.reason = fmt::format("its time is no duration: {} ms", *time.bound_ms);
    time.bound_ms.reset();
    time.expected_ms.reset();
  }
}

SequentialBound sequential_bound(const LayeredModel& model, const std::vector<LayerTime>& times) {
  SequentialBound bound;
  Coverage coverage;
  double expected_ms = 0;
  bool has_expected = false;
  for (size_t layer = 0; layer < times.size(); ++layer) {
    const LayerTime& time = times[layer];
    coverage.add(model.layers[layer], time);
    if (!time.bound_ms) continue;
    bound.bound_ms += *time.bound_ms;
    expected_ms += time.expected_ms.value_or(*time.bound_ms);
    has_expected = has_expected || time.expected_ms.has_value();
    if (time.is_noisy) {
      ++bound.noisy;
      bound.noisy_ms += *time.bound_ms;
    }
    if (!time.is_exact) ++bound.inexact;
    bound.exact_ms += time.exact_ms.value_or(*time.bound_ms);
    if (time.counts && !time.expected_ms) {
      ++bound.without_cold;
      bound.without_cold_ms += *time.bound_ms;
    }
  }
  if (has_expected && bound.without_cold_ms <= kMostHot * bound.bound_ms) bound.expected_ms = expected_ms;
  bound.layers = coverage.layers();
  bound.missing = coverage.missing();
  bound.coverage_layers_pct = coverage.layers_pct();
  bound.coverage_flops_pct = coverage.flops_pct();
  return bound;
}

}  // namespace

std::string contradiction_between(double parallel_ms, double sequential_ms) {
  if (parallel_ms <= sequential_ms * (1 + kRoundingShare)) return "";
  return fmt::format("the parallel bound, {} ms, is above the sequential one, {} ms", parallel_ms, sequential_ms);
}

Bounds make_bounds(const LayeredModel& model, std::vector<LayerTime> times) {
  Bounds bounds;
  bounds.model = &model;
  bounds.times = std::move(times);
  bounds.times.resize(model.layers.size());
  drop_what_is_no_time(&bounds.times);
  bounds.sequential = sequential_bound(model, bounds.times);

  std::vector<double> weights;
  weights.reserve(bounds.times.size());
  for (const LayerTime& time : bounds.times) weights.push_back(time.bound_ms.value_or(0));
  LongestPath path = longest_path(model.layers, weights);
  bounds.parallel = {path.length, std::move(path.layers)};
  bounds.contradiction = contradiction_between(bounds.parallel.bound_ms, bounds.sequential.bound_ms);
  return bounds;
}

}  // namespace xsp::bound
