#include "collector/continuous/span_storage.h"

#include <algorithm>
#include <numeric>

#include "proto/span_columns.h"

namespace xsp {

void SpanStorage::limit(uint64_t bytes_per_second, uint64_t file_bytes, uint64_t now_ns) {
  counts_ = true;
  budget_ = StorageBudget({.bytes_per_second = bytes_per_second, .bytes = file_bytes}, now_ns);
  if (file_bytes != 0) writer_.set_limit(file_bytes, StorageBudget::room_for_counts(file_bytes));
}

void SpanStorage::expect(size_t count, uint64_t now_ns) {
  if (!budget_.has_limits()) return;
  uint64_t coming = 0;
  if (budget_.limits().bytes != 0) {
    // Spans that are held in memory will be written, so they count.
    const SpanTally written = writer_.all_spans();
    const uint64_t held = kept_ - std::min(kept_, std::accumulate(written.begin(), written.end(), uint64_t{0}));
    coming = (held + count) * kMaxRowBytes;
  }
  if (budget_.advance(now_ns, writer_.all_bytes(), coming)) listener_.storage_changed();
}

}  // namespace xsp
