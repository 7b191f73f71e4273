#include "analysis/steps/step_windows.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {
namespace {

/// Whether nothing else of the process is evaluated between two of its evaluations.
bool are_neighbours(const Trace& trace, const Evaluations& evaluations, uint32_t first, uint32_t second) {
  const uint32_t process = trace.process_of(evaluations.root[first]);
  for (uint32_t between = first + 1; between < second; ++between) {
    if (trace.process_of(evaluations.root[between]) == process) return false;
  }
  return true;
}

}  // namespace

StepWindows find_step_windows(const Trace& trace, const Evaluations& evaluations, const DeviceLatencies& latencies,
                              const std::vector<uint32_t>& run, ThroughputOf of) {
  StepWindows found;
  found.evaluations = run;
  if (run.empty()) return found;
  found.process = trace.process_of(evaluations.root[run.front()]);
  TimeIntervals windows;
  windows.reserve(run.size());
  for (size_t i = 0; i < run.size(); ++i) {
    const int64_t begin = trace.spans.begin[evaluations.root[run[i]]];
    int64_t end = begin + latencies.model_ns(trace, evaluations, run[i]);
    int64_t host_end = trace.spans.end[evaluations.root[run[i]]];
    if (of == ThroughputOf::kPeriod && i + 1 < run.size() && are_neighbours(trace, evaluations, run[i], run[i + 1])) {
      const int64_t next = trace.spans.begin[evaluations.root[run[i + 1]]];
      end = std::max(end, next);
      host_end = std::max(host_end, next);
    }
    windows.push_back({begin, end});
    found.on_host.push_back({begin, host_end});
  }
  found.windows = united(std::move(windows));
  return found;
}

}  // namespace xsp::analysis
