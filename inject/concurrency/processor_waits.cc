#include "inject/concurrency/processor_waits.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "inject/guard/cancel_guard.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kBetweenReadingsNs = 5'000'000;
/// What was read longer ago than this says more about the time between the calls than about them.
constexpr uint64_t kStaleNs = 2 * kBetweenReadingsNs;

/// The number in the field of a file's only line, whose fields are separated by blanks; 0 if there is none. A number
/// ends where its digits do.
uint64_t number_in_file(const char* path, int field) {
  const CancelGuard cancel_guard;
  char text[128];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char* at = text;
  for (; field > 0 && at != nullptr; --field) {
    at = strchr(at, ' ');
    if (at != nullptr) ++at;
  }
  uint64_t value = 0;
  for (; at != nullptr && *at >= '0' && *at <= '9' && value < UINT64_MAX / 20; ++at) {
    value = value * 10 + static_cast<uint64_t>(*at - '0');
  }
  return value;
}

uint64_t waited_so_far() { return number_in_file("/proc/thread-self/schedstat", 1); }

}  // namespace

void ProcessorWaits::call_begins() {
  const uint64_t at = nanoseconds(CLOCK_MONOTONIC);
  if (at - read_at_ns_ < kStaleNs) return;
  read_at_ns_ = at;
  waited_ns_ = waited_so_far();
}

bool ProcessorWaits::call_ends(uint64_t* waited_ns) {
  *waited_ns = 0;
  const uint64_t at = nanoseconds(CLOCK_MONOTONIC);
  if (at - read_at_ns_ < kBetweenReadingsNs) return false;
  read_at_ns_ = at;
  const uint64_t before = waited_ns_;
  waited_ns_ = waited_so_far();
  if (waited_ns_ > before) *waited_ns = waited_ns_ - before;
  return true;
}

uint32_t runnable_tasks() { return static_cast<uint32_t>(number_in_file("/proc/loadavg", 3)); }

}  // namespace xsp::guest
