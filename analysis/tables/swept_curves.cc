#include "analysis/tables/swept_curves.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace xsp::analysis {
namespace {

constexpr uint32_t kMostCores = 65536;

void add_point(uint32_t threads, const RunValues& values, const Statistic& statistic, ThreadCurve* curve) {
  if (threads == 0 || (!curve->empty() && curve->back().threads >= threads)) return;
  if (auto point = curve_point(threads, values, statistic)) curve->push_back(std::move(*point));
}

ClimbOptions climb_options(const ConcurrencyOptions& options, uint32_t cores, const Statistic& statistic) {
  return {.cores = cores, .interval = options.interval, .paper = options.paper, .statistic = statistic};
}

/// Sets the number of threads that the program has by itself.
void set_own(const ThreadSweep& sweep, SweptCurves* swept) {
  ModelCurves& curves = swept->curves;
  curves.own = sweep.own_threads;
  const auto own =
      std::find_if(sweep.points.begin(), sweep.points.end(), [](const ThreadPoint& point) { return point.is_own; });
  if (curves.own == 0 && own != sweep.points.end()) curves.own = own->threads;
  if (curves.own != 0 || sweep.cores == 0) return;
  const bool is_measured = std::any_of(sweep.points.begin(), sweep.points.end(),
                                       [&](const ThreadPoint& point) { return point.threads == sweep.cores; });
  swept->is_own_assumed = is_measured;
  if (is_measured) curves.own = sweep.cores;
}

/// The interval between numbers of threads that begin with 1; 0: they are not equally far apart.
uint32_t equal_interval(const std::vector<uint32_t>& tried, uint32_t cores) {
  if (tried.size() < 2 || tried[0] != 1 || tried[1] <= tried[0]) return 0;
  const uint32_t interval = tried[1] - tried[0];
  const std::vector<uint32_t> counts = probe_counts(std::min(std::max(cores, tried.back()), kMostCores), interval);
  const bool is_search = tried.size() <= counts.size() && std::equal(tried.begin(), tried.end(), counts.begin());
  return is_search ? interval : 0;
}

/// The interval of a search, which the own number need not fit in.
uint32_t tried_interval(const ThreadSweep& sweep, uint32_t cores) {
  std::vector<uint32_t> all;
  std::vector<uint32_t> others;
  for (const ThreadPoint& point : sweep.points) {
    all.push_back(point.threads);
    if (!point.is_own) others.push_back(point.threads);
  }
  const uint32_t interval = equal_interval(all, cores);
  return interval != 0 ? interval : equal_interval(others, cores);
}

/// All curves, the model's first.
std::vector<const ThreadCurve*> all_curves(const ModelCurves& curves) {
  std::vector<const ThreadCurve*> all;
  if (!curves.model.empty()) all.push_back(&curves.model);
  for (const LayerCurve& layer : curves.layers) {
    if (!layer.curve.empty()) all.push_back(&layer.curve);
  }
  return all;
}

/// The distance of probes from each other; the last one, which the cores limit, may be nearer.
uint32_t interval_of(const ThreadCurve& curve, const std::vector<size_t>& probes) {
  if (probes.size() < 2) return 0;
  const uint32_t interval = curve[probes[1]].threads - curve[probes[0]].threads;
  for (size_t i = 2; i < probes.size(); ++i) {
    const uint32_t distance = curve[probes[i]].threads - curve[probes[i - 1]].threads;
    if (distance > interval || (distance < interval && i + 1 < probes.size())) return 0;
  }
  return interval;
}

/// Whether nothing more is measured in this process.
bool is_done(const ThreadSweep* sweep) {
  return sweep != nullptr && sweep->in_process && sweep->ended != ThreadsEnded::kNotEnded;
}

}  // namespace

