#include "collector/recording/recording.h"

#include <algorithm>
#include <numeric>

#include "collector/process/process_trace.h"
#include "collector/recording/part_sequence.h"
#include "proto/span_columns.h"

namespace xsp {

void Recording::limit(uint64_t bytes_per_second, uint64_t file_bytes, uint64_t now_ns) {
  counts = true;
  budget = StorageBudget({.bytes_per_second = bytes_per_second, .bytes = file_bytes}, now_ns);
  if (file_bytes != 0) writer.set_limit(file_bytes, StorageBudget::room_for_counts(file_bytes));
}

void Recording::remove(const ProcessTrace* process) {
  const auto found = std::find(live.begin(), live.end(), process);
  if (found != live.end()) live.erase(found);
}

void Recording::expect_spans(size_t count, uint64_t now_ns) {
  if (!budget.has_limits()) return;
  uint64_t coming = 0;
  if (budget.limits().bytes != 0) {
    // Those that are held in memory are as good as written.
    const SpanTally written = writer.all_spans();
    const uint64_t held =
        kept_spans - std::min(kept_spans, std::accumulate(written.begin(), written.end(), uint64_t{0}));
    coming = (held + count) * kMaxRowBytes;
  }
  if (!budget.advance(now_ns, writer.all_bytes(), coming)) return;
  for (ProcessTrace* process : live) process->write_storage_gap(false);
}

void Recording::tick(uint64_t now_ns) {
  if (!counts) return;
  expect_spans(0, now_ns);
  for (ProcessTrace* process : live) process->write_minute(now_ns, false);
  rotate_if_due(now_ns);
}

void Recording::rotate_if_due(uint64_t now_ns) {
  if (parts != nullptr && parts->is_due(writer, now_ns)) parts->rotate(*this, now_ns);
}

}  // namespace xsp
