#pragma once

#include <cstdint>

#include "inject/streams/event_driver.h"

namespace xsp::guest {

/// An event of the driver's whose host time is known: from it an elapsed time leads to the host time of another event.
struct ReferenceEvent {
  void* event;
  uint64_t host_ns;  // CLOCK_MONOTONIC when it was done; 0: none
  uint64_t uncertainty_ns;
};

/// Of one device, on a stream of our own.
struct DeviceReference {
  void* stream;
  ReferenceEvent latest;
  ReferenceEvent candidates[2];  // for the next one
  int rounds;                    // in which they were tried
};

enum class ReferenceAnswer { kFailed, kLater, kDone };

/// The tightest of a few tries becomes the reference. Later, if the device does not come to it soon, or the thread is
/// kept from looking: then it is tried again, a bounded number of times.
ReferenceAnswer renew_reference(const EventDriver& driver, DeviceReference& reference);

/// Negative for an event that was before the reference. That cuEventElapsedTime gives negative times is seen, and not
/// promised: of its two answers the one that is a small time is taken.
bool since_reference(const EventDriver& driver, const ReferenceEvent& reference, void* event, double* milliseconds);

/// The host's time of the interval's begin lies between our asking for its first event and our seeing the second one,
/// whatever the reference says.
uint64_t begin_of(const ReferenceEvent& reference, double begin_ms, uint64_t length_ns, uint64_t asked_ns,
                  uint64_t seen_ns);

}  // namespace xsp::guest
