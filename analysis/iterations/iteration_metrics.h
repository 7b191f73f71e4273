#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What happens in one iteration and in the interval before it, in ns. An interval is from the end of the iteration
/// before (of the same loop, with no operation of another loop's iteration between) to the begin of this one; 0 where
/// they overlap. The period is interval and iteration together.
struct IterationMetrics {
  IterationTime time;
  bool has_interval = false;  // not of the first, nor where another loop ran between
  int64_t interval = 0;
  int64_t to_device_in_interval = 0;  // union of copies to the device within the interval
  int64_t to_host_in_interval = 0;    // likewise
  int64_t busy_in_interval = 0;       // union of all operations within it
  uint64_t bytes_to_device = 0;       // of copies of this iteration and of the interval before it
  uint64_t bytes_to_host = 0;
  uint32_t operations = 0;
  uint32_t inserted = 0;
  uint32_t missing = 0;
  int64_t operation_gaps = 0;  // sum of the times inside the iteration in which nothing ran between two operations
  uint32_t gaps = 0;           // operations - 1 of those inside
  // Unions within the iteration, clipped to it.
  int64_t compute = 0;  // kernels, memsets and copies within the device
  int64_t copy = 0;     // copies from and to the host
  int64_t both = 0;     // at the same time
  int64_t idle = 0;     // neither
};

/// The paper's five metrics (Table III) of a loop; a mean is over what has the value.
struct LoopMetrics {
  uint32_t iterations = 0;
  std::optional<double> avg_interval_ns;
  std::optional<double> max_interval_ns;
  std::optional<double> avg_overlap;       // mean of (copies to the device / interval), 0 to 1; of non-empty intervals
  std::optional<double> avg_operation_ns;  // mean time between consecutive operations inside an iteration
  std::optional<double> avg_size_bytes;    // copied to the device per iteration
  double avg_iteration_ns = 0;
  // Shares of the time from the first iteration's begin to the last one's end, 0 to 1.
  double compute = 0;
  double copy = 0;
  double both = 0;
  double idle = 0;
  double intervals = 0;
};

/// By iteration of a loop.
std::vector<IterationMetrics> iteration_metrics(const Trace& trace, const FoundIterations& found, uint32_t loop);

LoopMetrics loop_metrics(const std::vector<IterationMetrics>& iterations);

}  // namespace xsp::analysis
