#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/send/ring_records.h"
#include "proto/trace_numbers.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// Writes activity records from the first one of `records` on in one packet: as many as follow one another, have the
/// same clock and lie before `end`. Returns how many are covered.
size_t write_activities(WireWriter& writer, uint32_t ring, const RingRecords& records, uint64_t end);

/// Writes the nodes of graphs in a batch; nothing if there are none.
void write_graph_nodes(WireWriter& writer, uint32_t ring, const RingRecords& records, const Offsets& nodes);

}  // namespace xsp::guest
