#include "inject/send/totals_packets.h"

#include "proto/trace_numbers.h"

namespace xsp::guest {

void write_sampling(WireWriter& writer, const SamplingTotals& totals) {
  const auto packet = writer.begin(1);
  const auto body = writer.begin(static_cast<uint32_t>(wire::Body::kSampling));
  writer.uint64(1, totals.every);
  writer.uint64(2, totals.seen);
  writer.uint64(3, totals.recorded);
  writer.boolean(4, totals.is_adaptive);
  writer.end(body);
  writer.end(packet);
}

void write_overhead(WireWriter& writer, const OverheadTotals& totals) {
  const auto packet = writer.begin(1);
  const auto body = writer.begin(static_cast<uint32_t>(wire::Body::kOverhead));
  writer.uint64(1, totals.wall_ns);
  writer.uint64(2, totals.cpu_ns);
  writer.uint64(3, totals.hooks_ns);
  writer.uint64(4, totals.threads_ns);
  writer.uint64(5, totals.hooks_timed);
  writer.uint64(6, totals.calls_ns);
  writer.end(body);
  writer.end(packet);
}

}  // namespace xsp::guest
