#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/wire_writer.h"

namespace xsp::guest {

/// Counts of kernels, in the columns of a CounterBatch (trace.proto).
struct CounterColumns {
  uint32_t device;
  const uint32_t* metrics;  // string ids
  size_t metric_count;
  uint32_t count;  // kernels
  const uint32_t* names;
  const uint64_t* ordinals;
  const double* values;  // by kernel and metric
  uint32_t passes;
  std::string_view detail;
};

/// The largest size of a packet, which must fit into the outbox together with others, and the number of kernels that it
/// has room for.
inline constexpr size_t kCounterPacketBytes = size_t{32} * 1024;
constexpr uint32_t counted_kernels_of_a_packet(size_t metrics) {
  constexpr size_t kHead = 2048;
  constexpr size_t kNameAndOrdinal = 16;
  return static_cast<uint32_t>((kCounterPacketBytes - kHead) / (kNameAndOrdinal + metrics * sizeof(double)));
}

void write_counters(WireWriter& writer, const CounterColumns& columns);

}  // namespace xsp::guest
