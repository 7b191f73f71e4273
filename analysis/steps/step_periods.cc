#include "analysis/steps/step_periods.h"

#include <algorithm>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/iteration_kind.h"

namespace xsp::analysis {
namespace {

/// Clocks of host and device may differ by a little: less is no overlap.
constexpr double kLeastOverlap = 0.01;

/// Annotations mark what a program does again and again; calls return what they computed.
bool is_step_mark(const Trace& trace, const EvaluationGroup& group) {
  if (group.kind == kIterationKind) return true;
  if (group.kind != Kind::kAnnotation && group.kind != Kind::kOperator) return false;
  return !trace.segments[trace.processes[group.process].segment].source.empty();
}

}  // namespace

const char* name_of(ThroughputOf of) { return of == ThroughputOf::kPeriod ? "period" : "latency"; }

StepPeriod find_step_period(const Trace& trace, const Evaluations& evaluations, const DeviceLatencies& latencies,
                            const EvaluationGroup& group, const std::vector<std::vector<uint32_t>>& by_run) {
  std::vector<double> differences;
  size_t overlapping = 0;
  for (const auto& run : by_run) {
    for (size_t i = 1; i < run.size(); ++i) {
      const int64_t begin = trace.spans.begin[evaluations.root[run[i - 1]]];
      const int64_t next = trace.spans.begin[evaluations.root[run[i]]];
      const int64_t latency = latencies.model_ns(trace, evaluations, run[i - 1]);
      differences.push_back(static_cast<double>(next - begin));
      const auto overlap = static_cast<double>(begin + latency - next);
      if (overlap > kLeastOverlap * static_cast<double>(latency)) ++overlapping;
    }
  }
  StepPeriod period{.differences = differences.size()};
  const bool overlaps = !differences.empty() && 2 * overlapping >= differences.size();
  if (is_step_mark(trace, group) || group.phases.mode == Mode::kTraining || overlaps) {
    period.of = ThroughputOf::kPeriod;
  }
  if (differences.size() == 1) period.only_ns = differences.front();
  if (differences.size() >= 2) period.ns = evaluate({Statistic::Kind::kMedian, 0}, differences);
  return period;
}

}  // namespace xsp::analysis
