#pragma once

/// Activity records: which kinds are wanted, and what becomes a record. Buffers: record_buffers.h.

#include <cstdint>
#include <string>

#include "../driver/tool.h"
#include "callbacks.h"
#include "conditions.h"
#include "record_buffers.h"

namespace fake {

/// Of a simulated time in CUPTI's clock: nanoseconds of CLOCK_REALTIME, plus FAKE_CUPTI_OFFSET. With `jump`, an hour
/// more as long as there is no context.
uint64_t timestamp_of(uint64_t monotonic);

bool kind_enabled(uint32_t kind);
/// Bits of fake_execution::wanted.
uint32_t wants_execution(const fake_execution& execution);
/// Of a kernel that has run now: one of the first behind a registration of a timestamp callback, of a version that such
/// a registration spoils.
bool loses_time_by_clock();

void record_devices();
void record_call(const fake_call& call);
RecordPlace reserve_execution(const fake_execution& execution);
void record_execution(const fake_execution& execution);
/// Of a graph as a whole, when its last part has run: kind GRAPH_TRACE, which takes the place of the parts.
void record_part_of_graph(const fake_execution& execution);
void record_overhead(int kind, uint64_t begin, uint64_t end, uint32_t correlation);

/// All kinds are disabled, and everything is handed over.
void detach_records();

}  // namespace fake
