#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/diagnosis.h"
#include "analysis/iterations/found_iterations.h"
#include "analysis/iterations/iteration_metrics.h"
#include "analysis/statistics/trend.h"

namespace xsp::analysis {

/// The time of each iteration in its two parts, ns: where the device waits for the host, and where it works. Their sum
/// is what it adds to the run: from the end of the iteration before to its own.
struct IterationSeries {
  std::vector<double> host;    // of the interval what nothing ran in; NaN where there is no interval
  std::vector<double> device;  // the iteration, and of the interval what something ran in
  double median_host = 0;
  double median_device = 0;
  double median_period = 0;  // from begin to begin; where that is not known the sum of both
  double total = 0;          // of all, where an interval is not known without it

  size_t size() const { return device.size(); }
};

IterationSeries iteration_series(const std::vector<IterationMetrics>& metrics);

/// A loop while it is diagnosed: families of checks run one after another, and later ones leave out what earlier ones
/// explain.
struct DiagnosedLoop {
  const Trace& trace;
  const FoundIterations& found;
  uint32_t loop;
  const std::vector<IterationMetrics>& metrics;
  IterationSeries series;

  size_t warm_up = 0;                   // leading iterations that are left out of everything else
  std::optional<Trend> growth;          // of host time, where it was found
  std::optional<Trend> drift;           // of device time, likewise
  std::vector<bool> explained;          // iterations whose times another check has told
  std::vector<bool> stalled;            // host time before it likewise
  std::vector<Diagnosis> found_checks;  // in the order in which they ran

  bool has_device() const { return found.operations.source == OperationSource::kDevice; }
  std::string_view noun() const { return found.noun(); }  // "step"
  const IterationInputs& inputs() const {
    static const IterationInputs kUnknown;
    return loop < found.inputs.size() ? found.inputs[loop] : kUnknown;
  }
  /// How many iterations after the warm-up can be compared: with other inputs they take other times.
  size_t comparable() const;
  const Loop& mined() const { return found.loops.loops[loop]; }
};

/// A row of a check that cannot be made: "not checked: " and the reason.
Diagnosis unknown(std::string_view id, double threshold, std::string_view unit, const std::string& why);

// The families of checks. Each adds its rows to `found_checks`.
void diagnose_warm_up(DiagnosedLoop* loop);
void diagnose_growth(DiagnosedLoop* loop);      // graph_growth, drift
void diagnose_recurrence(DiagnosedLoop* loop);  // periodic_work, input_stall, outliers
void diagnose_waiting(DiagnosedLoop* loop);     // copy_bound, host_bound, launch_bound

/// "12.3 ms", "45 µs" of ns.
std::string duration_text(double ns);
/// "3 iterations", "1 iteration"; of another noun "3 steps".
std::string iterations_text(size_t count, std::string_view noun = "iteration");
/// "p = 0.003", "p < 1e-6".
std::string significance_text(double p);
/// "7, 14, 21 and 12 more".
std::string numbers_text(const std::vector<uint32_t>& numbers);

}  // namespace xsp::analysis
