#include "analysis/statistics/statistic.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

double value_of(const char* name, std::vector<double> values) { return evaluate(*Statistic::parse(name), values); }

TEST_CASE("the trimmed mean leaves out a fifth at each end") {
  CHECK(value_of("trimmed", {7}) == 7);
  CHECK(value_of("trimmed", {1, 100}) == 50.5);
  CHECK(value_of("trimmed", {100, 1, 3}) == 3);
  CHECK(value_of("trimmed", {1, 2, 3, 100}) == 26.5);
  CHECK(value_of("trimmed", {100, 2, 3, 4, -50}) == 3);
  CHECK(std::isnan(value_of("trimmed", {})));
}

TEST_CASE("the trimmed mean agrees with sorting") {
  std::mt19937 random(1);
  for (size_t n = 4; n < 300; ++n) {
    std::vector<double> values(n);
    for (double& value : values) value = random() % 50;
    const double found = value_of("trimmed", values);
    std::sort(values.begin(), values.end());
    const size_t cut = n / 5;
    double sum = 0;
    for (size_t i = cut; i < n - cut; ++i) sum += values[i];
    REQUIRE(found == Approx(sum / static_cast<double>(n - 2 * cut)));
  }
}

TEST_CASE("percentiles interpolate") {
  CHECK(value_of("median", {4, 1, 3, 2}) == 2.5);
  CHECK(value_of("p50", {3, 1, 2}) == 2);
  CHECK(value_of("p90", {0, 10}) == Approx(9));
  CHECK(value_of("p0", {5, 4}) == 4);
  CHECK(value_of("p100", {5, 4}) == 5);
  CHECK(value_of("min", {5, 4}) == 4);
  CHECK(value_of("max", {5, 4}) == 5);
  CHECK(value_of("mean", {5, 4}) == 4.5);
  std::vector<double> values = {5, 1, 2, 4, 3};
  CHECK(interquartile_range(values) == 2);
}

TEST_CASE("unknown statistics are refused") {
  for (const char* name : {"", "p", "p101", "p9x", "average", "P50"}) CHECK_FALSE(Statistic::parse(name));
}

}  // namespace
}  // namespace xsp::analysis
