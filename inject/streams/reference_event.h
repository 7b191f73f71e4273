#pragma once

#include <cstdint>

#include "inject/streams/event_driver.h"

namespace xsp::guest {

/// An event of the driver whose host time is known: with the time elapsed from it, the host time of another event is
/// known, too.
struct ReferenceEvent {
  void* event;
  uint64_t host_ns;  // CLOCK_MONOTONIC when it was done; 0: none
  uint64_t uncertainty_ns;
};

/// The reference of one device, on a stream of our own.
struct DeviceReference {
  void* stream;
  ReferenceEvent latest;
  ReferenceEvent candidates[2];  // for the next one
  int rounds;                    // in which they were tried
};

enum class ReferenceAnswer { kFailed, kLater, kDone };

/// Makes the tightest of a few attempts the reference. kLater if the device does not get to it soon, or the thread is
/// kept from looking: the caller tries again, for a bounded number of rounds.
ReferenceAnswer renew_reference(const EventDriver& driver, DeviceReference& reference);

/// Milliseconds from the reference to the event; negative for an event before it. That cuEventElapsedTime returns
/// negative times is observed but not documented, so it is asked both ways, and the plausible answer is taken.
bool since_reference(const EventDriver& driver, const ReferenceEvent& reference, void* event, double* milliseconds);

/// The host time of the interval's begin. Whatever the reference says, it lies between our asking for the first event
/// and our seeing the second one.
uint64_t begin_of(const ReferenceEvent& reference, double begin_ms, uint64_t length_ns, uint64_t asked_ns,
                  uint64_t seen_ns);

}  // namespace xsp::guest
