#pragma once

/// Splits the batches that are columns of spans, executions, counters and aggregates into their head and their columns,
/// still encoded (proto/packed_columns.h). What the columns may hold is for the reader to say. Each returns false when
/// a column comes a second time. All throw protozero::exception on broken protobuf.

#include <cstdint>
#include <string_view>

#include "proto/packed_columns.h"
#include "proto/trace_readers.h"

namespace xsp {

/// A batch of any of these messages.
template <typename Message>
struct EncodedBatch : PackedColumns<Message::kFieldEnd> {
  Message head;
};

/// Passes elements that are no column to `take_element`, too, which refuses one by returning false.
template <wire::Mismatch kMismatch = wire::Mismatch::kThrow, typename Message, typename TakeElement>
bool read_batch(std::string_view encoded, uint32_t element_field, EncodedBatch<Message>* batch,
                TakeElement&& take_element) {
  const bool is_read = wire::read<kMismatch>(encoded, &batch->head, [&](uint32_t field, std::string_view bytes) {
    return field == element_field ? take_element(bytes) : batch->take(field, bytes);
  });
  batch->count = batch->head.count;
  return is_read;
}

template <wire::Mismatch kMismatch = wire::Mismatch::kThrow, typename Message>
bool read_batch(std::string_view encoded, EncodedBatch<Message>* batch) {
  return read_batch<kMismatch>(encoded, 0, batch, [](std::string_view) { return false; });
}

struct SpanBatchColumns : EncodedBatch<wire::SpanBatch> {
  /// Calls `put(i, id)`. Also false for a value that does not fit in 32 bits.
  template <typename Put>
  bool decode_ids(Put put) const {
    return decode(wire::SpanBatch::kId, [put, id = uint32_t{0}](size_t i, uint64_t value) mutable {
      if (value > UINT32_MAX) return false;
      id += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(value)));
      return put(i, id);
    });
  }

  /// Calls `put(i, parent)`, 0: none, where `id_of(i)` gives what decode_ids() put. False likewise.
  template <typename IdOf, typename Put>
  bool decode_parents(IdOf id_of, Put put) const {
    return decode(wire::SpanBatch::kParent, [id_of, put](size_t i, uint64_t distance) {
      if (distance > UINT32_MAX) return false;
      return put(i, distance == 0 ? 0 : id_of(i) - static_cast<uint32_t>(distance));
    });
  }
};

/// What a column of level and kind holds.
constexpr uint64_t level_in(uint64_t level_kind) { return level_kind & 7; }
constexpr uint64_t kind_in(uint64_t level_kind) { return level_kind >> 3; }

}  // namespace xsp
