#include "collector/clocks/cupti_clock.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "test/catch.h"

namespace xsp {
namespace {

constexpr double kRealtime = 1.7e18;
constexpr uint64_t kStart = 1'000'000'000;

/// What a time of the clock differs by from the true one.
double error_of(const CuptiClock& clock, double ticks, double ns) {
  return std::abs(static_cast<double>(clock.to_ns(static_cast<uint64_t>(ticks), UINT64_MAX).first) - ns);
}

void read(CuptiClock& clock, double ticks, double ns, double nominal = 0) {
  clock.add_reading(static_cast<uint64_t>(ticks), static_cast<uint64_t>(ns), nominal);
}

TEST_CASE("without a reading CUPTI's times stay what they are") {
  const CuptiClock clock(kStart);
  CHECK(clock.to_ns(5, 9) == std::pair<uint64_t, uint64_t>(5, 9));
  CHECK(clock.error_ns() == 0);
}

TEST_CASE("a realtime clock is converted by one reading") {
  CuptiClock clock(kStart);
  read(clock, kRealtime + 5e9, 5e9, 1);
  CHECK(error_of(clock, kRealtime + 2e9, 2e9) < 500);  // a double has steps of 256 there
  CHECK(error_of(clock, kRealtime + 5.1e9, 5.1e9) < 500);
  CHECK(clock.segments() == 1);
}

TEST_CASE("noise of the readings leaves the durations of a realtime clock as they are") {
  constexpr uint64_t kOffset = 1'700'000'000'000'000'000;
  std::mt19937_64 random(11);
  CuptiClock clock(kStart);
  for (uint64_t ns = kStart; ns < 60 * kStart; ns += 100'000'000)
    clock.add_reading(kOffset + ns, ns + random() % 150, 1);
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t begin = kOffset + kStart + random() % (58 * kStart);
    const uint64_t duration = random() % 500'000'000;
    const auto [begin_ns, end_ns] = clock.to_ns(begin, begin + duration);
    CHECK(end_ns - begin_ns == duration);
  }
}

TEST_CASE("readings that were interrupted leave the durations as they are, if they say so") {
  constexpr uint64_t kOffset = 1'700'000'000'000'000'000;
  std::mt19937_64 random(12);
  CuptiClock clock(kStart);
  clock.add_reading(kOffset + kStart, kStart, 1, 40);
  for (uint64_t ns = kStart + 100'000'000; ns < 60 * kStart; ns += 100'000'000) {
    const uint64_t error = 20 + random() % 15'000;
    clock.add_reading(kOffset + ns - error + random() % (2 * error), ns, 1, error);
  }
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = kOffset + kStart + random() % (58 * kStart);
    const auto [begin_ns, end_ns] = clock.to_ns(begin, begin + 30'000);
    CHECK(end_ns - begin_ns == 30'000);
  }
}

TEST_CASE("a clock of nanoseconds from anywhere keeps its durations too") {
  constexpr uint64_t kOffset = 3'600'000'000'000;
  std::mt19937_64 random(13);
  CuptiClock clock(kStart);
  for (uint64_t ns = kStart; ns < 20 * kStart; ns += 100'000'000)
    clock.add_reading(kOffset + ns, ns + random() % 150, 0);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = kOffset + kStart + random() % (18 * kStart);
    const auto [begin_ns, end_ns] = clock.to_ns(begin, begin + 30'000);
    CHECK(end_ns - begin_ns == 30'000);
  }
}

TEST_CASE("a realtime clock that drifts is followed") {
  CuptiClock clock(kStart);
  const auto ticks_at = [](uint64_t ns) { return 1'700'000'000'000'000'000 + ns + ns / 5'000'000; };
  for (uint64_t ns = kStart; ns < 60 * kStart; ns += 100'000'000) clock.add_reading(ticks_at(ns), ns, 1);
  for (uint64_t ns = kStart; ns < 59 * kStart; ns += 10'000'000) {
    const uint64_t converted = clock.to_ns(ticks_at(ns), ticks_at(ns)).first;
    CHECK((converted < ns ? ns - converted : converted - ns) <= 400);
  }
}

TEST_CASE("a step of the clock begins a segment, and times on both sides of it are right") {
  for (const double step : {3e9, -3e9, 5e6, -5e6, 86400e9, -86400e9}) {
    INFO(step);
    CuptiClock clock(kStart);
    const auto ticks_at = [&](double ns) { return kRealtime + ns + (ns >= 20e9 ? step : 0); };
    for (double ns = 1e9; ns < 40e9; ns += 1e9) read(clock, ticks_at(ns + 0.5e9), ns + 0.5e9, 1);
    CHECK(clock.segments() == 2);
    CHECK(clock.error_ns() < 10'000);
    for (double ns = 1.1e9; ns < 39e9; ns += 0.1e9) {
      // Two segments fit between the readings around a step that is shorter, and what a step back repeats.
      const bool is_unclear = ns > (step < 0 ? 19e9 + step : 19.5e9) && ns < 20.5e9 && step < 1e9;
      const double allowed = is_unclear ? std::abs(step) + 1000 : 1000;
      INFO(ns);
      CHECK(error_of(clock, ticks_at(ns), ns) <= allowed);
    }
  }
}

TEST_CASE("a clock that becomes another one is followed, and old records keep theirs") {
  CuptiClock clock(kStart);
  const auto tsc_at = [](double ns) { return 4e14 + ns * 2.3; };
  const auto other_at = [](double ns) { return 7e12 + ns; };
  for (double ns = 1e9; ns < 10e9; ns += 1e9) read(clock, tsc_at(ns), ns, 2.3);
  for (double ns = 10e9; ns < 20e9; ns += 1e9) read(clock, kRealtime + ns, ns, 1);
  for (double ns = 20e9; ns < 30e9; ns += 1e9) read(clock, other_at(ns), ns, 0);
  CHECK(clock.segments() == 3);
  for (double ns = 1.1e9; ns < 8.9e9; ns += 0.3e9) CHECK(error_of(clock, tsc_at(ns), ns) < 1000);
  for (double ns = 10.1e9; ns < 18.9e9; ns += 0.3e9) CHECK(error_of(clock, kRealtime + ns, ns) < 1000);
  for (double ns = 20.1e9; ns < 28.9e9; ns += 0.3e9) CHECK(error_of(clock, other_at(ns), ns) < 1000);
  CHECK(clock.map().ticks_per_ns() == Approx(1.0));
}

TEST_CASE("records that stay in the old domain when the clock has become another one keep its time") {
  // As CUPTI does when a profiler registers a clock: readings are of the new one at once, kernels not all of them.
  CuptiClock clock(kStart);
  const auto tsc_at = [](double ns) { return 4e14 + ns * 2.3; };
  for (double ns = 1e9; ns < 10e9; ns += 1e9) read(clock, kRealtime + ns, ns, 1);
  for (double ns = 10e9; ns < 60e9; ns += 1e9) read(clock, tsc_at(ns), ns, 2.3);
  for (double ns = 10.5e9; ns < 59e9; ns += 1.3e9) {
    CHECK(error_of(clock, kRealtime + ns, ns) < 1000);
    CHECK(error_of(clock, tsc_at(ns), ns) < 1000);
  }
}

TEST_CASE("an unknown domain is learnt from two readings") {
  CuptiClock clock(kStart);
  read(clock, 1e6, 5e9);
  read(clock, 1e6 + 1.5e8, 5.1e9);
  CHECK(clock.segments() == 1);
  CHECK(error_of(clock, 1e6 + 0.75e8, 5.05e9) < 10);
}

TEST_CASE("within a segment times keep their order, and what was converted stays") {
  std::mt19937_64 random(3);
  CuptiClock clock(kStart);
  std::normal_distribution<double> noise(0, 3000);
  std::vector<std::pair<uint64_t, uint64_t>> converted;
  double now = 1e9;
  read(clock, kRealtime + now, now, 1);
  for (int i = 0; i < 500; ++i) {
    now += 1e6 + static_cast<double>(random() % 300'000'000);
    read(clock, kRealtime + now * 1.0001, now + noise(random), 1);
    for (int k = 0; k < 5; ++k) {
      // Up to ten seconds old.
      const double then = std::max(1e9, now - static_cast<double>(random() % 10'000'000'000));
      const auto ticks = static_cast<uint64_t>(kRealtime + then * 1.0001);
      converted.emplace_back(ticks, clock.to_ns(ticks, ticks).first);
    }
  }
  REQUIRE(clock.segments() == 1);
  for (const auto& [ticks, ns] : converted) REQUIRE(clock.to_ns(ticks, ticks).first == ns);
  std::sort(converted.begin(), converted.end());
  for (size_t i = 1; i < converted.size(); ++i) REQUIRE(converted[i].second >= converted[i - 1].second);
}

TEST_CASE("readings of any value are taken in bounded memory") {
  std::mt19937_64 random(3);
  CuptiClock clock(0);
  for (int i = 0; i < 10'000; ++i) {
    clock.add_reading(random() >> random() % 64, random() >> random() % 64, i % 2);
    const auto [begin, end] = clock.to_ns(random(), random());
    REQUIRE(begin <= end);
  }
  CHECK(clock.segments() <= 64);
}

}  // namespace
}  // namespace xsp
