#pragma once

/// Activity records: which kinds are wanted, records that wait for a buffer, and their way into the client's buffers.
///
/// FAKE_CUPTI_VERSION is what cuptiGetVersion says (18 for 11.8, 26 for 12.8, 130001), and gives records their layout;
/// FAKE_CUPTI_OFFSET moves CUPTI's clock by nanoseconds. FAKE_CUPTI has words, separated by commas, for what the real
/// one does at its worst:
///   fails        every function returns 999, as without a driver
///   held         the subscriber is taken, by nsight-systems
///   jump         the clock is another one until there is a context
///   unordered    records and buffers come in no order
///   late         nothing is handed over before a flush
///   threads      buffers are completed on a new thread each time
///   program_thread   there is no thread of CUPTI's own: only a flush hands over, on its thread
///   small=N      at most N bytes of a buffer are used
///   dropped=N, zero=N, inverted=N   the first N kernels: lost and counted, without a time, with an end before the
///   begin first_iteration   of the body of a conditional node only the first run is told no_null      aborts when it
///   is given no buffer; versions before 12.9 do so anyway

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
/// Lets a record wait for a buffer.
void add_record(const void* record, uint32_t kind);
void count_dropped();

void record_devices();
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
