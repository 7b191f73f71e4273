#include "analysis/steps/step_periods.h"

#include <algorithm>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/iteration_kind.h"

namespace xsp::analysis {
namespace {

/// Clocks of host and device may differ a little: less than this is no overlap.
constexpr double kLeastOverlap = 0.01;

/// A program that makes calls so much faster than they are done lets them wait in a queue.
constexpr double kQueued = 1.5;

/// Annotations mark what a program repeats; calls return what they computed.
bool is_step_mark(const Trace& trace, const EvaluationGroup& group) {
  if (group.kind == kIterationKind) return true;
  if (group.kind != Kind::kAnnotation && group.kind != Kind::kOperator) return false;
  return !trace.segments[trace.processes[group.process].segment].source.empty();
}

/// Begins of the evaluations of the same model that are of other groups, in order.
std::vector<int64_t> begins_of_others(const Trace& trace, const Evaluations& evaluations,
                                      const EvaluationGroup& group) {
  std::vector<int64_t> begins;
  for (const EvaluationGroup& other : evaluations.groups) {
    const bool is_other =
        &other != &group && other.process == group.process && other.model == group.model && other.scope == group.scope;
    if (!is_other) continue;
    for (const uint32_t evaluation : other.evaluations) {
      begins.push_back(trace.spans.begin[evaluations.root[evaluation]]);
    }
  }
  std::sort(begins.begin(), begins.end());
  return begins;
}

}  // namespace

const char* name_of(ThroughputOf of) { return of == ThroughputOf::kPeriod ? "period" : "latency"; }

StepPeriod find_step_period(const Trace& trace, const Evaluations& evaluations, const DeviceLatencies& latencies,
                            const EvaluationGroup& group, const std::vector<std::vector<uint32_t>>& by_run) {
  std::vector<double> differences;
  std::vector<double> of_ends;
  size_t pairs = 0;
  size_t overlapping = 0;
  const std::vector<int64_t> others = begins_of_others(trace, evaluations, group);
  for (const auto& run : by_run) {
    for (size_t i = 1; i < run.size(); ++i) {
      const int64_t begin = trace.spans.begin[evaluations.root[run[i - 1]]];
      const int64_t next = trace.spans.begin[evaluations.root[run[i]]];
      const int64_t latency = latencies.model_ns(trace, evaluations, run[i - 1]);
      const auto between = std::upper_bound(others.begin(), others.end(), begin);
      if (between == others.end() || *between >= next) {
        differences.push_back(static_cast<double>(next - begin));
        const int64_t next_end = next + latencies.model_ns(trace, evaluations, run[i]);
        of_ends.push_back(static_cast<double>(next_end - (begin + latency)));
      }
      ++pairs;
      const auto overlap = static_cast<double>(begin + latency - next);
      if (overlap > kLeastOverlap * static_cast<double>(latency)) ++overlapping;
    }
  }
  const bool overlaps = pairs != 0 && 2 * overlapping >= pairs;
  StepPeriod period{.differences = differences.size(), .overlaps = overlaps};
  if (is_step_mark(trace, group) || group.phases.mode == Mode::kTraining || overlaps) {
    period.of = ThroughputOf::kPeriod;
  }
  const auto median = [](std::vector<double>& values) { return evaluate({Statistic::Kind::kMedian, 0}, values); };
  if (differences.size() == 1) period.only_ns = differences.front();
  if (differences.size() >= 2) period.ns = median(differences);
  if (overlaps && period.ns.has_value()) {
    const double between_ends = median(of_ends);
    if (between_ends > kQueued * *period.ns) period.ns = between_ends;
  }
  return period;
}

}  // namespace xsp::analysis
