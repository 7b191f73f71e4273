#include "analysis/tables/corun_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/concurrency/thread_advice.h"
#include "analysis/study/merged_runs.h"
#include "analysis/study/recorded_processors.h"
#include "analysis/study/sweep_points.h"
#include "analysis/study/thread_sweep.h"
#include "analysis/tables/swept_curves.h"

namespace xsp::analysis {
namespace {

/// The dimensions of the first tensor of a text: "(32,8,8,384)", "f32[1,64];[64]".
std::vector<uint64_t> dimensions_in(std::string_view text) {
  const size_t open = text.find_first_of("([");
  if (open == std::string_view::npos) return {};
  text = text.substr(open + 1);
  text = text.substr(0, text.find_first_of(")]"));
  std::vector<uint64_t> dimensions;
  while (!text.empty()) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) break;
    uint64_t size = 0;
    const char* end = std::from_chars(text.data() + digit, text.data() + text.size(), size).ptr;
    dimensions.push_back(size);
    text = text.substr(static_cast<size_t>(end - text.data()));
  }
  return dimensions;
}

/// The curve of this type and size, else that of the type without a size; null: none.
const ThreadCurve* given_curve(const GivenCurves& curves, std::string_view type, std::string_view shape) {
  const std::vector<uint64_t> dimensions = dimensions_in(shape);
  const ThreadCurve* of_any_size = nullptr;
  for (const GivenCurve& curve : curves) {
    if (curve.operation != type) continue;
    if (curve.size.empty()) {
      of_any_size = &curve.curve;
    } else if (curve.size == shape || (!dimensions.empty() && dimensions_in(curve.size) == dimensions)) {
      return &curve.curve;
    }
  }
  return of_any_size;
}

/// What the recording says of the subject's segments.
struct RecordedThreads {
  uint32_t own = 0;  // of the layers of A2; 0: not known
  uint32_t cores = 0;
  bool has_siblings = false;
};

/// The parameter of a run of a sweep that has a single point; 0: it has none.
uint32_t threads_of_point(const Study& study, const EvaluationGroup& group) {
  constexpr double kMostThreads = 1 << 20;
  const std::string* value = parameter_value(run_of(study.trace, group), "threads");
  const auto number = value == nullptr ? std::nullopt : parameter_number(*value);
  if (!number || *number < 1 || *number > kMostThreads || *number != std::floor(*number)) return 0;
  return static_cast<uint32_t>(*number);
}

RecordedThreads recorded_threads(const Study& study) {
  RecordedThreads recorded;
  if (!study.subject) return recorded;
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  recorded.own = group.threads.threads;
  if (recorded.own == 0) recorded.own = threads_of_point(study, group);
  if (group.process >= study.trace.processes.size()) return recorded;
  const Process& process = study.trace.processes[group.process];
  if (process.thread_counts) {
    const wire::ThreadCounts& counts = process.thread_counts->totals;
    if (recorded.own == 0) recorded.own = counts.sessions_intra != 0 ? counts.sessions_intra : counts.own;
    recorded.cores = counts.cores;
  }
  if (const auto& processors = study.trace.segments[process.segment].processors) {
    if (recorded.cores == 0) recorded.cores = usable_cores_of(*processors);
    recorded.has_siblings = processors->cores != 0 && processors->allowed > processors->cores;
  }
  return recorded;
}

std::string list_of(const std::vector<uint32_t>& counts) { return fmt::format("{}", fmt::join(counts, ", ")); }

class LayerTimes {
 public:
  explicit LayerTimes(const Study& study) : study_(study), options_(study.options.concurrency) {}

  CoRunLayers run() {
    for (const JoinedLayer& layer : study_.joined.layers) {
      result_.layers.emplace_back().latency_ns = layer.latency_ns;
      LayerCurve& curve = curves_.layers.emplace_back();
      curve.index = static_cast<uint32_t>(curves_.layers.size() - 1);
      curve.type = study_.trace.text(layer.type);
      curve.shape = study_.trace.text(layer.shape);
    }
    const RecordedThreads recorded = recorded_threads(study_);
    result_.cores = recorded.cores;
    result_.has_siblings = recorded.has_siblings;
    if (options_.curves != nullptr) {
      take_given_curves();
    } else if (const ThreadSweep* sweep = thread_sweep(study_); sweep == nullptr || sweep->points.empty()) {
      take_latencies(recorded.own);
    } else if (sweep->is_set_by_program) {
      take_latencies(sweep->points.front().seen);
    } else {
      take_sweep(*sweep);
    }
    find_counts();
    if (options_.cores != 0) {
      result_.cores = options_.cores;
      result_.has_siblings = false;
    } else if (result_.cores == 0 && !result_.counts.empty()) {
      result_.cores = result_.counts.back();
    }
    set_times();
    return std::move(result_);
  }

