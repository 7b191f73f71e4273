#include "collector/continuous/span_account.h"

#include <algorithm>

#include "collector/recording/recording.h"

namespace xsp {
namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;

uint64_t duration(uint64_t begin, uint64_t end) { return end > begin ? end - begin : 0; }

}  // namespace

SpanAccount::SpanAccount(Recording& recording, uint32_t process, uint64_t begin_ns)
    : recording_(recording), process_(process), begin_ns_(begin_ns), minute_begin_ns_(begin_ns) {}

size_t SpanAccount::keep(SpanRow* rows, size_t count, uint64_t now_ns) {
  if (!recording_.counts || count == 0) return count;
  recording_.expect_spans(count, now_ns);
  const StorageBudget& budget = recording_.budget;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const SpanRow& row = rows[i];
    const bool stored = budget.stores(row.begin);
    const AggregateKey key{row.level, row.kind, row.name, row.type};
    minute_.add(key.packed(), duration(row.begin, row.end), row.failed, stored);
    if (!stored) {
      if (budget.is_full()) first_not_stored_ns_ = std::min(first_not_stored_ns_, row.begin);
      continue;
    }
    if (kept != i) rows[kept] = row;
    ++kept;
  }
  recording_.kept_spans += kept;
  not_stored_ += count - kept;
  return kept;
}

bool SpanAccount::may_drop() const { return recording_.counts && recording_.budget.has_limits(); }

bool SpanAccount::keep(const ActivityRow& row, uint64_t now_ns) {
  if (!recording_.counts) return true;
  recording_.expect_spans(1, now_ns);
  const bool stored = recording_.budget.stores(row.begin);
  const AggregateKey key{row.level, row.kind, row.name, 0};
  minute_.add(key.packed(), duration(row.begin, row.end), false, stored);
  (stored ? recording_.kept_spans : not_stored_) += 1;
  return stored;
}

void SpanAccount::write_minute(uint64_t now_ns, bool at_once) {
  if (!recording_.counts || minute_.is_empty()) return;
  // A file that is full has room for one more, at the end.
  const bool is_due = now_ns >= minute_begin_ns_ + kMinuteNs && !recording_.budget.is_full();
  if (!at_once && !is_due) return;
  if (recording_.writer.room(Body::kAggregates) >= minute_.bytes()) {
    minute_.write(recording_.writer, process_, minute_begin_ns_, now_ns, false);
  } else {
    AggregateTable nameless;
    for (const AggregateTable::Row& row : minute_.rows()) {
      const AggregateKey key = AggregateKey::unpack(row.key);
      nameless.add_row(AggregateKey{key.level, key.kind, 0, 0}.packed(), row);
    }
    nameless.write(recording_.writer, process_, minute_begin_ns_, now_ns, false);
  }
  if (recording_.parts != nullptr) total_.add_table(minute_, [](uint64_t key) { return key; });
  minute_.clear();
  minute_begin_ns_ = now_ns;
}

void SpanAccount::write_total(uint64_t now_ns) const {
  if (recording_.counts && recording_.parts != nullptr) {
    total_.write(recording_.writer, process_, begin_ns_, now_ns, true);
  }
}

}  // namespace xsp
