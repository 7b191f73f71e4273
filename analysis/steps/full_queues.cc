#include "analysis/steps/full_queues.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

struct LongLaunch {
  uint32_t process = 0;
  int64_t at = 0;
  Row call = kNoRow;
  int64_t waiting = 0;  // difference to the launch before it, of those that have not begun
};

bool is_earlier(const LongLaunch& a, const LongLaunch& b) {
  if (a.process != b.process) return a.process < b.process;
  return a.at != b.at ? a.at < b.at : a.call < b.call;
}

std::vector<LongLaunch> long_launches(const Trace& trace, const Executions& executions) {
  const SpanTable& spans = trace.spans;
  std::vector<LongLaunch> launches;
  for (size_t i = 0; i < executions.placed.size(); ++i) {
    const Row row = trace.executions.row[i];
    const Row call = executions.placed[i].launch;
    if (call == kNoRow || (spans.kind[row] != Kind::kKernel && spans.kind[row] != Kind::kMemset)) continue;
    if (spans.duration(call) < kLeastQueueWaitNs || spans.begin[row] < spans.end[call]) continue;
    launches.push_back({trace.process_of(call), spans.begin[call], call});
  }
  std::sort(launches.begin(), launches.end(), is_earlier);
  const auto is_same = [](const LongLaunch& a, const LongLaunch& b) { return a.call == b.call; };
  launches.erase(std::unique(launches.begin(), launches.end(), is_same), launches.end());
  return launches;
}

}  // namespace

std::vector<Row> launches_at_full_queues(const Trace& trace, const Executions& executions) {
  const SpanTable& spans = trace.spans;
  std::vector<LongLaunch> launches = long_launches(trace, executions);
  if (launches.empty()) return {};
  // Each execution waits at all launches from its own one to its begin.
  launches.push_back({.process = UINT32_MAX});
  const auto first_from = [&](uint32_t process, int64_t at) {
    return std::lower_bound(launches.begin(), launches.end(), LongLaunch{.process = process, .at = at, .call = 0},
                            is_earlier);
  };
  for (size_t i = 0; i < executions.placed.size(); ++i) {
    const Row row = trace.executions.row[i];
    const Row call = executions.placed[i].launch;
    const uint32_t process = trace.process_of(row);
    const auto from = first_from(process, call == kNoRow ? INT64_MIN : spans.begin[call] + 1);
    const auto to = first_from(process, spans.begin[row]);
    if (from >= to) continue;
    ++from->waiting;
    --to->waiting;
  }
  std::vector<Row> rows;
  int64_t waiting = 0;
  for (const LongLaunch& launch : launches) {
    waiting += launch.waiting;
    if (waiting >= kFullQueue) rows.push_back(launch.call);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace xsp::analysis
