#include "inject/send/counter_packets.h"

#include "proto/trace_numbers.h"

namespace xsp::guest {

void write_counters(WireWriter& writer, const CounterColumns& columns) {
  const auto packet = writer.begin(1);
  const auto batch = writer.begin(static_cast<uint32_t>(wire::Body::kCounters));
  const auto column = [&](uint32_t field, size_t count, auto&& value) {
    const auto mark = writer.begin(field);
    for (size_t i = 0; i < count; ++i) writer.varint(value(i));
    writer.end(mark);
  };
  writer.uint64(1, columns.device);
  column(2, columns.metric_count, [&](size_t i) { return uint64_t{columns.metrics[i]}; });
  writer.uint64(3, columns.count);
  column(4, columns.count, [&](size_t i) { return uint64_t{columns.names[i]}; });
  column(5, columns.count, [&](size_t i) { return columns.ordinals[i] - (i == 0 ? 0 : columns.ordinals[i - 1]); });
  const auto values = writer.begin(7);
  writer.append(columns.values, size_t{columns.count} * columns.metric_count * sizeof(double));
  writer.end(values);
  writer.uint64(8, columns.passes);
  writer.string(9, columns.detail);
  writer.end(batch);
  writer.end(packet);
}

}  // namespace xsp::guest
