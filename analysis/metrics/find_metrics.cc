#include "analysis/metrics/find_metrics.h"

#include <algorithm>

#include "analysis/metrics/analytic_metrics.h"

namespace xsp::analysis {

Metrics find_metrics(const Trace& trace, const Parents& parents, const Executions& executions) {
  Metrics metrics{analytic_metrics(trace, parents, executions), MetricSource::kAnalytic};
  const bool any = std::any_of(metrics.of.begin(), metrics.of.end(),
                               [](const KernelMetrics& own) { return own.source != MetricSource::kNone; });
  return any ? std::move(metrics) : Metrics();
}

}  // namespace xsp::analysis
