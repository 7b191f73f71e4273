#include "collector/process/process_recovery.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "collector/recording/part_sequence.h"
#include "proto/packet_writer.h"
#include "proto/record_rows.h"
#include "proto/row_batches.h"

namespace xsp {
namespace {

constexpr size_t kRowsPerAppend = 1024;
constexpr size_t kOpenSpanBytes = 64;

/// The arguments of calls whose span has not come yet. Those of a call in progress are never taken.
class PartialArguments {
 public:
  struct Call {
    uint32_t span = 0;
    uint32_t layout = 0;
    uint32_t parts = 0;
    std::string values;
  };

  /// False for an invalid record. Parts whose predecessor is missing are left out.
  bool add(const shm::ArgumentRecord& record) {
    if (record.length > shm::kArgumentBytes || record.part >= shm::kMaxArgumentParts) return false;
    const std::string_view values(reinterpret_cast<const char*>(record.values), record.length);
    if (record.part == 0) {
      if (calls_.size() == kMaxCalls) calls_.erase(calls_.begin());
      calls_.push_back({record.span, record.layout, 1, std::string(values)});
    } else if (Call* call = find(record.span); call != nullptr && call->parts == record.part) {
      ++call->parts;
      call->values += values;
    }
    return true;
  }

  Call* find(uint32_t span) {
    const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.span == span; });
    return found == calls_.end() ? nullptr : &*found;
  }
  void remove(const Call* call) { calls_.erase(calls_.begin() + (call - calls_.data())); }

 private:
  static constexpr size_t kMaxCalls = 16;
  std::vector<Call> calls_;
};

/// A record of another type, copied from an shm::Record.
template <typename Other>
Other as(const shm::Record& record) {
  Other other;
  std::memcpy(static_cast<void*>(&other), &record, sizeof other);
  return other;
}

}  // namespace

bool ProcessRecovery::run(bool said_goodbye, uint64_t now_ns) {
  shm::SharedHeader header{};
  if (!context_.memory->read_header(&header)) {
    count_unreadable();
    return false;
  }
  if (context_.hello.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs) && !clocks_.has_rate())
    clocks_.complete();
  // _exit leaves a mark in the memory and sends nothing.
  const bool left_by_exit = header.goodbye.load(std::memory_order_relaxed) != 0;
  const bool with_open_spans = !said_goodbye && !left_by_exit;
  const uint32_t rings = std::min(header.rings_used.load(std::memory_order_relaxed), context_.memory->ring_capacity());
  overflows_ = context_.memory->overflow_count();
  // A running process may name a string after its strings were read, so the heads of the rings are read first.
  std::vector<uint64_t> heads(rings, 0);
  for (uint32_t i = 0; i < rings; ++i) {
    shm::RingHeader ring{};
    if (context_.memory->read_ring(i, &ring)) {
      heads[i] = ring.head.load(std::memory_order_relaxed);
    } else {
      count_unreadable();
    }
  }
  names_.recover();
  for (uint32_t i = 0; i < rings; ++i) {
    shm::RingHeader ring{};
    if (!context_.memory->read_ring(i, &ring)) continue;
    // The guest may have sent more than has arrived, so its own idea of the thread takes second place.
    const RingStream* const known = rings_.find(i);
    const auto latest = known != nullptr ? known->latest_thread() : std::nullopt;
    recover_records(i, ring, latest.value_or(ring.sent_thread.load(std::memory_order_relaxed)), heads[i], now_ns);
    if (with_open_spans) recover_open_spans(i, ring);
  }
  // After all rings: a launch may lie in a different ring from its execution.
  activities_.take_left(now_ns);
  recover_losses();
  libraries_.recover_used(header);
  return left_by_exit;
}

void ProcessRecovery::count_unreadable() {
  context_.losses.add(LossReason::kCorrupt, 1, "the shared memory could not be read to its end");
}

void ProcessRecovery::recover_records(uint32_t index, const shm::RingHeader& ring, uint32_t thread, uint64_t head,
                                      uint64_t now_ns) {
  const RingStream* const known = rings_.find(index);
  const uint64_t expected = known != nullptr ? known->next_record() : 0;
  if (head <= expected) return;
  // A ring holds no more than that; a hostile guest may claim anything, including one area for many rings.
  const uint64_t unsent = head - expected;
  const bool is_more = unsent > shm::kRingRecords;
  if (unsent > context_.memory->most_records(ring, expected) || (is_more && overflows_ == 0)) {
    context_.losses.add(LossReason::kCorrupt, 1, "the head of a ring in shared memory makes no sense");
    return;
  }
  if (is_more) --overflows_;
  RingStream& stream = rings_.ring(index);
  std::vector<SpanRow> rows;
  uint32_t records = 0;
  const auto append = [&] {
    spans_.append(stream, thread, records, rows, now_ns);
    rows.clear();
    records = 0;
    if (context_.recording.parts == nullptr || !context_.recording.parts->is_due(context_.writer, now_ns)) return;
    stream.write_held_tags(context_.writer);  // into the part that has their spans
    context_.recording.rotate_if_due(now_ns);
  };
  // Tags and arguments that came without their batch are in these records, too, and must not count twice.
  stream.drop_held();
  PartialArguments partial;
  uint64_t at = expected;
  const bool is_read =
      context_.memory->for_each_record(index, expected, head, [&](const shm::Record& record, bool whole) {
        ++records;
        const bool is_unfinished = shm::is_unfinished(record, at++, head);
        const auto type = static_cast<shm::RecordType>(record.record_type);
        if (whole && type == shm::RecordType::kSpan) {
          rows.push_back(row_of(record));
          // Records in the memory have not been validated as the rows of a batch have.
          if (rows.back().level >= kLevels) rows.back().level = 0;
          spans_.convert(context_.hello.clock, index, rows.back());
          // The id of a foreign span belongs to another ring, and may equal one here.
          const bool is_own = (record.flags & shm::kFlagForeign) == 0;
          if (const auto* call = is_own ? partial.find(record.id) : nullptr) {
            spans_.hold_arguments(stream, thread, call->span, call->layout, call->values);
            partial.remove(call);
          }
        } else if (whole && type == shm::RecordType::kOwner) {
          append();
          thread = record.id;
        } else if (whole && type == shm::RecordType::kArguments && partial.add(as<shm::ArgumentRecord>(record))) {
          return;
        } else if (whole && type == shm::RecordType::kActivity) {
          activities_.hold_left(as<shm::ActivityRecord>(record), now_ns);
        } else if (whole && type == shm::RecordType::kGraphNode) {
          const GraphNodeRow made = graph_node_of(as<shm::GraphNodeRecord>(record));
          activities_.add_graph_node(index, made.node, made.original, made.span);
        } else if (whole && type == shm::RecordType::kTag) {
          const TagRow tag = tag_of(record);
          stream.hold_tag({thread, tag.span, names_.known(tag.key), names_.known(tag.value)}, context_.writer);
        } else if (!is_unfinished) {
          context_.losses.add(LossReason::kCorrupt, 1, "records in shared memory were not whole");
        }
        if (rows.size() == kRowsPerAppend) append();
      });
  if (!is_read) count_unreadable();
  append();
  stream.write_held_tags(context_.writer);
}

