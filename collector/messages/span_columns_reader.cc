#include "collector/messages/span_columns_reader.h"

#include "collector/messages/peer_limits.h"
#include "proto/batch_readers.h"

namespace xsp {

Status read_span_columns(protozero::data_view bytes, SpanColumns* columns) {
  using Fields = wire::SpanBatch;
  SpanBatchColumns batch;
  std::vector<SpanRow>& rows = columns->rows;
  columns->head = {};
  rows.clear();
  if (!read_batch({bytes.data(), bytes.size()}, &batch)) return Status{"a span column came twice"};
  columns->head = {.thread = batch.head.thread,
                   .ring = batch.head.ring,
                   .first_record = batch.head.first_record,
                   .record_count = batch.head.record_count,
                   .clock = batch.head.clock};
  if (batch.count > kMaxBatchSpans || batch.head.record_count > kMaxBatchSpans) {
    return Status{"a batch of too many spans"};
  }
  if (batch.count > batch.head.record_count) return Status{"a batch of more spans than records"};
  if (batch.head.clock > static_cast<uint32_t>(wire::Clock::kTsc)) return Status{"a batch in an unknown clock"};
  // A byte holds at most one value, so the mandatory column bounds what is allocated.
  if (batch.count > batch.encoded[Fields::kBegin].size()) return Status{"a span column of wrong length"};

  rows.resize(batch.count);
  bool overflow = false;
  // Each of these reads one column into the rows.
  const auto read = [&](uint32_t field, auto&& take) {
    return batch.decode(field, [&](size_t i, uint64_t value) {
      take(rows[i], value);
      return true;
    });
  };
  const auto read_id = [&](uint32_t field, uint32_t SpanRow::*member) {
    return read(field, [member](SpanRow& row, uint64_t value) { row.*member = static_cast<uint32_t>(value); });
  };
  const auto read_distances = [&](uint32_t field, uint32_t SpanRow::*member) {
    return batch.decode_distances(field, [&](size_t i, uint64_t id) {
      rows[i].*member = static_cast<uint32_t>(id);
      return true;
    });
  };
  // Begin before duration, which is added to it, and ids before parents, which are relative to them.
  const bool is_whole =
      batch.decode_sums(Fields::kBegin,
                        [&](size_t i, uint64_t begin) {
                          rows[i].begin = rows[i].end = begin;
                          rows[i].has_bytes = batch.head.has_bytes;
                          return true;
                        }) &&
      read(Fields::kDuration,
           [&](SpanRow& row, uint64_t value) {
             row.end = row.begin + value;
             overflow |= row.end < row.begin;
           }) &&
      batch.decode_ids([&](size_t i, uint32_t id) {
        rows[i].id = id;
        return true;
      }) &&
      batch.decode_parents([&](size_t i) { return rows[i].id; },
                           [&](size_t i, uint32_t parent) {
                             rows[i].parent = parent;
                             return true;
                           }) &&
      read(Fields::kLevelKind,
           [](SpanRow& row, uint64_t value) {
             const auto level = static_cast<uint8_t>(level_in(value));
             row.level = level < wire::kLevelCount ? level : 0;
             row.kind = static_cast<uint8_t>(kind_in(value));
           }) &&
      read_id(Fields::kName, &SpanRow::name) && read_id(Fields::kType, &SpanRow::type) &&
      read_id(Fields::kShape, &SpanRow::shape) && read_id(Fields::kInput, &SpanRow::input) &&
      read(Fields::kBytes, [](SpanRow& row, uint64_t value) { row.bytes = value; }) &&
      read_id(Fields::kScope, &SpanRow::scope) && read_id(Fields::kStartThread, &SpanRow::start_thread) &&
      read_id(Fields::kStartRing, &SpanRow::start_ring) &&
      read(Fields::kFailed, [](SpanRow& row, uint64_t value) { row.failed = value != 0; }) &&
      read_distances(Fields::kCorrelation, &SpanRow::correlation) &&
      read_id(Fields::kForwardRing, &SpanRow::forward_ring) && read_distances(Fields::kForward, &SpanRow::forward) &&
      read(Fields::kBytesKnown, [](SpanRow& row, uint64_t value) { row.has_bytes |= value != 0; }) &&
      read(Fields::kShallow, [](SpanRow& row, uint64_t value) { row.shallow = value != 0; });
  if (!is_whole) return Status{"a span column of wrong length"};
  if (overflow) return Status{"a span that ends before it begins"};
  return Status();
}

}  // namespace xsp
