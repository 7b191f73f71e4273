#include "analysis/statistics/warm_up.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

/// The latency of evaluation i of n.
using Latency = std::function<double(Noise&, size_t i, size_t n)>;

constexpr size_t kTrials = 2000;
const std::vector<size_t> kLengths = {3, 4, 5, 7, 8, 10, 15, 30, 100, 1000};

std::vector<double> run_of(const Latency& latency, Noise& noise, size_t n) {
  std::vector<double> run(n);
  for (size_t i = 0; i < n; ++i) run[i] = latency(noise, i, n);
  return run;
}

/// In how many of a hundred runs a warm-up of `least` to `most` is found.
double found_pct(const Latency& latency, size_t n, size_t least, size_t most) {
  Noise noise(n);
  const size_t trials = n == 1000 ? kTrials / 10 : kTrials;
  size_t found = 0;
  for (size_t trial = 0; trial < trials; ++trial) {
    const size_t length = warm_up_length(run_of(latency, noise, n));
    found += length >= least && length <= most ? 1 : 0;
  }
  return 100.0 * static_cast<double>(found) / static_cast<double>(trials);
}

double worst_false_pct(const Latency& latency) {
  double worst = 0;
  for (const size_t n : kLengths) worst = std::max(worst, found_pct(latency, n, 2, n));
  return worst;
}

TEST_CASE("of one or two evaluations none is warm-up, of more the first is") {
  CHECK(warm_up_length(std::vector<double>{}) == 0);
  CHECK(warm_up_length(std::vector<double>{5}) == 0);
  CHECK(warm_up_length(std::vector<double>{5, 1}) == 0);
  CHECK(warm_up_length(std::vector<double>{5, 1, 1}) == 1);
  CHECK(warm_up_length(std::vector<double>{1, 1, 1, 1}) == 1);
}

TEST_CASE("leading evaluations that are clearly slower are warm-up, without a gap") {
  CHECK(warm_up_length(std::vector<double>{9, 4, 2, 1, 1, 1, 1, 1, 1, 1}) == 3);
  CHECK(warm_up_length(std::vector<double>{9, 1, 4, 1, 1, 1, 1, 1, 1, 1}) == 1);
  CHECK(warm_up_length(std::vector<double>{1, 9, 9, 1, 1, 1, 1, 1, 1, 1}) == 1);
  CHECK(warm_up_length(std::vector<double>{9, 1.04, 1.04, 1, 1, 1, 1, 1, 1, 1}) == 1);
}

TEST_CASE("at most half of the evaluations are warm-up") {
  CHECK(warm_up_length(std::vector<double>{9, 9, 9, 9, 9, 1, 1, 1, 1, 1}) == 5);
  CHECK(warm_up_length(std::vector<double>{9, 9, 9, 9, 9, 9, 9, 1, 1, 1}) == 1);
}

TEST_CASE("noise is not taken for warm-up") {
  const auto lognormal = [](double sigma) {
    return [sigma](Noise& noise, size_t, size_t) { return std::exp(sigma * noise.normal()); };
  };
  CHECK(worst_false_pct([](Noise& noise, size_t, size_t) { return 1 + 0.1 * noise.normal(); }) < 1);
  CHECK(worst_false_pct(lognormal(0.1)) < 1);
  CHECK(worst_false_pct(lognormal(0.5)) < 2);
  const auto pareto = [](Noise& noise, size_t, size_t) { return std::pow(noise.uniform(), -1 / 1.5); };
  CHECK(worst_false_pct(pareto) < 3);
}

TEST_CASE("a steady state of two modes is not taken for warm-up") {
  const auto slow = [](double share) {
    return [share](Noise& noise, size_t, size_t) {
      return (noise.happens(share) ? 1.5 : 1) * (1 + 0.01 * noise.normal());
    };
  };
  CHECK(worst_false_pct(slow(0.05)) < 1);
  CHECK(worst_false_pct(slow(0.1)) < 1.5);
  CHECK(worst_false_pct(slow(0.3)) < 3.5);
}