void ProcessRecovery::recover_open_spans(uint32_t index, const shm::RingHeader& ring) {
  const uint32_t depth = std::min(ring.depth.load(std::memory_order_relaxed), shm::kMaxOpenSpans);
  if (depth == 0) return;
  // A span is published before its slot is freed: one found in both places was finished.
  const uint64_t head = ring.head.load(std::memory_order_relaxed);
  std::unordered_set<uint32_t> finished;
  // Enough records to hold the last span of each slot, with all parts of its arguments.
  constexpr uint64_t kLatest = uint64_t{shm::kMaxOpenSpans} * (1 + shm::kMaxArgumentParts);
  context_.memory->for_each_record(
      index, head - std::min(head, kLatest), head, [&](const shm::Record& record, bool whole) {
        const bool is_span = static_cast<shm::RecordType>(record.record_type) == shm::RecordType::kSpan;
        if (whole && is_span && (record.flags & shm::kFlagForeign) == 0) finished.insert(record.id);
      });
  struct Open {
    const shm::OpenSpan* span;
    uint32_t id;
    uint32_t name;
    uint32_t type;
  };
  std::vector<Open> open;
  for (uint32_t i = 0; i < depth; ++i) {
    const shm::OpenSpan& span = ring.open[i];
    const uint32_t id = span.id.load(std::memory_order_relaxed);
    if (id != 0 && id != shm::kClosedSlot && !finished.contains(id))
      open.push_back({&span, id, names_.known(span.name), names_.known(span.type)});
  }
  if (open.empty()) return;
  context_.writer.write(context_.number, Body::kOpenSpans, 64 + open.size() * kOpenSpanBytes, [&](WireWriter& body) {
    const wire::OpenSpans batch{.thread = ring.thread.load(std::memory_order_relaxed), .ring = index};
    wire::write(body, batch, [&] {
      for (const Open& entry : open) {
        const uint8_t level = entry.span->level < kLevels ? entry.span->level : 0;
        write_nested(body, wire::OpenSpans::kSpan,
                     wire::OpenSpansSpan{.begin = clocks_.to_ns(context_.hello.clock, entry.span->begin),
                                         .id = entry.id,
                                         .name = entry.name,
                                         .type = entry.type,
                                         .level = level,
                                         .kind = entry.span->kind});
      }
    });
  });
}

void ProcessRecovery::recover_losses() {
  shm::SharedHeader header{};
  if (!context_.memory->read_header(&header)) return;
  uint64_t totals[kLossReasons];
  for (size_t i = 0; i < kLossReasons; ++i) totals[i] = header.losses[i].load(std::memory_order_relaxed);
  uint64_t first = 0;
  uint64_t last = 0;
  const uint32_t rings = std::min(header.rings_used.load(std::memory_order_relaxed), context_.memory->ring_capacity());
  for (uint32_t i = 0; i < rings; ++i) {
    shm::RingHeader ring{};
    if (!context_.memory->read_ring(i, &ring)) continue;
    const uint64_t dropped = ring.dropped.load(std::memory_order_relaxed);
    totals[static_cast<size_t>(LossReason::kTooDeep)] += ring.too_deep.load(std::memory_order_relaxed);
    if (dropped == 0) continue;
    totals[static_cast<size_t>(LossReason::kRingFull)] += dropped;
    const uint64_t first_drop = ring.first_drop.load(std::memory_order_relaxed);
    if (first_drop != 0) first = first == 0 ? first_drop : std::min(first, first_drop);
    last = std::max(last, ring.last_drop.load(std::memory_order_relaxed));
  }
  for (uint32_t reason = 1; reason < kLossReasons; ++reason) {
    const bool has_times = reason == static_cast<uint32_t>(LossReason::kRingFull);
    context_.losses.report_total(reason, totals[reason], {},
                                 has_times && first != 0 ? clocks_.to_ns(context_.hello.clock, first) : 0,
                                 has_times && last != 0 ? clocks_.to_ns(context_.hello.clock, last) : 0);
  }
}

}  // namespace xsp
