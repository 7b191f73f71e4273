#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/record/process.h"
#include "proto/string_ids.h"
#include "proto/trace_numbers.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// Encoders of the packets that a guest sends (proto/README.md), each with its Trace framing. The collector reads all
/// of them. None of them allocates.

/// The most records that one span batch covers, and the size of a buffer that any packet here fits into.
inline constexpr size_t kBatchRecords = 1024;  // a power of two
inline constexpr size_t kPacketBytes = kMaxStringBytes + size_t{128} * 1024;

/// Strings first..last (ids, inclusive), as many as fit; returns the last id written. `offset` is the arena position of
/// `first` and moves past the last one written.
uint32_t write_strings(WireWriter& writer, const SharedRegion& region, uint32_t first, uint32_t last, uint64_t* offset);

void write_clock(WireWriter& writer, const ClockPair& clock);

/// Records [first, end) of a ring: their tags, arguments and graph nodes in at most one packet each, then their spans
/// in one batch; or, where they begin with activities, those in one batch. Stops at a record that is not finished or
/// belongs to a second tag packet, and before arguments whose span has not come yet, so that they are sent together. As
/// the span may have been dropped, the caller lets them wait (`may_wait`) only for a while. Returns the number of
/// records covered, 0 if none. `joined`: room for kBatchRecords, where the ring's records go on in another memory.
size_t write_records(WireWriter& writer, const SharedRegion& region, uint32_t ring_index, uint64_t first, uint64_t end,
                     bool may_wait, shm::Record* joined);

void write_loss(WireWriter& writer, uint32_t reason, uint64_t count);

}  // namespace xsp::guest
