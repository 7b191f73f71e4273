#include "inject/record/clock_offset.h"

#include <cstddef>
#include <cstdlib>

#include "inject/record/clock.h"
#include "test/catch.h"

namespace {

using namespace xsp::guest;

constexpr uint64_t kStart = 1'000'000;
constexpr uint64_t kOffset = 7'000'000'000;
constexpr uint64_t kReading = 20;      // what one reading takes
constexpr uint64_t kAway = 5'000'000;  // a thread that loses the processor

/// Two clocks that differ by kOffset, on a thread that loses the processor after these of its readings.
template <size_t kCount>
int64_t offset_read(const int (&lost_after)[kCount]) {
  uint64_t time = kStart;
  int readings = 0;
  const auto read = [&] {
    const uint64_t seen = time;
    ++readings;
    for (const int lost : lost_after) time += lost == readings ? kAway : 0;
    time += kReading;
    return seen;
  };
  const ReadTogether both = read_together(read, [&] { return read() + kOffset; });
  return static_cast<int64_t>(both.inner - both.outer);
}

TEST_CASE("clocks are read together although the thread loses the processor between readings") {
  CHECK(offset_read({0}) == kOffset);
  CHECK(offset_read({1}) == kOffset);
  CHECK(offset_read({2, 4, 8, 11}) == kOffset);  // in all attempts but the last
}

TEST_CASE("the offset of the clocks is the one that the system has") {
  const int64_t offset = read_realtime_offset();
  const auto read = static_cast<int64_t>(nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC));
  CHECK(std::abs(offset - read) < 1'000'000'000);
}

}  // namespace
