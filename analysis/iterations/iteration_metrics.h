#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What happens in one iteration and in the interval before it, in ns. An interval is from the end of the iteration
/// before (of the same loop and in the same iteration of the loop around, with no operation of another loop's iteration
/// between) to the begin of this one; 0 where they overlap. Unions are of all operations of the process that run then,
/// whichever iteration they are of, and of what the host does beside them (FoundIterations::beside).
struct IterationMetrics {
  IterationTime time;
  bool has_interval = false;  // not of the first, nor where another loop ran or nothing was recorded in between
  int64_t interval = 0;
  int64_t period = 0;                 // from the begin of the iteration before to this one's; of one with an interval
  int64_t to_device_in_interval = 0;  // union of copies to the device within the interval
  int64_t to_host_in_interval = 0;    // likewise
  int64_t copy_in_interval = 0;       // union of both
  int64_t busy_in_interval = 0;       // union of all operations within it
  uint32_t copies_in_interval = 0;    // that begin there, of both directions
  uint64_t bytes_to_device = 0;       // of copies that begin in this iteration or the interval before it
  uint64_t bytes_to_host = 0;
  uint32_t operations = 0;  // of the iteration, copies before and after it too
  uint32_t inserted = 0;
  uint32_t missing = 0;
  int64_t operation_gaps = 0;  // sum of the times inside the iteration in which nothing ran between two operations
  int64_t longest_gap = 0;     // the longest of them
  uint32_t gaps = 0;           // operations - 1 of those that begin inside
  // Unions within the iteration, clipped to it.
  int64_t compute = 0;  // kernels, memsets and copies within the device; all work of the host
  int64_t copy = 0;     // copies from and to the host
  int64_t both = 0;     // at the same time
  int64_t idle = 0;     // neither

  int64_t duration() const { return time.end - time.begin; }
};

/// The paper's five metrics (Table III) of a loop; a mean is over what has the value.
struct LoopMetrics {
  uint32_t iterations = 0;
  std::optional<double> avg_interval_ns;
  std::optional<double> max_interval_ns;
  std::optional<double> avg_period_ns;     // from begin to begin
  std::optional<double> avg_overlap;       // mean of (copies to the device / interval), 0 to 1; of non-empty intervals
  std::optional<double> avg_operation_ns;  // mean time between consecutive operations inside an iteration
  std::optional<double> avg_size_bytes;    // copied to the device per iteration
  double avg_iteration_ns = 0;
  // Shares of the time of all iterations and intervals, 0 to 1: compute + copy - both + idle + intervals is 1.
  double compute = 0;
  double copy = 0;
  double both = 0;
  double idle = 0;
  double intervals = 0;
};

/// By iteration of a loop. One walk over the operations.
std::vector<IterationMetrics> iteration_metrics(const Trace& trace, const FoundIterations& found, uint32_t loop);

/// `has_device`: false where the operations are layers or calls, which copy nothing that is known; avg_overlap and
/// avg_size_bytes have no value then.
LoopMetrics loop_metrics(const std::vector<IterationMetrics>& iterations, bool has_device = true);

}  // namespace xsp::analysis