TEST_CASE("a slow drift is not taken for warm-up") {
  const auto drift = [](double rise, double sigma) {
    return [=](Noise& noise, size_t i, size_t n) {
      return 1 + rise * (static_cast<double>(i) / static_cast<double>(n) - 1) + sigma * noise.normal();
    };
  };
  CHECK(worst_false_pct(drift(-0.2, 0)) == 0);
  CHECK(worst_false_pct(drift(0.2, 0.01)) == 0);
  CHECK(found_pct(drift(-0.2, 0.01), 30, 2, 15) < 3);
  CHECK(found_pct(drift(-0.2, 0.01), 100, 2, 50) < 1);
  CHECK(found_pct(drift(-0.2, 0.01), 10, 4, 5) < 6);
}

TEST_CASE("warm-up found where there is none, as doc/experiments.md has it", "[.][simulation]") {
  const auto row = [](const char* name, const Latency& latency) {
    std::printf("%-28s", name);
    for (const size_t n : kLengths) std::printf("%7.2f", found_pct(latency, n, 2, n));
    std::printf("\n");
  };
  std::printf("%-28s", "more than one in %, values");
  for (const size_t n : kLengths) std::printf("%7zu", n);
  std::printf("\n");
  row("normal, 10 %", [](Noise& noise, size_t, size_t) { return 1 + 0.1 * noise.normal(); });
  row("lognormal, sigma 0.5", [](Noise& noise, size_t, size_t) { return std::exp(0.5 * noise.normal()); });
  row("Pareto, 1.5", [](Noise& noise, size_t, size_t) { return std::pow(noise.uniform(), -1 / 1.5); });
  row("10 % slower by half",
      [](Noise& noise, size_t, size_t) { return (noise.happens(0.1) ? 1.5 : 1) * (1 + 0.01 * noise.normal()); });
  double at = 0;
  row("correlation 0.8", [&](Noise& noise, size_t i, size_t) {
    at = i == 0 ? noise.normal() : 0.8 * at + 0.6 * noise.normal();
    return 1 + 0.1 * at;
  });
  row("20 % faster over the run", [](Noise& noise, size_t i, size_t n) {
    return 1.2 - 0.2 * static_cast<double>(i) / static_cast<double>(n) + 0.01 * noise.normal();
  });
}

TEST_CASE("a warm-up by a step is found whole") {
  const auto step = [](size_t slow) {
    return [slow](Noise& noise, size_t i, size_t) { return (i < slow ? 3 : 1) * (1 + 0.05 * noise.normal()); };
  };
  CHECK(found_pct(step(3), 8, 3, 3) > 95);
  CHECK(found_pct(step(5), 10, 5, 5) > 95);
  CHECK(found_pct(step(10), 50, 10, 10) > 98);
}

TEST_CASE("of a decaying warm-up little is left") {
  const auto decay = [](Noise& noise, size_t i, size_t) {
    return (1 + 2 * std::exp(-static_cast<double>(i) / 5)) * (1 + 0.01 * noise.normal());
  };
  // From the 19th evaluation on it is within 5 %.
  CHECK(found_pct(decay, 50, 15, 20) > 95);
  CHECK(found_pct(decay, 100, 15, 20) > 95);
}

TEST_CASE("a note says what was left out of each run") {
  CHECK(left_out_text(std::vector<LeftOut>{{3, 50}}) == "the first 3 of 50");
  CHECK(warm_up_note({}).empty());
  CHECK(warm_up_note(std::vector<LeftOut>{{0, 2}}).empty());
  CHECK(warm_up_note(std::vector<LeftOut>{{1, 50}}) == "warm-up left out: the first of 50");
  CHECK(warm_up_note(std::vector<LeftOut>{{3, 50}}) ==
        "warm-up left out: the first 3 of 50 (slower than the second half)");
  CHECK(warm_up_note(std::vector<LeftOut>{{3, 50}}, false) == "warm-up left out: the first 3 of 50");
  CHECK(warm_up_note(std::vector<LeftOut>{{1, 9}, {1, 9}}) == "warm-up left out: the first of each of 2 runs");
  CHECK(warm_up_note(std::vector<LeftOut>{{1, 9}, {4, 9}, {0, 2}}) ==
        "warm-up left out: the first of run 1, the first 4 of run 2, none of run 3 (slower than the second half)");
  CHECK(warm_up_note(std::vector<LeftOut>(12, {1, 9})) == "warm-up left out: the first of each of 12 runs");
  std::vector<LeftOut> many(12, {1, 9});
  many[3].count = 4;
  CHECK(warm_up_note(many) ==
        "warm-up left out: the first 1 to 4 of each of 12 runs, 15 evaluations in all (slower than the second half)");
}

}  // namespace
}  // namespace xsp::analysis
