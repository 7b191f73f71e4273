#pragma once

/// The client's buffers and the records in them, as CUPTI keeps them (cupti_activity.h on cuptiActivityFlushAll and on
/// the attributes; pytorch#195844): a record takes its place in a buffer of the launching thread, at launch, and is
/// filled when the operation has run. CUPTI's own thread hands over a buffer that is full and whose operations have all
/// run; a flush also one that is not full; a forced flush also one with records of what has not run, which then have no
/// times and never come again.

#include <cstddef>
#include <cstdint>

namespace fake {

using BufferRequested = void(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

enum class HandOver { kFull, kFinished, kAll };

/// Where a record will be. 0: nowhere.
using RecordPlace = uint64_t;

/// A place for the record of what this thread launches; until that has run, a forced flush hands over `record`. 0:
/// there was no buffer, which is counted.
RecordPlace reserve_record(const void* record, uint32_t kind, uint32_t context);
/// Ignored if the place was handed over meanwhile.
void finish_record(RecordPlace place, const void* record);
/// There will be no such record after all.
void forget_record(RecordPlace place);
/// A complete record. `of_library`: not made on a thread of the program.
void add_record(const void* record, uint32_t kind, bool of_library = false);
void count_dropped();
/// Records dropped since the last call.
uint64_t take_dropped();

void register_buffers(BufferRequested* requested, BufferCompleted* completed);
/// CUPTI's own thread, started with the first kind. 0: no period.
void start_worker();
void set_flush_period(uint32_t milliseconds);

/// On the calling thread, or, with the word `threads`, on a new one.
void hand_over(HandOver which);
/// Whether the calling thread is inside a client's callback.
bool is_handing_over();
/// For the word reset_loses.
void lose_records_of(uint32_t context);

/// Whether a flush on this thread would return another thread's buffers.
bool others_have_buffers();
void use_buffers_per_thread(bool on);
void expect_zeroed_buffers(bool on);
bool buffers_are_out();

}  // namespace fake
