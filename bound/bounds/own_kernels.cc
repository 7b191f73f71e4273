#include "bound/bounds/own_kernels.h"

#include "bound/bounds/coverage.h"
#include "bound/bounds/exact_benchmarks.h"
#include "bound/bounds/sequential_bound.h"

namespace xsp::bound {

std::optional<OwnKernels> own_kernels(const Bounds& bounds, std::string library, std::span<const LayerTime> times,
                                      std::span<const LayerTime> group_times) {
  if (bounds.trace == nullptr || times.size() != bounds.times.size()) return std::nullopt;
  const ExactBenchmarks benchmarks(bounds, times, group_times);
  OwnKernels own;
  own.library = std::move(library);
  Coverage coverage;
  double expected_ms = 0;
  SequentialBound& bound = own.bound;
  for (const TraceLayer& layer : bounds.trace->layers) {
    const std::vector<size_t> ran = benchmarks.counted(layer.layers);
    if (ran.empty()) continue;
    const LayerTime* time = benchmarks.of(layer);
    for (const size_t of_model : ran) coverage.add(bounds.model->layers[of_model], time != nullptr);
    if (time == nullptr) continue;
    const double ms = *time->bound_ms;
    bound.bound_ms += ms;
    expected_ms += time->expected_ms.value_or(ms);
    if (!time->expected_ms) {
      bound.without_cold += ran.size();
      bound.without_cold_ms += ms;
    }
    if (time->is_noisy) {
      bound.noisy += ran.size();
      bound.noisy_ms += ms;
    }
    own.measured_ms += layer.measured_ms;
    own.least_ms += layer.least_ms;
  }
  if (coverage.timed() == 0) return std::nullopt;
  if (bound.without_cold_ms <= kMostHot * bound.bound_ms) bound.expected_ms = expected_ms;
  bound.layers = coverage.layers();
  bound.missing = coverage.missing();
  bound.coverage_layers_pct = coverage.layers_pct();
  bound.coverage_flops_pct = coverage.flops_pct();
  return own;
}

}  // namespace xsp::bound
