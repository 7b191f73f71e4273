#include "inject/send/counter_packets.h"

#include "proto/counter_columns.h"
#include "proto/packet_writer.h"

namespace xsp::guest {

void write_counters(WireWriter& writer, const CounterColumns& columns) {
  const wire::CounterBatch head{
      .device = columns.device, .count = columns.count, .passes = columns.passes, .detail = columns.detail};
  const auto write_places = [&] {
    write_ordinals(writer, columns.count, [&](size_t i) { return columns.ordinals[i]; });
  };
  const auto write_values = [&] {
    const auto values = writer.begin(wire::CounterBatch::kValue);
    writer.append(columns.values, size_t{columns.count} * columns.metric_count * sizeof(double));
    writer.end(values);
  };
  write_packet(writer, wire::CounterBatch::kBody, [&] {
    write_counter_columns(
        writer, head, columns.metric_count, [&](size_t i) { return columns.metrics[i]; },
        [&](size_t i) { return columns.names[i]; }, write_places, write_values);
  });
}

}  // namespace xsp::guest
