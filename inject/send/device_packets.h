#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/send/ring_records.h"
#include "proto/trace_numbers.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// Activity records from the first one of `records` on, in one packet: as many as follow each other, have the same
/// clock and lie before `end`. Returns how many are covered.
size_t write_activities(WireWriter& writer, uint32_t ring, const RingRecords& records, uint64_t end);

/// The nodes of graphs in a batch; nothing if there are none.
void write_graph_nodes(WireWriter& writer, uint32_t ring, const RingRecords& records, const Offsets& nodes);

/// The same instant on CUPTI's clock and on the host's.
void write_device_clock(WireWriter& writer, uint64_t cupti_ns, uint64_t monotonic_ns, uint64_t error_ns);

/// A device as the driver describes it; see trace.proto. 0 and empty: not known.
struct DeviceDescription {
  uint32_t index;
  char name[256];
  uint8_t uuid[16];
  bool has_uuid;
  uint32_t compute_capability_major;
  uint32_t compute_capability_minor;
  uint32_t multiprocessors;
  uint64_t memory_bytes;
  uint32_t clock_khz;
  uint32_t memory_clock_khz;
  uint32_t memory_bus_bits;
  uint32_t driver_version;
  uint32_t cupti_version;
  uint64_t l2_cache_bytes;
  const char* chip;
};
void write_device(WireWriter& writer, const DeviceDescription& device);

}  // namespace xsp::guest
