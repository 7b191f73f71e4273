#include "analysis/statistics/bootstrap.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using Sample = std::function<RunValues(Noise&)>;

constexpr size_t kTrials = 500;

Statistic statistic(const char* name) { return *Statistic::parse(name); }

bool holds(const Interval& interval, double value) { return interval.low <= value && value <= interval.high; }
bool tells_nothing(const Interval& interval) { return std::isnan(interval.low) && std::isnan(interval.high); }

/// What the statistic of such a sample is on average.
double truth_of(const Statistic& statistic, const Sample& sample) {
  Noise noise(99);
  double sum = 0;
  for (size_t trial = 0; trial < 5 * kTrials; ++trial) {
    std::vector<double> all;
    for (const auto& run : sample(noise)) all.insert(all.end(), run.begin(), run.end());
    sum += evaluate(statistic, all);
  }
  return sum / (5 * kTrials);
}

/// In how many of a hundred samples the interval holds the truth.
double coverage_pct(const Statistic& statistic, const Sample& sample, size_t trials = kTrials) {
  const double truth = truth_of(statistic, sample);
  Noise noise(7);
  size_t held = 0;
  for (size_t trial = 0; trial < trials; ++trial) {
    held += holds(bootstrap_interval(statistic, sample(noise)), truth) ? 1 : 0;
  }
  return 100.0 * static_cast<double>(held) / static_cast<double>(trials);
}

Sample one_run(size_t n, const std::function<double(Noise&)>& value) {
  return [=](Noise& noise) {
    std::vector<double> run(n);
    for (double& to : run) to = value(noise);
    return RunValues{run};
  };
}

double normal(Noise& noise) { return 10 + noise.normal(); }
double lognormal(Noise& noise) { return std::exp(0.5 * noise.normal()); }

/// Runs whose means have the standard deviation `between`, that within them being 1.
Sample several_runs(size_t runs, size_t n, double between) {
  return [=](Noise& noise) {
    RunValues values(runs);
    for (std::vector<double>& run : values) {
      const double mean = 10 + between * noise.normal();
      for (size_t i = 0; i < n; ++i) run.push_back(mean + noise.normal());
    }
    return values;
  };
}

/// Each value resembles the one before it.
Sample correlated_run(size_t n, double correlation) {
  return [=](Noise& noise) {
    std::vector<double> run(n);
    double at = noise.normal();
    for (double& to : run) {
      to = 10 + at;
      at = correlation * at + std::sqrt(1 - correlation * correlation) * noise.normal();
    }
    return RunValues{run};
  };
}

TEST_CASE("the interval holds the trimmed mean in 95 of 100 samples") {
  for (const size_t n : {5, 10, 30, 200}) {
    const double of_normal = coverage_pct({}, one_run(n, normal));
    const double of_lognormal = coverage_pct({}, one_run(n, lognormal));
    INFO(n << " values: normal " << of_normal << " %, lognormal " << of_lognormal << " %");
    CHECK((of_normal > 92.5 && of_normal < 99));
    CHECK((of_lognormal > 91.5 && of_lognormal < 99));
  }
}

TEST_CASE("the interval holds mean, median and percentiles") {
  for (const size_t n : {10, 30, 200}) {
    for (const char* name : {"mean", "median"}) {
      INFO(n << " values, " << name);
      CHECK(coverage_pct(statistic(name), one_run(n, normal)) > 92);
      CHECK(coverage_pct(statistic(name), one_run(n, lognormal)) > 91);
    }
  }
  CHECK(coverage_pct(statistic("p90"), one_run(30, normal)) > 88);
  CHECK(coverage_pct(statistic("p90"), one_run(200, normal)) > 92);
}

TEST_CASE("coverage, as doc/experiments.md has it", "[.][simulation]") {
  const auto row = [](const char* name, const std::vector<Sample>& samples, const char* of = "trimmed") {
    std::printf("%-28s", name);
    for (const Sample& sample : samples) std::printf("%7.1f", coverage_pct(statistic(of), sample, 2000));
    std::printf("\n");
  };
  const auto runs = [](const auto& make) {
    std::vector<Sample> samples;
    for (const size_t n : {3, 5, 10, 30, 200, 1000}) samples.push_back(make(n));
    return samples;
  };
  std::printf("%-28s%7d%7d%7d%7d%7d%7d\n", "coverage in %, values", 3, 5, 10, 30, 200, 1000);
  for (const char* name : {"trimmed", "mean", "median"}) {
    row(("normal, " + std::string(name)).c_str(), runs([](size_t n) { return one_run(n, normal); }), name);
    row(("lognormal, " + std::string(name)).c_str(), runs([](size_t n) { return one_run(n, lognormal); }), name);
  }
  row("p90 of normal", {one_run(30, normal), one_run(200, normal), one_run(1000, normal)}, "p90");
  row("correlation 0.5", runs([](size_t n) { return correlated_run(n, 0.5); }));
  row("correlation 0.8", runs([](size_t n) { return correlated_run(n, 0.8); }));
  for (const double between : {0.0, 0.5, 2.0}) {
    const std::string name = "runs of 10, between " + std::to_string(between).substr(0, 3);
    row(name.c_str(), {several_runs(2, 10, between), several_runs(3, 10, between), several_runs(5, 10, between),
                       several_runs(8, 10, between), several_runs(20, 10, between)});
  }
}

TEST_CASE("the interval of many values is as narrow as they make it") {
  Noise noise(1);
  for (const size_t n : {400, 1600, 40000}) {
    const Interval interval = bootstrap_interval(statistic("mean"), one_run(n, normal)(noise));
    CHECK((interval.high - interval.low) * std::sqrt(static_cast<double>(n)) == Approx(2 * 1.96).epsilon(0.15));
  }
}

