#include "analysis/iterations/diagnosis.h"

#include <algorithm>
#include <array>

#include "analysis/iterations/iteration_series.h"

namespace xsp::analysis {
namespace {

/// Of rows.
constexpr std::array<std::string_view, 9> kOrder = {"warm_up",     "graph_growth",  "drift",
                                                    "input_stall", "periodic_work", "outliers",
                                                    "copy_bound",  "host_bound",    "launch_bound"};

size_t place_of(std::string_view id) {
  return static_cast<size_t>(std::find(kOrder.begin(), kOrder.end(), id) - kOrder.begin());
}

}  // namespace

std::vector<Diagnosis> diagnose(const Trace& trace, const FoundIterations& found, uint32_t loop,
                                const std::vector<IterationMetrics>& metrics) {
  DiagnosedLoop diagnosed{.trace = trace,
                          .found = found,
                          .loop = loop,
                          .metrics = metrics,
                          .series = iteration_series(metrics),
                          .growth = {},
                          .drift = {},
                          .explained = std::vector<bool>(metrics.size()),
                          .stalled = std::vector<bool>(metrics.size()),
                          .found_checks = {}};
  diagnose_warm_up(&diagnosed);
  diagnose_growth(&diagnosed);
  diagnose_recurrence(&diagnosed);
  diagnose_waiting(&diagnosed);
  std::vector<Diagnosis> checks = std::move(diagnosed.found_checks);
  std::stable_sort(checks.begin(), checks.end(),
                   [](const Diagnosis& a, const Diagnosis& b) { return place_of(a.id) < place_of(b.id); });
  return checks;
}

}  // namespace xsp::analysis
