#include "analysis/statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/statistics/outlying.h"
#include "analysis/statistics/periodicity.h"
#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

std::vector<double> places(size_t n) {
  std::vector<double> at(n);
  std::iota(at.begin(), at.end(), 0.0);
  return at;
}

TEST_CASE("slope and intercept are the medians of Theil and Sen") {
  // Slopes of all pairs by hand: 1 (7 times 1 of neighbours …) with one value far off.
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 70, 8, 9};
  const auto trend = trend_of(places(values.size()), values);
  REQUIRE(trend);
  CHECK(trend->slope == Approx(1));
  CHECK(trend->intercept == Approx(1));
  CHECK(trend->at(8) == Approx(9));
}

TEST_CASE("Mann and Kendall's p-value is the textbook's") {
  // S = 28 of 8 ascending values, variance 8 · 7 · 21 / 18: z = 27 / 8.083 = 3.340.
  const std::vector<double> ascending = {1, 3, 4, 7, 8, 11, 15, 16};
  const auto trend = trend_of(places(8), ascending);
  REQUIRE(trend);
  CHECK(trend->p_value == Approx(0.000837).epsilon(0.01));
  const std::vector<double> same(20, 4.0);
  const auto none = trend_of(places(20), same);
  REQUIRE(none);
  CHECK(none->slope == 0);
  CHECK(none->p_value == 1);
  CHECK_FALSE(trend_of(places(7), std::vector<double>(7, 1.0)));
}

TEST_CASE("the interval of the slope has it in about 95 of 100 runs") {
  int has = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Noise noise(seed);
    std::vector<double> values;
    for (int i = 0; i < 60; ++i) values.push_back(0.5 * i + 4 * noise.normal());
    const auto trend = trend_of(places(60), values);
    REQUIRE(trend);
    has += trend->slopes.low <= 0.5 && 0.5 <= trend->slopes.high;
  }
  CHECK(has >= 372);
}

TEST_CASE("values that resemble their neighbours are no trend more often than others") {
  int significant = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Noise noise(seed);
    std::vector<double> values(200);
    double value = 0;
    for (double& of : values) of = value = 0.8 * value + noise.normal();
    significant += trend_of(places(200), values)->p_value < 0.01;
  }
  CHECK(significant <= 16);
}

TEST_CASE("of many values stretches stand for them, with the same slope") {
  Noise noise(1);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(0.01 * i + noise.normal());
  const auto trend = trend_of(places(values.size()), values);
  REQUIRE(trend);
  CHECK(trend->slope == Approx(0.01).epsilon(0.01));
  CHECK(trend->p_value < 1e-6);
}

TEST_CASE("values of one distribution are outlying as rarely as asked for") {
  for (const int tail : {0, 1, 2}) {
    INFO(tail);
    int found = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      Noise noise(seed);
      std::vector<double> values;
      for (int i = 0; i < 60; ++i) {
        const double u = noise.uniform();
        // normal, exponential, logarithms of a power
        values.push_back(tail == 0 ? noise.normal() : tail == 1 ? -std::log(u) : -std::log(u) / 3);
      }
      found += outlying_of(values, 30, 3, 0.01).count != 0;
    }
    CHECK(found <= 22);
  }
}

TEST_CASE("values that stand apart are counted, all of them") {
  Noise noise(5);
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) values.push_back(noise.normal());
  CHECK(outlying_of(values, 25, 5, 1e-3).count == 0);
  values[7] = 40;
  CHECK(outlying_of(values, 25, 5, 1e-3).count == 1);
  values[20] = 41;
  values[33] = 45;
  CHECK(outlying_of(values, 25, 5, 1e-3).count == 3);
  CHECK(outlying_of(std::vector<double>{1, 1, 1, 50}, 2, 1, 1e-3).count == 0);
}

TEST_CASE("the tail is as likely as it is") {
  double sum = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Noise noise(seed);
    std::vector<double> values;
    for (int i = 0; i < 100; ++i) values.push_back(-std::log(noise.uniform()));
    sum += tail_probability(values, -std::log(0.001));
  }
  CHECK(sum / 300 > 0.0007);
  CHECK(sum / 300 < 0.003);
}

TEST_CASE("marks at every k-th place are found, also where some are missing or beside") {
  std::vector<uint32_t> marks;
  for (uint32_t i = 4; i < 100; i += 10) marks.push_back(i);
  const auto every = periodicity_of(marks, 100, 0.01);
  REQUIRE(every);
  CHECK(every->period == 10);
  CHECK(every->phase == 4);
  CHECK(every->hits == 10);
  CHECK(every->places == 10);
  marks.erase(marks.begin() + 3);
  marks.insert(marks.begin() + 1, 9);
  const auto most = periodicity_of(marks, 100, 0.01);
  REQUIRE(most);
  CHECK(most->period == 10);
  CHECK(most->hits == 9);
}

TEST_CASE("random marks and values recur regularly as rarely as asked for") {
  int marks_found = 0;
  int peaks_found = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Noise noise(seed);
    std::vector<uint32_t> marks;
    std::vector<double> values;
    for (uint32_t i = 0; i < 60; ++i) {
      if (noise.happens(0.1)) marks.push_back(i);
      values.push_back(noise.normal());
    }
    marks_found += periodicity_of(marks, 60, 0.01).has_value();
    peaks_found += periodic_peaks(values, 0.01).has_value();
  }
  CHECK(marks_found <= 20);
  CHECK(peaks_found <= 20);
}

TEST_CASE("peaks at every k-th place are found in noise") {
  for (const uint32_t period : {2, 3, 7, 20}) {
    Noise noise(period);
    std::vector<double> values;
    for (uint32_t i = 0; i < 200; ++i) values.push_back(noise.normal() + (i % period == 1 ? 6 : 0));
    const auto found = periodic_peaks(values, 1e-3);
    REQUIRE(found);
    CHECK(found->period == period);
    CHECK(found->phase == 1);
  }
}

}  // namespace
}  // namespace xsp::analysis
