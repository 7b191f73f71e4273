#include "collector/continuous/span_account.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;

uint64_t duration(uint64_t begin, uint64_t end) { return end > begin ? end - begin : 0; }

}  // namespace

size_t SpanAccount::keep(SpanRow* rows, size_t count, uint64_t now_ns) {
  if (!storage_.counts() || count == 0) return count;
  storage_.expect(count, now_ns);
  const StorageBudget& budget = storage_.budget();
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
  storage_.add_kept(kept);
  not_stored_ += count - kept;
  return kept;
}

void SpanAccount::append(RingStream& stream, uint32_t thread, uint32_t record_count, std::vector<SpanRow>& rows,
                         uint64_t now_ns) {
  std::vector<uint32_t> held;
  if (may_drop() && stream.holds_for_spans()) {
    for (const SpanRow& row : rows) held.push_back(row.id);
  }
  const size_t kept = keep(rows.data(), rows.size(), now_ns);
  if (kept != rows.size() && !held.empty()) {
    // `held` has all ids; the kept rows come first, in the same order, and are removed from it.
    size_t next = 0;
    std::erase_if(held, [&](uint32_t id) { return next < kept && rows[next].id == id && ++next != 0; });
    stream.drop_held_of(held);
  }
  rows.resize(kept);
  stream.append(thread, record_count, rows.data(), rows.size(), now_ns, storage_.writer());
}

bool SpanAccount::keep(const ActivityRow& row, uint64_t now_ns) {
  if (!storage_.counts()) return true;
  storage_.expect(1, now_ns);
  const bool stored = storage_.budget().stores(row.begin);
  const AggregateKey key{row.level, row.kind, row.name, 0};
  minute_.add(key.packed(), duration(row.begin, row.end), false, stored);
  if (stored) {
    storage_.add_kept(1);
  } else {
    ++not_stored_;
  }
  return stored;
}

void SpanAccount::write_minute(uint64_t now_ns, bool at_once) {
  if (!storage_.counts() || minute_.is_empty()) return;
  // A full file has room for only one more table, reserved for the end.
  const bool is_due = now_ns >= minute_begin_ns_ + kMinuteNs && !storage_.budget().is_full();
  if (!at_once && !is_due) return;
  if (storage_.writer().room(Body::kAggregates) >= minute_.bytes()) {
    minute_.write(storage_.writer(), process_, minute_begin_ns_, now_ns, false);
  } else {
    // No room for all names: rows by level and kind keep the sums exact.
    AggregateTable nameless;
    for (const AggregateTable::Row& row : minute_.rows()) {
      const AggregateKey key = AggregateKey::unpack(row.key);
      nameless.add_row(AggregateKey{key.level, key.kind, 0, 0}.packed(), row);
    }
    nameless.write(storage_.writer(), process_, minute_begin_ns_, now_ns, false);
  }
  if (storage_.keeps_totals()) total_.add_table(minute_, [](uint64_t key) { return key; });
  minute_.clear();
  minute_begin_ns_ = now_ns;
}

void SpanAccount::write_total(uint64_t now_ns) const {
  if (storage_.counts() && storage_.keeps_totals()) {
    total_.write(storage_.writer(), process_, begin_ns_, now_ns, true);
  }
}

}  // namespace xsp
