#pragma once

/// The client's buffers and the records in them, as CUPTI keeps them (cupti_activity.h on cuptiActivityFlushAll and on
/// the attributes; pytorch#195844): a record takes its place in a buffer of the thread that launches, when it launches,
/// and is filled when the operation has run. A buffer is handed over when it is full and all in it have run, by CUPTI's
/// own thread; by a flush also one that is not full; by a forced flush also one with records of what has not run, which
/// have no times then and never come again.

#include <cstddef>
#include <cstdint>

namespace fake {

using BufferRequested = void(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

enum class HandOver { kFull, kFinished, kAll };

/// Where a record will be. 0: nowhere.
using RecordPlace = uint64_t;

/// A place for the record of what this thread launches, which is what a forced flush hands over until it has run. 0:
/// there was no buffer, which is counted.
RecordPlace reserve_record(const void* record, uint32_t kind, uint32_t context);
/// Ignored where the place was handed over meanwhile.
void finish_record(RecordPlace place, const void* record);
/// There is no such record after all.
void forget_record(RecordPlace place);
/// A record that is complete. `of_library`: what no thread of the program made.
void add_record(const void* record, uint32_t kind, bool of_library = false);
void count_dropped();
/// Those since the last call.
uint64_t take_dropped();

void register_buffers(BufferRequested* requested, BufferCompleted* completed);
/// CUPTI's own thread, from the first kind on. 0: no period.
void start_worker();
void set_flush_period(uint32_t milliseconds);

/// From the calling thread, or, with the word `threads`, a new one.
void hand_over(HandOver which);
/// Whether the calling thread is inside a client's callback.
bool is_handing_over();
/// With the word reset_loses.
void lose_records_of(uint32_t context);

/// Whether another thread's buffers would be returned by a flush of this one.
bool others_have_buffers();
void use_buffers_per_thread(bool on);
void expect_zeroed_buffers(bool on);
bool buffers_are_out();

}  // namespace fake