 private:
  /// They were measured elsewhere: so many cores as they go up to, unless --cores says it.
  void take_given_curves() {
    size_t known = 0;
    for (LayerCurve& layer : curves_.layers) {
      const ThreadCurve* curve = given_curve(*options_.curves, layer.type, layer.shape);
      if (curve == nullptr) continue;
      layer.curve = *curve;
      ++known;
    }
    result_.cores = 0;
    result_.has_siblings = false;
    source_ =
        fmt::format("from --curves, which has the types and sizes of {} of {} layers", known, curves_.layers.size());
  }

  void take_sweep(const ThreadSweep& sweep) {
    SweptCurves swept = swept_curves(sweep, options_, study_.options.statistic, {});
    for (LayerCurve& layer : swept.curves.layers) {
      if (layer.index < curves_.layers.size()) curves_.layers[layer.index] = std::move(layer);
    }
    curves_.own = swept.curves.own;
    result_.is_busy = swept.curves.is_busy;
    result_.cores = swept.cores;
    source_ = "measured";
  }

  /// What A2 has, with a number of threads that is 0 where it is not known.
  void take_latencies(uint32_t threads) {
    if (threads == 0) return;
    for (size_t i = 0; i < result_.layers.size(); ++i) {
      CurvePoint& point = curves_.layers[i].curve.emplace_back();
      point.threads = threads;
      point.latency_ns = result_.layers[i].latency_ns;
    }
    curves_.own = threads;
    source_ = "measured";
  }

  void find_counts() {
    std::set<uint32_t> counts;
    for (const LayerCurve& layer : curves_.layers) {
      for (const CurvePoint& point : layer.curve) counts.insert(point.threads);
    }
    result_.counts.assign(counts.begin(), counts.end());
    if (!counts.empty()) result_.times_from = fmt::format("{}, with {} threads", source_, list_of(result_.counts));
  }

  void set_times() {
    for (size_t i = 0; i < result_.layers.size(); ++i) {
      ThreadCurve& curve = curves_.layers[i].curve;
      std::erase_if(curve, [&](const CurvePoint& point) {
        return point.threads == 0 || point.threads > result_.cores || !(point.latency_ns > 0);
      });
      for (const CurvePoint& point : curve) result_.layers[i].times.push_back({point.threads, point.latency_ns});
    }
    ClimbOptions climbing;
    climbing.cores = result_.cores;
    climbing.interval = options_.interval;
    climbing.paper = options_.paper;
    climbing.statistic = study_.options.statistic;
    const Advices advices = advise(curves_, climbing);
    std::map<std::string_view, uint32_t> by_type;
    for (const ThreadAdvice& advice : advices.types) by_type.emplace(advice.type, advice.best);
    for (const ThreadAdvice& advice : advices.layers) {
      const auto found = by_type.find(curves_.layers[*advice.layer].type);
      const bool is_set = found != by_type.end() && set_own(*advice.layer, found->second);
      if (!is_set) (void)set_own(*advice.layer, advice.best);
    }
  }

  bool set_own(size_t layer, uint32_t threads) {
    const std::vector<ThreadTime>& times = result_.layers[layer].times;
    const auto found = std::ranges::find(times, threads, &ThreadTime::threads);
    if (found == times.end()) return false;
    result_.layers[layer].own = static_cast<uint32_t>(found - times.begin());
    return true;
  }

  const Study& study_;
  const ConcurrencyOptions& options_;
  ModelCurves curves_;
  CoRunLayers result_;
  std::string source_;
};

}  // namespace

CoRunLayers corun_layers(const Study& study) { return LayerTimes(study).run(); }

std::vector<NamedLayer> named_layers(const Study& study) {
  std::vector<NamedLayer> layers;
  for (const JoinedLayer& layer : study.joined.layers) {
    NamedLayer& named = layers.emplace_back();
    named.name = study.trace.text(layer.name);
    named.type = study.trace.text(layer.type);
    if (layer.row == kNoRow) continue;
    const Kind kind = study.trace.spans.kind[layer.row];
    named.is_node = kind == Kind::kOrtNode;
    named.is_module = !named.is_node && kind != Kind::kOperator && kind != Kind::kLibraryCall;
  }
  return layers;
}

}  // namespace xsp::analysis
