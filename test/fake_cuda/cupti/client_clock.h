#pragma once

/// The clock of records: CUPTI's own, or a client's (cuptiActivityRegisterTimestampCallback), which stays when the
/// client's session has ended, for every client (pytorch#192021).

#include <cstdint>

namespace fake {

using Clock = uint64_t();

/// Of a simulated time in CUPTI's clock: nanoseconds of CLOCK_REALTIME, plus FAKE_CUPTI_OFFSET; with `jump` an hour
/// more as long as there is no context. Behind use_clock: of the client's.
uint64_t timestamp_of(uint64_t monotonic);
/// Likewise, whatever clock a client has registered.
uint64_t own_timestamp_of(uint64_t monotonic);

void use_clock(Clock* clock);
/// Null: none was registered.
Clock* clock_of_client();

/// Kernels were enabled anew: with a clock of the client's, and a version that it spoils, the first ones will be wrong.
void clock_begins_session();

enum class KernelTimes { kRight, kZero, kOfOwnClock };

/// Of a kernel that has run now.
KernelTimes times_of_next_kernel();

}  // namespace fake
