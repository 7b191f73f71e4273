#include "bound/bounds/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bound/bounds/condensed_graph.h"
#include "bound/bounds/exact_benchmarks.h"
#include "bound/bounds/observed_times.h"
#include "bound/bounds/sequential_bound.h"

namespace xsp::bound {
namespace {

/// Sums of the same numbers in another order may differ by that much.
constexpr double kRoundingShare = 1e-9;

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

/// By layer, the group's time divided among its layers by what they take by themselves; evenly where that is not known.
void fill_shares(const Bounds& bounds, BoundMode* mode) {
  mode->shares.resize(bounds.times.size());
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    if (mode->group_of[layer] != kNoGroup) continue;
    const LayerTime& time = bounds.times[layer];
    LayerShare& share = mode->shares[layer];
    if (time.counts && !time.bound_ms) continue;
    share.bound_ms = mode->weights_ms[layer];
    // Of what was observed to take less nothing is known but that.
    share.expected_ms =
        *share.bound_ms < time.bound_ms.value_or(0) ? share.bound_ms : time.expected_ms.value_or(*share.bound_ms);
  }
  for (const size_t group : mode->groups) {
    const std::vector<size_t>& members = bounds.groups[group].layers;
    const LayerTime& time = bounds.group_times[group];
    const double ms = mode->weights_ms[members.back()];
    const double expected_ms = ms < *time.bound_ms ? ms : time.expected_ms.value_or(ms);
    const double parts_ms = bounds.decisions[group].parts_ms;
    for (const size_t layer : members) {
      const double share =
          parts_ms > 0 ? bounds.times[layer].bound_ms.value_or(0) / parts_ms : 1 / static_cast<double>(members.size());
      mode->shares[layer] = {ms * share, expected_ms * share};
    }
  }
}

/// `factors` by layer: of what it takes by its benchmark, what counts.
BoundMode bounds_in_mode(const Bounds& bounds, std::string_view name, const GroupChoice& choice,
                         const std::vector<double>& factors) {
  BoundMode mode;
  mode.name = name;
  mode.groups = choice.taken;
  mode.group_of = choice.group_of;
  std::vector<double> layer_ms, group_ms(bounds.groups.size());
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    layer_ms.push_back(bounds.times[layer].bound_ms.value_or(0) * factors[layer]);
  }
  for (const size_t group : choice.taken) {
    group_ms[group] = *bounds.group_times[group].bound_ms * factors[bounds.groups[group].layers.back()];
  }
  mode.weights_ms = layer_ms;
  for (const size_t group : choice.taken) {
    for (const size_t layer : bounds.groups[group].layers) mode.weights_ms[layer] = 0;
    mode.weights_ms[bounds.groups[group].layers.back()] = group_ms[group];
  }
  mode.sequential = sequential_bound(bounds, mode);
  CondensedPath path = condensed_path(bounds.model->layers, bounds.groups, choice, layer_ms, group_ms);
  mode.parallel = {path.path.length, std::move(path.path.layers), std::move(path.apart), std::move(path.weights_ms)};
  fill_shares(bounds, &mode);
  return mode;
}

/// Rounding alone makes nothing faster.
void find_faster(Bounds* bounds) {
  const std::vector<TraceLayer>& layers = bounds->trace->layers;
  const ExactBenchmarks benchmarks(*bounds, bounds->times, bounds->group_times);
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const LayerTime* benchmark = benchmarks.of(layers[layer]);
    const double least = layers[layer].least_ms;
    if (benchmark == nullptr || !(least > 0)) continue;
    const double parts = ran_bound_of(*bounds, bounds->fused(), layers[layer]).value_or(*benchmark->bound_ms);
    const double bound = std::min(*benchmark->bound_ms, parts);
    if (least < bound * (1 - kRoundingShare)) bounds->faster.push_back({layer, bound, least});
  }
}

}  // namespace

std::string contradiction_between(double parallel_ms, double sequential_ms) {
  if (parallel_ms <= sequential_ms * (1 + kRoundingShare)) return "";
  return fmt::format("the parallel bound, {} ms, is above the sequential one, {} ms", parallel_ms, sequential_ms);
}

const BoundMode& Bounds::fused() const {
  const BoundMode* fused = mode("fused");
  return fused == nullptr ? layers() : *fused;
}

const BoundMode* Bounds::mode(std::string_view name) const {
  const auto found = std::ranges::find(modes, name, &BoundMode::name);
  return found == modes.end() ? nullptr : &*found;
}

bool Bounds::has_measured_groups() const {
  return std::ranges::any_of(group_times, [](const LayerTime& time) { return time.bound_ms.has_value(); });
}

Bounds make_bounds(const LayeredModel& model, std::vector<LayerTime> times, BoundExtras extras) {
  Bounds bounds;
  bounds.model = &model;
  bounds.times = std::move(times);
  bounds.times.resize(model.layers.size());
  bounds.groups = std::move(extras.groups);
  bounds.group_times = std::move(extras.group_times);
  bounds.group_times.resize(bounds.groups.size());
  bounds.trace = extras.trace;
  drop_what_is_no_time(&bounds.times);
  drop_what_is_no_time(&bounds.group_times);

  const std::vector<double> as_measured(bounds.times.size(), 1.0);
  GroupChoice choice;
  choice.group_of.assign(bounds.times.size(), kNoGroup);
  bounds.modes.push_back(bounds_in_mode(bounds, "layers", choice, as_measured));
  if (!bounds.groups.empty()) {
    choice = choose_groups(model.layers, bounds.times, bounds.groups, bounds.group_times);
    bounds.decisions = choice.decisions;
    bounds.modes.push_back(bounds_in_mode(bounds, "fused", choice, as_measured));
  }
  if (bounds.trace != nullptr) {
    const std::vector<double> factors = observed_factors(bounds, bounds.fused());
    bounds.modes.push_back(bounds_in_mode(bounds, "best_known", choice, factors));
    find_faster(&bounds);
  }
  for (const BoundMode& mode : bounds.modes) {
    if (!bounds.contradiction.empty()) break;
    bounds.contradiction = contradiction_between(mode.parallel.bound_ms, mode.sequential.bound_ms);
  }
  return bounds;
}

std::optional<double> bound_of(const Bounds& bounds, const BoundMode& mode, const TraceLayer& layer) {
  if (layer.layers.empty()) return std::nullopt;
  double sum = 0;
  for (const size_t of_model : layer.layers) {
    if (of_model >= bounds.times.size() || !mode.shares[of_model].bound_ms) return std::nullopt;
    sum += *mode.shares[of_model].bound_ms;
  }
  return sum;
}

bool ran_whole(const Bounds& bounds, size_t group, const TraceLayer& layer) {
  return std::ranges::all_of(bounds.groups[group].layers, [&](size_t member) {
    return !bounds.times[member].counts || std::ranges::binary_search(layer.layers, member);
  });
}

std::optional<double> ran_bound_of(const Bounds& bounds, const BoundMode& mode, const TraceLayer& layer) {
  if (layer.layers.empty()) return std::nullopt;
  double sum = 0;
  for (const size_t of_model : layer.layers) {
    if (of_model >= bounds.times.size()) return std::nullopt;
    const size_t group = mode.group_of[of_model];
    const bool is_at_once = group == kNoGroup || ran_whole(bounds, group, layer);
    const auto& ms = is_at_once ? mode.shares[of_model].bound_ms : bounds.times[of_model].bound_ms;
    if (!ms) return std::nullopt;
    sum += *ms;
  }
  return sum;
}

}  // namespace xsp::bound
