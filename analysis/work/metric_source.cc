#include "analysis/work/metric_source.h"

#include <algorithm>

#include "analysis/work/analytic_metrics.h"

namespace xsp::analysis {
namespace {

bool any_known(const std::vector<KernelMetrics>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const KernelMetrics& one) { return one.source != MetricSource::kNone; });
}

/// Flags that hold whoever tells the flops. Which kernel of an operator has its algorithmic flops does not hold:
/// counters are of each kernel.
constexpr uint8_t kOfAlgorithm = kWinograd | kFft | kEmulated;

}  // namespace

Metrics make_metrics(const Trace& trace, const Parents& parents, const Executions& executions, CounterJoin* join) {
  Metrics metrics;
  *join = {};
  std::vector<KernelMetrics> counted;
  if (!trace.counters.empty()) counted = counter_metrics(trace, join);
  std::vector<KernelMetrics> analytic = analytic_metrics(trace, parents, executions);
  if (join->joined == 0) {
    if (!any_known(analytic)) return metrics;
    metrics.of = std::move(analytic);
    metrics.source = MetricSource::kAnalytic;
    return metrics;
  }
  for (size_t i = 0; i < counted.size(); ++i) {
    counted[i].algorithmic_flops = analytic[i].algorithmic_flops;
    counted[i].flags = analytic[i].flags & kOfAlgorithm;
    // Without flops, counters do not tell the type that a kernel computes in.
    if (counted[i].type == DataType::kUnknown) counted[i].type = analytic[i].type;
  }
  metrics.of = std::move(counted);
  metrics.source = MetricSource::kCounters;
  return metrics;
}

}  // namespace xsp::analysis
