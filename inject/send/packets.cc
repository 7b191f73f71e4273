#include "inject/send/packets.h"

#include <algorithm>

#include "inject/send/device_packets.h"
#include "inject/send/ring_records.h"
#include "proto/packet_writer.h"
#include "proto/record_rows.h"
#include "proto/row_batches.h"
#include "proto/span_columns.h"

namespace xsp::guest {
namespace {

constexpr size_t kStringPacketBytes = size_t{64} * 1024;
static_assert(kStringPacketBytes + kMaxStringBytes + 1024 <= kPacketBytes);

/// How many argument records apart the parts of one span's arguments may lie: a signal handler's calls may come in
/// between.
constexpr size_t kPartDistance = 64;

struct BatchRecords {
  Offsets spans;
  Offsets tags;
  Offsets arguments;
  Offsets graph_nodes;
};

/// Arguments whose span has not come yet. There are several where calls of signal handlers came in between. If there
/// are too many the oldest is forgotten, as its span was certainly dropped.
class OpenArguments {
 public:
  void add(uint32_t span, size_t offset) {
    if (count_ == kMost) remove(0);
    open_[count_++] = {span, offset};
  }
  void close(uint32_t span) {
    for (size_t i = 0; i < count_; ++i) {
      if (open_[i].span == span) return remove(i);
    }
  }
  /// Offset of the first one from `least` on, `none` if there is none.
  size_t first(size_t least, size_t none) const {
    for (size_t i = 0; i < count_; ++i) {
      if (open_[i].offset >= least) return open_[i].offset;
    }
    return none;
  }

 private:
  static constexpr size_t kMost = 8;
  struct Entry {
    uint32_t span;
    size_t offset;
  };

  void remove(size_t at) {
    --count_;
    for (; at < count_; ++at) open_[at] = open_[at + 1];
  }

