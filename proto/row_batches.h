#pragma once

/// Writes the batches that say something of records or nodes one by one: TagBatch, ArgumentBatch, GraphNodes. In each,
/// `rows(take)` calls `take` for every row in order; it is called once a column.

#include <cstdint>

#include "proto/distance_column.h"
#include "proto/shared_memory.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

struct TagRow {
  uint32_t span = 0;  ///< its id
  uint32_t key = 0;   ///< string ids
  uint32_t value = 0;
};

/// Of RecordType::kTag.
inline TagRow tag_of(const shm::Record& record) {
  return {.span = record.id, .key = static_cast<uint32_t>(record.end), .value = record.parent};
}

struct ArgumentRow {
  uint32_t span = 0;    ///< its id
  uint32_t layout = 0;  ///< string id
  uint32_t length = 0;  ///< bytes of its values
};

struct GraphNodeRow {
  uint64_t node = 0;  ///< CUPTI's ids
  uint64_t original = 0;
  uint32_t span = 0;
};

/// Of RecordType::kGraphNode.
inline GraphNodeRow graph_node_of(const shm::GraphNodeRecord& record) {
  return {.node = record.node, .original = record.original, .span = record.span};
}

/// Bytes that a row can take at most, without an argument's values, and the rest of a batch.
inline constexpr size_t kMaxTagBytes = size_t{3} * 5;
inline constexpr size_t kMaxArgumentRowBytes = size_t{3} * 5;
inline constexpr size_t kMaxRowBatchHeadBytes = 64;

namespace row_batches {

template <typename Rows, typename Value>
void write_column(WireWriter& writer, uint32_t field, Rows&& rows, Value&& value) {
  const auto mark = writer.begin(field);
  rows([&](const auto& row) { writer.varint(value(row)); });
  writer.end(mark);
}

}  // namespace row_batches

template <typename Rows>
void write_tag_columns(WireWriter& writer, uint32_t thread, uint32_t ring, Rows&& rows) {
  using Fields = wire::TagBatch;
  writer.uint64(Fields::kThread, thread);
  writer.uint64(Fields::kRing, ring);
  row_batches::write_column(writer, Fields::kSpan, rows, [](const TagRow& row) { return row.span; });
  row_batches::write_column(writer, Fields::kKey, rows, [](const TagRow& row) { return row.key; });
  row_batches::write_column(writer, Fields::kValue, rows, [](const TagRow& row) { return row.value; });
}

/// `write_values()` writes the field kValues.
template <typename Rows, typename WriteValues>
void write_argument_columns(WireWriter& writer, uint32_t thread, uint32_t ring, Rows&& rows,
                            WriteValues&& write_values) {
  using Fields = wire::ArgumentBatch;
  writer.uint64(Fields::kThread, thread);
  writer.uint64(Fields::kRing, ring);
  uint32_t before = 0;
  row_batches::write_column(writer, Fields::kSpan, rows, [&](const ArgumentRow& row) {
    const uint32_t difference = zigzag_difference(row.span, before);
    before = row.span;
    return difference;
  });
  row_batches::write_column(writer, Fields::kLayout, rows, [](const ArgumentRow& row) { return row.layout; });
  row_batches::write_column(writer, Fields::kLength, rows, [](const ArgumentRow& row) { return row.length; });
  write_values();
}

template <typename Rows>
void write_graph_node_columns(WireWriter& writer, uint32_t ring, Rows&& rows) {
  using Fields = wire::GraphNodes;
  writer.uint64(Fields::kRing, ring);
  row_batches::write_column(writer, Fields::kNode, rows, [](const GraphNodeRow& row) { return row.node; });
  row_batches::write_column(writer, Fields::kOriginal, rows, [](const GraphNodeRow& row) { return row.original; });
  row_batches::write_column(writer, Fields::kSpan, rows, [](const GraphNodeRow& row) { return row.span; });
}

}  // namespace xsp
