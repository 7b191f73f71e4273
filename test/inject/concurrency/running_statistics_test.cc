#include "inject/concurrency/running_statistics.h"

#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::lies_above_zero;
using xsp::guest::rises;
using xsp::guest::RunningStatistics;

RunningStatistics of_values(const std::vector<double>& values) {
  RunningStatistics statistics{};
  for (const double value : values) statistics.add(value);
  return statistics;
}

TEST_CASE("mean and variance are those of the values, however far from zero they lie") {
  const RunningStatistics statistics = of_values({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
  CHECK(statistics.count == 4);
  CHECK(statistics.mean == 1e9 + 10);
  CHECK(statistics.variance() == Approx(30));
}

TEST_CASE("a mean rises when the difference is more than noise") {
  // Welch: t = 2.5 / sqrt(0.5) = 3.54 with 8 degrees of freedom, whose quantile is 2.306.
  CHECK(rises(of_values({1, 2, 3, 4, 5}), of_values({4.5, 5.5, 5.5, 5.5, 6.5})));
  // t = 1.5 with the same degrees.
  CHECK_FALSE(rises(of_values({1, 2, 3, 4, 5}), of_values({2.5, 3.5, 4.5, 5.5, 6.5})));
  CHECK_FALSE(rises(of_values({4, 5, 6}), of_values({1, 2, 3})));
}

TEST_CASE("unequal spreads have fewer degrees of freedom") {
  // The spread is all of one side: t = 2.6 is above the quantile of 8 degrees, 2.306, and below that of 4, 2.776.
  const RunningStatistics even = of_values({10, 10, 10, 10, 10});
  const double step = 2.6 * 0.7071067811865476;
  CHECK_FALSE(rises(even, of_values({8 + step, 9 + step, 10 + step, 11 + step, 12 + step})));
  const double larger = 2.9 * 0.7071067811865476;
  CHECK(rises(even, of_values({8 + larger, 9 + larger, 10 + larger, 11 + larger, 12 + larger})));
}

TEST_CASE("values without spread rise by any difference, and single values never") {
  CHECK(rises(of_values({1, 1}), of_values({1.001, 1.001})));
  CHECK_FALSE(rises(of_values({1, 1}), of_values({1, 1})));
  CHECK_FALSE(rises(of_values({1}), of_values({100, 100})));
}

TEST_CASE("paired differences lie above zero by more than noise") {
  // t = 2.5 / (1.29 / 2) = 3.87 with 3 degrees, whose quantile is 3.182.
  CHECK(lies_above_zero(of_values({1, 2, 3, 4})));
  CHECK_FALSE(lies_above_zero(of_values({-1, 2, 3, 4})));
  CHECK_FALSE(lies_above_zero(of_values({-1, -2, -3, -4})));
  CHECK_FALSE(lies_above_zero(of_values({5})));
}

}  // namespace
