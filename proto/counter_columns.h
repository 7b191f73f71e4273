#pragma once

/// Writes the columns of a CounterBatch (trace.proto), for the guest, the collector and imported profiles.

#include <cstddef>
#include <cstdint>

#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

/// Appends the fields of a CounterBatch of `head.count` kernels. `metric(i)` and `name(i)` return string ids.
/// `write_places()` writes which executions the kernels are, with write_ordinals() or write_executions(), and
/// `write_values()` the field kValue.
template <typename Text, typename Metric, typename Name, typename WritePlaces, typename WriteValues>
void write_counter_columns(WireWriter& writer, const wire::CounterBatchOf<Text>& head, size_t metrics, Metric&& metric,
                           Name&& name, WritePlaces&& write_places, WriteValues&& write_values) {
  using Fields = wire::CounterBatch;
  writer.uint64(Fields::kDevice, head.device);
  auto mark = writer.begin(Fields::kMetric);
  for (size_t i = 0; i < metrics; ++i) writer.varint(metric(i));
  writer.end(mark);
  writer.uint64(Fields::kCount, head.count);
  mark = writer.begin(Fields::kName);
  for (size_t i = 0; i < head.count; ++i) writer.varint(name(i));
  writer.end(mark);
  write_places();
  write_values();
  writer.uint64(Fields::kPasses, head.passes);
  writer.string(Fields::kDetail, head.detail);
}

/// `ordinal(i)`: of the launch on its device, increasing.
template <typename Ordinal>
void write_ordinals(WireWriter& writer, size_t kernels, Ordinal&& ordinal) {
  const auto mark = writer.begin(wire::CounterBatch::kOrdinal);
  uint64_t before = 0;
  for (size_t i = 0; i < kernels; ++i) {
    writer.varint(ordinal(i) - before);
    before = ordinal(i);
  }
  writer.end(mark);
}

/// `execution(i)`: 1 + how many executions its process has before it.
template <typename Execution>
void write_executions(WireWriter& writer, size_t kernels, Execution&& execution) {
  const auto mark = writer.begin(wire::CounterBatch::kExecution);
  uint64_t before = 0;
  for (size_t i = 0; i < kernels; ++i) {
    writer.varint(zigzag(static_cast<int64_t>(execution(i) - before)));
    before = execution(i);
  }
  writer.end(mark);
}

}  // namespace xsp
