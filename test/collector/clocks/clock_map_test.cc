#include "collector/clocks/clock_map.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "test/catch.h"

namespace xsp {
namespace {

constexpr double kTicksPerNs = 2.4;

uint64_t ticks_at(double ns) { return static_cast<uint64_t>(1e12 + ns * kTicksPerNs); }

TEST_CASE("without a reading the clock map changes nothing") {
  const ClockMap map;
  CHECK(map.to_ns(0) == 0);
  CHECK(map.to_ns(UINT64_MAX) == UINT64_MAX);
}

TEST_CASE("one reading and the collector's own rate are enough") {
  ClockMap map(kTicksPerNs);
  map.add_reading(ticks_at(5e9), 5'000'000'000);
  CHECK(std::abs(static_cast<double>(map.to_ns(ticks_at(6e9))) - 6e9) <= 2);
  CHECK(std::abs(static_cast<double>(map.to_ns(ticks_at(4e9))) - 4e9) <= 2);
}

TEST_CASE("a clock that NTP slews by 500 ppm is followed") {
  ClockMap map;
  double ns = 1e9;
  double ticks = 1e12;
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 40);
  for (int i = 0; i < 600; ++i) {
    const double slew = i < 200 ? 0 : i < 400 ? 500e-6 : -500e-6;
    ns += 1e8;
    ticks += 1e8 * kTicksPerNs * (1 + slew);
    map.add_reading(static_cast<uint64_t>(ticks), static_cast<uint64_t>(ns + noise(random)));
    const double error = static_cast<double>(map.to_ns(static_cast<uint64_t>(ticks))) - ns;
    INFO(i);
    // A change of rate shows at once as 50 us a reading, and is gone some seconds later.
    CHECK(std::abs(error) < (i % 200 < 100 && i >= 200 ? 1'000'000 : 5'000));
  }
}

TEST_CASE("a clock map increases, whatever the readings") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    ClockMap map(round % 2 == 0 ? 0 : kTicksPerNs);
    double ns = 1e9;
    std::vector<uint64_t> times;
    for (int i = 0; i < 50; ++i) {
      const double step = std::pow(10, 5 + static_cast<double>(random() % 5));
      const uint64_t before = ticks_at(ns);
      ns += step;
      // Noise, steps forward and back, and readings that are plain nonsense.
      double read = ns;
      if (random() % 4 == 0) read += static_cast<double>(random() % 4'000'000) - 2e6;
      const uint64_t ticks = random() % 20 == 0 ? random() : ticks_at(ns);
      map.add_reading(ticks, static_cast<uint64_t>(std::max(read, 0.0)));
      for (int k = 0; k < 20; ++k) times.push_back(before + random() % (ticks_at(ns) - before + 1));
    }
    for (int k = 0; k < 100; ++k) times.push_back(random());
    std::sort(times.begin(), times.end());
    uint64_t last = 0;
    for (const uint64_t ticks : times) {
      const uint64_t value = map.to_ns(ticks);
      REQUIRE(value >= last);
      last = value;
    }
  }
}

TEST_CASE("what was converted before a reading converts to the same after it") {
  ClockMap map;
  std::mt19937_64 random(11);
  std::vector<std::pair<uint64_t, uint64_t>> converted;
  double ns = 1e9;
  map.add_reading(ticks_at(ns), static_cast<uint64_t>(ns));
  map.add_reading(ticks_at(ns + 1e7), static_cast<uint64_t>(ns + 1e7));
  ns += 1e7;
  for (int i = 0; i < 300; ++i) {
    const double before = ns;
    ns += static_cast<double>(1'000'000 + random() % 3'000'000'000);
    map.add_reading(ticks_at(ns), static_cast<uint64_t>(ns + static_cast<double>(random() % 400'000)));
    for (int k = 0; k < 10; ++k) {
      const uint64_t ticks = ticks_at(before + (ns - before) * k / 10);
      converted.emplace_back(ticks, map.to_ns(ticks));
    }
  }
  for (const auto& [ticks, value] : converted) REQUIRE(map.to_ns(ticks) == value);
}

TEST_CASE("a clock that stepped forward makes the map jump, one that stepped back slows it down") {
  ClockMap map(kTicksPerNs);
  map.add_reading(ticks_at(1e9), 1'000'000'000);
  map.add_reading(ticks_at(2e9), 2'000'000'000);
  map.add_reading(ticks_at(3e9), 8'000'000'000);
  CHECK(map.to_ns(ticks_at(3e9)) == 8'000'000'000);
  CHECK(std::abs(static_cast<double>(map.to_ns(ticks_at(2.9e9))) - 2.9e9) < 1e6);
  CHECK(map.error_ns() > 4'900'000'000);
  map.add_reading(ticks_at(4e9), 9'000'000'000);
  map.add_reading(ticks_at(5e9), 9'500'000'000);
  CHECK(map.to_ns(ticks_at(5e9)) >= map.to_ns(ticks_at(4.999e9)));
  CHECK(std::abs(static_cast<double>(map.to_ns(ticks_at(7e9))) - 11.5e9) < 2e6);
}

TEST_CASE("the knots of a very long run are thinned out") {
  ClockMap map(kTicksPerNs);
  uint64_t last = 0;
  for (int i = 1; i <= 100'000; ++i) {
    map.add_reading(ticks_at(i * 2e9), static_cast<uint64_t>(i) * 2'000'000'000 + static_cast<uint64_t>(i % 7) * 100);
    const uint64_t value = map.to_ns(ticks_at(i * 2e9));
    REQUIRE(value >= last);
    last = value;
  }
  for (int i = 1; i < 100'000; i += 77) {
    REQUIRE(std::abs(static_cast<double>(map.to_ns(ticks_at(i * 2e9))) - i * 2e9) < 5000);
  }
}

}  // namespace
}  // namespace xsp
