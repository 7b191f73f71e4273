#include "analysis/iterations/diagnosis.h"

#include <algorithm>
#include <array>

#include "analysis/iterations/iteration_series.h"

namespace xsp::analysis {
namespace {

struct Check {
  std::string_view id;
  double threshold;
  std::string_view unit;
};
/// Of rows.
constexpr std::array kOrder = {Check{"warm_up", 1, "%"},
                               Check{"graph_growth", 10, "%"},
                               Check{"drift", 10, "%"},
                               Check{"input_stall", 1, "%"},
                               Check{"periodic_work", 3, "iterations"},
                               Check{"outliers", 50, "%"},
                               Check{"copy_bound", 10, "%"},
                               Check{"host_bound", 20, "%"},
                               Check{"launch_bound", 20, "%"}};

size_t place_of(std::string_view id) {
  return static_cast<size_t>(std::find_if(kOrder.begin(), kOrder.end(), [&](const Check& c) { return c.id == id; }) -
                             kOrder.begin());
}

std::vector<Diagnosis> not_checked(const std::string& why) {
  std::vector<Diagnosis> checks;
  for (const Check& check : kOrder) checks.push_back(unknown(check.id, check.threshold, check.unit, why));
  return checks;
}

}  // namespace

std::vector<Diagnosis> diagnose(const Trace& trace, const FoundIterations& found, uint32_t loop,
                                const std::vector<IterationMetrics>& metrics) {
  const bool is_told = loop < found.why_not_steps.size();
  if (is_told && !found.why_not_steps[loop].empty()) return not_checked(found.why_not_steps[loop]);
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
