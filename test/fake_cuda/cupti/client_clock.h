#pragma once

/// The clock of records: CUPTI's own, or a client's (cuptiActivityRegisterTimestampCallback), which stays in use for
/// every client even after the client's session has ended (pytorch#192021).

#include <cstdint>

namespace fake {

using Clock = uint64_t();

/// Converts a simulated time to CUPTI's clock: nanoseconds of CLOCK_REALTIME, plus FAKE_CUPTI_OFFSET; with `jump` an
/// hour more as long as there is no context. After use_clock: to the client's clock.
uint64_t timestamp_of(uint64_t monotonic);
/// Likewise, regardless of any clock that a client has registered.
uint64_t own_timestamp_of(uint64_t monotonic);

void use_clock(Clock* clock);
/// Null: none was registered.
Clock* clock_of_client();

/// Kernels were enabled again: with a client's clock, and a version that it confuses, the first ones will be wrong.
void clock_begins_session();

enum class KernelTimes { kRight, kZero, kOfOwnClock };

/// The times for a kernel that has run now.
KernelTimes times_of_next_kernel();

}  // namespace fake
