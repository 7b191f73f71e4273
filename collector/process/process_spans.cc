#include "collector/process/process_spans.h"

#include <algorithm>

#include "base/monotonic_clock.h"
#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "proto/row_batch_readers.h"
#include "proto/shared_memory.h"

namespace xsp {

Status ProcessSpans::receive(protozero::data_view bytes) {
  SpanColumns& columns = context_.recording.columns;
  Status status = read_span_columns(bytes, &columns);
  if (!status.ok()) return status;
  const BatchHead& head = columns.head;
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  if (head.clock != context_.hello.clock && head.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs)) {
    return Status{"a batch in another clock than its Hello"};
  }
  if (head.first_record > UINT64_MAX - head.record_count) return Status{"a batch beyond the last record"};

  // Before anything is converted: a batch that repeats records must not add its launches again.
  if (!rings_.are_next(head)) return Status();
  const uint64_t now = monotonic_ns();
  // A batch may arrive before two clock readings that give a rate.
  if (head.clock != 0 && !clocks_.has_rate()) clocks_.complete();
  for (SpanRow& row : columns.rows) convert(head.clock, head.ring, row);
  RingStream& stream = rings_.ring(head.ring);
  const size_t before = stream.held_bytes();
  append(stream, head.thread, head.record_count, columns.rows, now);
  // The batch that covers them has come, so they count.
  stream.write_held_tags(context_.writer);
  // Executions may be waiting for these spans as their launches.
  activities_.retry_if_worthwhile(now);
  return rings_.check_held(stream, before);
}

Status ProcessSpans::receive_tags(protozero::data_view bytes) {
  TagBatchReader batch(view_of(bytes));
  const wire::TagBatch& head = batch.head();
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  RingStream& stream = rings_.ring(head.ring);
  const size_t before = stream.held_bytes();
  for (TagBatchReader::Row row; batch.next(&row);) {
    stream.hold_tag({head.thread, row.span, names_.known(row.key), names_.known(row.value)}, context_.writer);
  }
  if (!batch.is_whole()) return Status{"a tag column of wrong length"};
  return rings_.check_held(stream, before);
}

Status ProcessSpans::receive_arguments(protozero::data_view bytes) {
  ArgumentBatchReader batch(view_of(bytes));
  const wire::ArgumentBatch& head = batch.head();
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  RingStream& stream = rings_.ring(head.ring);
  const size_t before = stream.held_bytes();
  for (ArgumentBatchReader::Row row; batch.next(&row);) {
    if (row.values.size() > kMaxArgumentBytes) return Status{"a call's arguments of too many bytes"};
    const auto layout = row.layout <= UINT32_MAX ? static_cast<uint32_t>(row.layout) : 0;
    if (!hold_arguments(stream, head.thread, row.span, layout, row.values)) {
      return Status{"arguments of more calls than a batch has"};
    }
  }
  if (!batch.is_whole()) return Status{"an argument column of wrong length"};
  return rings_.check_held(stream, before);
}

bool ProcessSpans::hold_arguments(RingStream& stream, uint32_t thread, uint32_t span, uint32_t layout,
                                  std::string_view values) {
  if (layout != 0 && layout <= names_.count()) return stream.hold_arguments(thread, span, layout, values);
  context_.losses.add(LossReason::kCorrupt, 1, "arguments of a call have an unknown layout");
  return true;
}

void ProcessSpans::convert(uint32_t clock, uint32_t ring, SpanRow& row) {
  clocks_.convert(clock, row.begin, row.end);
  row.name = names_.known(row.name);
  row.type = names_.known(row.type);
  row.shape = names_.known(row.shape);
  row.input = names_.known(row.input);
  row.scope = names_.known(row.scope);
  if (row.correlation != 0) activities_.add_launch(ring, row);
}

void ProcessSpans::append(RingStream& stream, uint32_t thread, uint32_t record_count, std::vector<SpanRow>& rows,
                          uint64_t now_ns) {
  count_ += rows.size();
  account_.append(stream, thread, record_count, rows, now_ns);
}

}  // namespace xsp