  Entry open_[kMost];
  size_t count_ = 0;
};

/// Sorts the records of a batch by type; see write_records. Ends before an activity, which goes into a packet of
/// another type, and before records of another thread. Returns how many records are covered.
size_t collect(const RingRecords& records, uint64_t end, bool may_wait, BatchRecords& batch) {
  OpenArguments open;
  const size_t limit = std::min<size_t>(end - records.first, kBatchRecords);
  size_t at = 0;
  for (; at < limit && records.is_finished(at); ++at) {
    const shm::Record* record = records.at(at);
    if (records.type(at) == shm::RecordType::kSpan) {
      // The id of a foreign span is another ring's: equal numbers mean nothing here.
      if ((record->flags & shm::kFlagForeign) == 0) open.close(record->id);
      batch.spans.add(at);
    } else if (records.type(at) == shm::RecordType::kArguments) {
      const shm::ArgumentRecord* arguments = records.arguments_at(at);
      if (arguments->part == 0) open.add(arguments->span, at);
      batch.arguments.add(at);
    } else if (records.type(at) == shm::RecordType::kGraphNode) {
      batch.graph_nodes.add(at);
    } else if (records.type(at) == shm::RecordType::kActivity) {
      break;
    } else if (records.type(at) == shm::RecordType::kOwner) {
      if (at > 0) break;  // a thread that took the ring over
    } else {
      // A packet of tags is for spans of one ring.
      if (batch.tags.count > 0 && records.at(batch.tags.offset[0])->scope != record->scope) break;
      batch.tags.add(at);
    }
  }
  // Arguments at the very beginning cannot be left to a later batch if this one is full, or if nothing may wait:
  // nothing would ever be sent.
  const bool waits = may_wait && at < kBatchRecords;
  const size_t covered = open.first(waits ? 0 : 1, at);
  batch.spans.cut(covered);
  batch.tags.cut(covered);
  batch.arguments.cut(covered);
  batch.graph_nodes.cut(covered);
  return covered;
}

void write_tags(WireWriter& writer, uint32_t thread, const RingRecords& records, const Offsets& tags) {
  if (tags.count == 0) return;
  write_packet(writer, wire::TagBatch::kBody, [&] {
    write_tag_columns(writer, thread, records.at(tags.offset[0])->scope, [&](auto&& take) {
      for (size_t i = 0; i < tags.count; ++i) take(tag_of(*records.at(tags.offset[i])));
    });
  });
}

/// Joins the parts of each span's arguments. Where a part was dropped those after it are left out: the values end
/// early.
void write_arguments(WireWriter& writer, uint32_t thread, uint32_t ring, const RingRecords& records,
                     const Offsets& arguments) {
  if (arguments.count == 0) return;
  // For each record the index of its next part, and for a first part the bytes of all parts.
  uint16_t next[kBatchRecords] = {};
  uint16_t length[kBatchRecords] = {};
  const auto record = [&](size_t i) { return records.arguments_at(arguments.offset[i]); };
  const auto used = [&](size_t i) { return std::min<uint16_t>(record(i)->length, shm::kArgumentBytes); };
  for (size_t i = 0; i < arguments.count; ++i) {
    if (record(i)->part != 0) continue;
    length[i] = used(i);
    // Only a full part is followed by another.
    for (size_t last = i, j = i + 1; j < arguments.count && j <= last + kPartDistance; ++j) {
      if (used(last) < shm::kArgumentBytes) break;
      if (record(j)->span != record(i)->span || record(j)->part != record(last)->part + 1) continue;
      length[i] = static_cast<uint16_t>(length[i] + used(j));
      next[last] = static_cast<uint16_t>(j);
      last = j;
    }
  }
  const auto each_first = [&](auto&& take) {
    for (size_t i = 0; i < arguments.count; ++i) {
      if (record(i)->part == 0) take(i);
    }
  };
  const auto rows = [&](auto&& take) {
    each_first([&](size_t i) {
      take(ArgumentRow{.span = record(i)->span, .layout = record(i)->layout, .length = length[i]});
    });
  };
  write_packet(writer, wire::ArgumentBatch::kBody, [&] {
    write_argument_columns(writer, thread, ring, rows, [&] {
      const auto values = writer.begin(wire::ArgumentBatch::kValues);
      each_first([&](size_t i) {
        do {
          writer.append(record(i)->values, used(i));
          i = next[i];
        } while (i != 0);
      });
      writer.end(values);
    });
  });
}

}  // namespace

uint32_t write_strings(WireWriter& writer, const SharedRegion& region, uint32_t first, uint32_t last,
                       uint64_t* offset) {
  uint32_t id = first;
  write_packet(writer, wire::StringBatch::kBody, [&] {
    wire::write(writer, wire::StringBatch{.first_id = first}, [&] {
      const size_t start = writer.size();
      for (; id <= last && writer.size() - start < kStringPacketBytes; ++id) {
        const auto* entry = reinterpret_cast<const shm::ArenaEntry*>(region.arena() + *offset);
        writer.element(wire::StringBatch::kText, entry + 1, entry->length);
        *offset += (sizeof(shm::ArenaEntry) + entry->length + 7) & ~uint64_t{7};
      }
    });
  });
  return id - 1;
}

void write_clock(WireWriter& writer, const ClockPair& clock) {
  write_packet(writer, wire::ClockReading{.clock = static_cast<uint32_t>(clock_source),
                                          .ticks = clock.ticks,
                                          .monotonic_ns = clock.monotonic_ns,
                                          .realtime_offset_ns = clock.realtime_offset_ns});
}

size_t write_records(WireWriter& writer, const SharedRegion& region, uint32_t ring_index, uint64_t first, uint64_t end,
                     bool may_wait, shm::Record* joined) {
  const RingRecords records = records_of_batch(region, ring_index, first, end, joined);
  if (first < end && records.is_finished(0) && records.type(0) == shm::RecordType::kActivity) {
    return write_activities(writer, ring_index, records, end);
  }
  std::atomic<uint32_t>& owner = region.ring(ring_index)->sent_thread;
  if (first < end && records.is_finished(0) && records.type(0) == shm::RecordType::kOwner) {
    owner.store(records.at(0)->id, std::memory_order_relaxed);
  }
  BatchRecords batch_records;
  const size_t covered = collect(records, end, may_wait, batch_records);
  if (covered == 0) return 0;
  const uint32_t thread = owner.load(std::memory_order_relaxed);
  // What belongs to spans goes before them: the collector holds it until the batch comes, so a kill in between loses
  // nothing.
  write_tags(writer, thread, records, batch_records.tags);
  write_arguments(writer, thread, ring_index, records, batch_records.arguments);
  write_graph_nodes(writer, ring_index, records, batch_records.graph_nodes);
  const BatchHead head{.thread = thread,
                       .ring = ring_index,
                       .first_record = first,
                       .record_count = static_cast<uint32_t>(covered),
                       .clock = static_cast<uint32_t>(clock_source)};
  const Offsets& spans = batch_records.spans;
  write_packet(writer, wire::SpanBatch::kBody, [&] {
    write_span_columns(writer, head, spans.count, [&](size_t i) { return row_of(*records.at(spans.offset[i])); });
  });
  return covered;
}

void write_loss(WireWriter& writer, uint32_t reason, uint64_t count) {
  write_packet(writer, wire::Loss{.reason = reason, .count = count});
}

}  // namespace xsp::guest
