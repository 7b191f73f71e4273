#pragma once

/// Activity records: which kinds are enabled, and what becomes a record. Buffers: record_buffers.h.

#include <cstdint>
#include <string>

#include "../driver/tool.h"
#include "callbacks.h"
#include "client_clock.h"
#include "conditions.h"
#include "record_buffers.h"

namespace fake {

bool kind_enabled(uint32_t kind);
/// Bits of fake_execution::wanted.
uint32_t wants_execution(const fake_execution& execution);
void record_devices();
void record_call(const fake_call& call);
RecordPlace reserve_execution(const fake_execution& execution);
void record_execution(const fake_execution& execution);
/// A part of a whole-graph record, written when the last part has run: kind GRAPH_TRACE, which replaces the parts.
void record_part_of_graph(const fake_execution& execution);
void record_overhead(int kind, uint64_t begin, uint64_t end, uint32_t correlation);

/// Disables all kinds and hands over everything.
void detach_records();

}  // namespace fake
