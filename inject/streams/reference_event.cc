#include "inject/streams/reference_event.h"

#include <algorithm>
#include <utility>

#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

constexpr unsigned kNonBlockingStream = 1;
// The stream is our own and empty: an event that takes longer waits for a device that is busy or shared.
constexpr uint64_t kReferenceWaitNs = 5'000'000;
constexpr int kReferenceTries = 3;
constexpr uint64_t kTightReferenceNs = 20'000;
constexpr uint64_t kFairReferenceNs = 200'000;
constexpr int kReferenceRounds = 10;

/// Has the device pass the event now, and takes the time at which it did.
ReferenceAnswer try_reference(const EventDriver& driver, void* stream, ReferenceEvent& reference) {
  if (reference.event == nullptr && driver.create_event(&reference.event, 0) != kDriverSuccess)
    return ReferenceAnswer::kFailed;
  reference.uncertainty_ns = UINT64_MAX;
  const uint64_t before = nanoseconds(CLOCK_MONOTONIC);
  if (driver.record_event(reference.event, stream) != kDriverSuccess) return ReferenceAnswer::kFailed;
  DriverResult result = kDriverNotReady;
  uint64_t after = before;
  while (result == kDriverNotReady && after - before < kReferenceWaitNs) {
    result = driver.query_event(reference.event);
    after = nanoseconds(CLOCK_MONOTONIC);
  }
  if (result == kDriverNotReady) return ReferenceAnswer::kLater;
  if (result != kDriverSuccess) return ReferenceAnswer::kFailed;
  reference.uncertainty_ns = after - before;
  // The device passed it somewhere between the two readings: the middle is wrong by half of that at most.
  reference.host_ns = before + reference.uncertainty_ns / 2;
  return ReferenceAnswer::kDone;
}

}  // namespace

ReferenceAnswer renew_reference(const EventDriver& driver, DeviceReference& reference) {
  if (reference.stream == nullptr && driver.create_stream(&reference.stream, kNonBlockingStream) != kDriverSuccess) {
    return ReferenceAnswer::kFailed;
  }
  ReferenceEvent& best = reference.candidates[0];
  ReferenceEvent& next = reference.candidates[1];
  if (reference.rounds++ == 0) best.uncertainty_ns = UINT64_MAX;
  for (int i = 0; i < kReferenceTries && best.uncertainty_ns > kTightReferenceNs; ++i) {
    if (try_reference(driver, reference.stream, next) == ReferenceAnswer::kFailed) return ReferenceAnswer::kFailed;
    if (next.uncertainty_ns < best.uncertainty_ns) std::swap(best, next);
  }
  // Rather a later round than a poor reference: all intervals of the next second would be off by as much.
  const bool may_do_better = best.uncertainty_ns > kFairReferenceNs && reference.rounds < kReferenceRounds;
  if (may_do_better || best.uncertainty_ns == UINT64_MAX) return ReferenceAnswer::kLater;
  std::swap(best, reference.latest);
  reference.rounds = 0;
  return ReferenceAnswer::kDone;
}

bool since_reference(const EventDriver& driver, const ReferenceEvent& reference, void* event, double* milliseconds) {
  float forward = 0;
  float backward = 0;
  if (driver.elapsed_time(&forward, reference.event, event) != kDriverSuccess ||
      driver.elapsed_time(&backward, event, reference.event) != kDriverSuccess) {
    return false;
  }
  // One of the two is the true difference; the other may be negative, or wrap to something large.
  *milliseconds = forward >= 0 && (backward <= 0 || forward <= backward) ? forward : -backward;
  return true;
}

uint64_t begin_of(const ReferenceEvent& reference, double begin_ms, uint64_t length_ns, uint64_t asked_ns,
                  uint64_t seen_ns) {
  constexpr double kNsPerMs = 1e6;
  const uint64_t begin_ns = reference.host_ns + static_cast<uint64_t>(static_cast<int64_t>(begin_ms * kNsPerMs));
  // The interval must also fit, with the device's own length, before we saw its end.
  const uint64_t latest_ns = seen_ns - std::min(length_ns, seen_ns - asked_ns);
  return std::clamp(begin_ns, asked_ns, latest_ns);
}

}  // namespace xsp::guest
