#include "analysis/timeline/intervals.h"

#include <algorithm>
#include <random>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

/// Intervals as a raster, to compare with.
std::vector<bool> raster_of(const TimeIntervals& intervals, int64_t length) {
  std::vector<bool> raster(static_cast<size_t>(length));
  for (const TimeInterval& interval : intervals) {
    for (int64_t at = std::max<int64_t>(interval.begin, 0); at < std::min(interval.end, length); ++at) {
      raster[static_cast<size_t>(at)] = true;
    }
  }
  return raster;
}

TimeIntervals random_intervals(std::mt19937* random, int64_t length) {
  TimeIntervals intervals(std::uniform_int_distribution<size_t>(0, 12)(*random));
  for (TimeInterval& interval : intervals) {
    interval.begin = std::uniform_int_distribution<int64_t>(0, length)(*random);
    interval.end = interval.begin + std::uniform_int_distribution<int64_t>(-2, 9)(*random);
  }
  return intervals;
}

bool is_in_order(const TimeIntervals& intervals) {
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].begin >= intervals[i].end) return false;
    if (i > 0 && intervals[i].begin < intervals[i - 1].end) return false;
  }
  return true;
}

TEST_CASE("intervals agree with a raster of every moment") {
  constexpr int64_t kLength = 60;
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const TimeIntervals raw = random_intervals(&random, kLength - 10);
    const TimeIntervals a = united(raw);
    const TimeIntervals b = united(random_intervals(&random, kLength - 10));
    const std::vector<bool> of_a = raster_of(a, kLength);
    const std::vector<bool> of_b = raster_of(b, kLength);
    REQUIRE(of_a == raster_of(raw, kLength));
    REQUIRE(is_in_order(a));
    REQUIRE(length_of(a) == std::count(of_a.begin(), of_a.end(), true));
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const TimeInterval& interval : raw) pairs.emplace_back(interval.begin, interval.end);
    REQUIRE(union_length(&pairs) == length_of(a));
    UnionLength running;
    int64_t grown = 0;
    for (const auto& [begin, end] : pairs) {
      const int64_t half = (begin + end) / 2;
      if (begin <= half) REQUIRE(running.until(begin) == std::count(of_a.begin(), of_a.begin() + begin, true));
      grown += running.add(begin, end);
    }
    REQUIRE(running.length() == length_of(a));
    REQUIRE(grown == length_of(a));
    std::vector<bool> both(of_a.size());
    std::vector<bool> alone(of_a.size());
    for (size_t i = 0; i < of_a.size(); ++i) {
      both[i] = of_a[i] && of_b[i];
      alone[i] = of_a[i] && !of_b[i];
    }
    REQUIRE(raster_of(common(a, b), kLength) == both);
    REQUIRE(raster_of(without(a, b), kLength) == alone);
    REQUIRE(is_in_order(common(a, b)));
    REQUIRE(is_in_order(without(a, b)));
    OverlapCursor cursor(b);
    int64_t overlap = 0;
    for (const TimeInterval& interval : a) overlap += cursor.overlap(interval);
    REQUIRE(overlap == std::count(both.begin(), both.end(), true));
  }
}

TEST_CASE("a stream of intervals hands on what can grow no more") {
  TimeIntervals found;
  UnitedStream stream;
  const auto keep = [&](const TimeInterval& interval) { found.push_back(interval); };
  stream.add(0, 4, keep);
  stream.add(2, 3, keep);
  stream.add(4, 6, keep);  // what touches is one
  stream.add(7, 7, keep);  // nothing
  CHECK(found.empty());
  stream.add(9, 10, keep);
  REQUIRE(found.size() == 1);
  CHECK(found[0].end == 6);
  stream.finish(keep);
  REQUIRE(found.size() == 2);
  CHECK(length_of(found) == 7);
}

}  // namespace
}  // namespace xsp::analysis
