#pragma once

/// Activity records: which kinds are wanted, records that wait for a buffer, and their way into the client's buffers.

#include <cstdint>
#include <string>

#include "../driver/tool.h"

namespace fake {

using BufferRequested = void(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

/// Whether FAKE_CUPTI has the word; of "word=5" the number through `value`.
bool misbehaves(const char* word, uint64_t* value = nullptr);

/// Of a simulated time in CUPTI's clock: nanoseconds of CLOCK_REALTIME, plus FAKE_CUPTI_OFFSET. With `jump`, an hour
/// more as long as there is no context.
uint64_t timestamp_of(uint64_t monotonic);

uint32_t cupti_version();
/// Null until libcuda has been found.
const fake_driver* driver();

bool kind_enabled(uint32_t kind);
void record_call(const fake_call& call);
void record_execution(const fake_execution& execution);
/// Of a graph as a whole, when its last part has run: kind GRAPH_TRACE, which takes the place of the parts.
void record_part_of_graph(const fake_execution& execution);
void record_overhead(int kind, uint64_t begin, uint64_t end, uint32_t correlation);
uint32_t wants_execution(int kind);

/// Takes what waits into buffers and completes them. From the calling thread.
void flush_records();
void detach_records();

}  // namespace fake