SweptCurves swept_curves(const ThreadSweep& sweep, const ConcurrencyOptions& options, const Statistic& statistic,
                         const std::string& model) {
  SweptCurves swept;
  swept.sweep = &sweep;
  swept.cores = options.cores != 0 ? options.cores : sweep.cores;
  if (swept.cores == 0 && !sweep.points.empty()) swept.cores = sweep.points.back().threads;
  swept.climb = climb_options(options, swept.cores, statistic);
  if (options.interval == 0) swept.climb.interval = tried_interval(sweep, swept.cores);
  ModelCurves& curves = swept.curves;
  curves.name = model;
  curves.is_busy = sweep.load.is_busy;
  set_own(sweep, &swept);
  for (const ThreadPoint& point : sweep.points) add_point(point.threads, point.model_ns, statistic, &curves.model);
  for (const ThreadLayer& layer : sweep.layers) {
    LayerCurve& curve = curves.layers.emplace_back(
        LayerCurve{layer.index, layer.name, layer.type, layer.shape, layer.input_elements, {}});
    for (size_t i = 0; i < std::min(layer.latency_ns.size(), sweep.points.size()); ++i) {
      add_point(sweep.points[i].threads, layer.latency_ns[i], statistic, &curve.curve);
    }
  }
  for (const wire::ThreadSwitch& change : sweep.switches) {
    curves.switches.push_back({change.from, change.to, static_cast<double>(change.cost_ns)});
  }
  return swept;
}

SweptCurves swept_curves(const GivenCurves& given, const ConcurrencyOptions& options, const Statistic& statistic) {
  SweptCurves swept;
  swept.is_given = true;
  swept.cores = options.cores;
  ModelCurves& curves = swept.curves;
  for (const GivenCurve& one : given) {
    LayerCurve& layer = curves.layers.emplace_back();
    layer.index = static_cast<uint32_t>(curves.layers.size() - 1);
    layer.name = one.operation;
    layer.type = one.operation;
    layer.shape = one.size;
    layer.input_elements = elements_of(one.size);
    layer.curve = one.curve;
    for (CurvePoint& point : layer.curve) {
      if (!point.values.empty()) point = *curve_point(point.threads, point.values, statistic);
    }
    if (options.cores == 0 && !one.curve.empty()) swept.cores = std::max(swept.cores, one.curve.back().threads);
  }
  curves.own = swept.cores;
  swept.climb = climb_options(options, swept.cores, statistic);
  return swept;
}

std::optional<SweptCurves> swept_curves(const Study& study) {
  const ConcurrencyOptions& options = study.options.concurrency;
  if (options.curves != nullptr) return swept_curves(*options.curves, options, study.options.statistic);
  const ThreadSweep* sweep = thread_sweep(study);
  if (sweep == nullptr) return {};
  std::string model;
  if (study.subject) model = model_label(study.trace, study.evaluations.groups[*study.subject]);
  return swept_curves(*sweep, options, study.options.statistic, model);
}

std::optional<double> elements_of(std::string_view size) {
  std::optional<double> elements;
  const char* at = size.data();
  const char* const end = at + size.size();
  while (at != end) {
    uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc()) elements = elements.value_or(1) * static_cast<double>(number);
    at = stop == at ? at + 1 : stop;
  }
  return elements;
}

ClimbState climb_state(const SweptCurves& swept) {
  ClimbState state;
  state.interval = swept.climb.interval;
  const std::vector<const ThreadCurve*> curves = all_curves(swept.curves);
  std::vector<double> accuracies;  // of layers; of the model where there are none
  state.is_ended = !curves.empty();
  uint32_t last = 0;  // of the curves that have not ended
  size_t climbing = 0;
  for (const ThreadCurve* curve : curves) {
    const Climb found = climb(*curve, swept.climb);
    const bool is_model = curve == &swept.curves.model;
    if (!is_model || curves.size() == 1) {
      if (const auto own = accuracy(*curve, found)) accuracies.push_back(*own);
    }
    if (found.probes.size() > state.probes) {
      state.probes = found.probes.size();
      if (swept.climb.interval == 0) state.interval = interval_of(*curve, found.probes);
    }
    if (found.is_ended) continue;
    state.is_ended = false;
    const uint32_t reached = found.probes.empty() ? 0 : (*curve)[found.probes.back()].threads;
    last = climbing++ == 0 ? reached : std::max(last, reached);
  }
  for (const double own : accuracies) {
    state.accuracy = state.accuracy.value_or(0) + own / static_cast<double>(accuracies.size());
  }
  if (is_done(swept.sweep)) state.is_ended = true;
  if (state.is_ended || swept.cores == 0) return state;
  const uint32_t interval = swept.climb.interval != 0 ? swept.climb.interval : default_interval(swept.cores);
  const auto counts = probe_counts(std::min(swept.cores, kMostCores), interval);
  const auto next = std::upper_bound(counts.begin(), counts.end(), last);
  if (next != counts.end()) state.next = *next;
  return state;
}

}  // namespace xsp::analysis
