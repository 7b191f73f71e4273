#include "client_clock.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "callbacks.h"
#include "conditions.h"
#include "entry.h"

namespace fake {
namespace {

/// Both clocks at one moment.
struct Reading {
  uint64_t monotonic, client;
};

std::atomic<Clock*> client_clock{nullptr};
Reading first_reading;
std::atomic<uint32_t> registrations{0};
std::atomic<uint32_t> wrong_kernels{0};

uint64_t monotonic_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

/// The closest of some, as a thread may be interrupted between the two.
Reading read_both(Clock* clock) {
  Reading best{};
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = monotonic_now();
    const uint64_t client = clock();
    const uint64_t width = monotonic_now() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    best = {before + width / 2, client};
  }
  return best;
}

}  // namespace

uint64_t own_timestamp_of(uint64_t monotonic) {
  static const int64_t offset = [] {
    timespec real, steady;
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC, &steady);
    const char* const more = getenv("FAKE_CUPTI_OFFSET");
    return (real.tv_sec - steady.tv_sec) * 1000000000 + (real.tv_nsec - steady.tv_nsec) +
           (more == nullptr ? 0 : atoll(more));
  }();
  uint64_t result = monotonic + static_cast<uint64_t>(offset);
  if (misbehaves("jump") && (driver() == nullptr || !driver()->ready())) result += 3600000000000;
  return result;
}

uint64_t timestamp_of(uint64_t monotonic) {
  Clock* const clock = client_clock;
  if (clock == nullptr) return own_timestamp_of(monotonic);
  // Over the rate since the registration: of a short while it says little.
  constexpr uint64_t kShortestNs = 20000000;
  Reading now = read_both(clock);
  while (now.monotonic - first_reading.monotonic < kShortestNs) now = read_both(clock);
  const double rate = static_cast<double>(now.client - first_reading.client) /
                      static_cast<double>(now.monotonic - first_reading.monotonic);
  const auto since = static_cast<double>(static_cast<int64_t>(monotonic - now.monotonic));
  return now.client + static_cast<uint64_t>(static_cast<int64_t>(since * rate));
}

void use_clock(Clock* clock) {
  if (clock != nullptr) first_reading = read_both(clock);
  client_clock = clock;
  ++registrations;
}

Clock* clock_of_client() { return client_clock; }

void clock_begins_session() {
  // As many more as there were registrations without times, and one that has the time of CUPTI's own clock.
  if (client_clock != nullptr && timestamp_callback_spoils_kernels()) wrong_kernels = registrations + 1;
}

KernelTimes times_of_next_kernel() {
  uint32_t left = wrong_kernels;
  while (left != 0 && !wrong_kernels.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0 ? KernelTimes::kRight : left == 1 ? KernelTimes::kOfOwnClock : KernelTimes::kZero;
}

}  // namespace fake