TEST_CASE("the interval over several runs holds what varies between them") {
  for (const double between : {0.0, 0.5, 2.0}) {
    for (const size_t runs : {2, 3, 10}) {
      const double coverage = coverage_pct({}, several_runs(runs, 10, between));
      INFO(runs << " runs, " << between << " between them: " << coverage << " %");
      CHECK((coverage > 92 && coverage < 99));
    }
  }
  CHECK(coverage_pct({}, several_runs(3, 300, 1)) > 92);
}

TEST_CASE("consecutive values that resemble each other widen the interval") {
  CHECK(coverage_pct({}, correlated_run(50, 0.5)) > 85);
  CHECK(coverage_pct({}, correlated_run(200, 0.8)) > 85);
  CHECK(coverage_pct({}, correlated_run(1000, 0.8)) > 89);
}

TEST_CASE("nothing is told of too few values, minimum and maximum") {
  CHECK(tells_nothing(bootstrap_interval({}, {})));
  CHECK(tells_nothing(bootstrap_interval({}, {{1, 2}})));
  CHECK(tells_nothing(bootstrap_interval({}, {{1}, {2}})));
  CHECK_FALSE(tells_nothing(bootstrap_interval({}, {{1, 2, 3}})));
  CHECK_FALSE(tells_nothing(bootstrap_interval({}, {{1}, {}, {2, 3}})));
  const RunValues many = {std::vector<double>(100, 1)};
  for (const char* name : {"min", "max", "p0", "p100", "p99"})
    CHECK(tells_nothing(bootstrap_interval(statistic(name), many)));
  CHECK_FALSE(tells_nothing(bootstrap_interval(statistic("p95"), many)));
  CHECK(tells_nothing(bootstrap_difference({}, many, {{1, 2}})));
}

TEST_CASE("values that are all the same have an interval without width") {
  const Interval interval = bootstrap_interval({}, {{2, 2, 2, 2}, {2, 2}});
  CHECK(interval.low == 2);
  CHECK(interval.high == 2);
  CHECK_FALSE(excludes_zero(bootstrap_difference({}, {{2, 2, 2}}, {{2, 2, 2}})));
  CHECK(excludes_zero(bootstrap_difference({}, {{2, 2, 2}}, {{3, 3, 3}})));
}

TEST_CASE("the interval of latencies does not reach below zero") {
  CHECK(bootstrap_interval({}, {{1, 2, 4, 8, 16}}).low == 0);
  CHECK(bootstrap_interval({}, {{-1, 2, 4, 8, 16}}).low < 0);
}

TEST_CASE("the same values give the same interval") {
  const Interval a = bootstrap_interval({}, {{101, 102, 104, 108, 116}});
  const Interval b = bootstrap_interval({}, {{101, 102, 104, 108, 116}});
  CHECK(a.low == b.low);
  CHECK(a.high == b.high);
  // The generator's numbers are the same on every machine.
  CHECK(a.low == Approx(99.4008330673));
  CHECK(a.high == Approx(118.3578340249));
}

TEST_CASE("a difference that is not there is found in at most one of twenty samples") {
  const auto found_pct = [](const Sample& first, const Sample& second) {
    Noise noise(3);
    size_t found = 0;
    for (size_t trial = 0; trial < kTrials; ++trial) {
      const RunValues a = first(noise);
      found += excludes_zero(bootstrap_difference({}, a, second(noise))) ? 1 : 0;
    }
    return 100.0 * static_cast<double>(found) / kTrials;
  };
  const auto noisier = [](Noise& noise) { return 10 + 3 * noise.normal(); };
  CHECK(found_pct(one_run(10, normal), one_run(10, noisier)) < 6.5);
  CHECK(found_pct(one_run(100, normal), one_run(20, noisier)) < 6.5);
  CHECK(found_pct(several_runs(3, 10, 1), several_runs(3, 10, 1)) < 6.5);
  const auto slower = [](Noise& noise) { return 12 + noise.normal(); };
  CHECK(found_pct(one_run(20, normal), one_run(20, slower)) > 98);
}

TEST_CASE("the interval of a ratio holds it") {
  Noise noise(11);
  size_t held = 0;
  for (size_t trial = 0; trial < kTrials; ++trial) {
    const RunValues a = one_run(20, normal)(noise);
    held += holds(bootstrap_ratio({}, a, one_run(20, [](Noise& n) { return 5 + n.normal(); })(noise)), 0.5) ? 1 : 0;
  }
  CHECK(held > 0.92 * kTrials);
  CHECK(held < 0.99 * kTrials);
  CHECK(tells_nothing(bootstrap_ratio({}, {{-1, -2, -3}}, {{1, 2, 3}})));
}

TEST_CASE("a change within the spread is said to be") {
  CHECK(indistinct_note("the rise from 32 to 64", 1.06, {0.97, 1.15}, 1.05) ==
        "the rise from 32 to 64 is 6 % ± 9 %: not distinguishable from 5 %");
  CHECK(indistinct_note("the rise", 1.2, {1.1, 1.3}, 1.05).empty());
  CHECK(indistinct_note("the rise", 1.2, {}, 1.05).empty());
  CHECK(change_text(0.875, {0.75, 1}) == "-12 % ± 12 %");
  CHECK(change_text(1.0012, {1.0008, 1.0016}) == "0.12 % ± 0.04 %");
  CHECK(change_text(1.5, {}) == "50 %");
  CHECK(change_text(2, {0.1, 6.7e18}) == "100 % ± more than 1000 %");
}

}  // namespace
}  // namespace xsp::analysis
