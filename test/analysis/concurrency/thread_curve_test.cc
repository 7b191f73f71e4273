#include "analysis/concurrency/thread_curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "test/analysis/support/law_curves.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using test::exact_curve;
using test::noisy_curve;
using test::spawning_law;
using test::up_to;

using Counts = std::vector<uint32_t>;

constexpr uint32_t kCores = 68;  // of the paper's machine

uint32_t best_threads(const ThreadCurve& curve, const ClimbOptions& options) {
  const Climb found = climb(curve, options);
  REQUIRE_FALSE(found.probes.empty());
  return curve[found.best].threads;
}

TEST_CASE("probes begin with one thread, and the cores limit the last one") {
  CHECK(probe_counts(8, 1) == Counts{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(probe_counts(12, 4) == Counts{1, 5, 9, 12});
  CHECK(probe_counts(13, 4) == Counts{1, 5, 9, 13});
  CHECK(probe_counts(2, 16) == Counts{1, 2});
  CHECK(probe_counts(1, 1) == Counts{1});
  CHECK(probe_counts(0, 1).empty());
  CHECK(probe_counts(4, 0).empty());
  CHECK(probe_counts(7, UINT32_MAX) == Counts{1, 7});
  for (uint32_t cores = 1; cores <= 70; ++cores) {
    for (uint32_t interval = 1; interval <= 20; ++interval) {
      // ⌈(C − 1) / x⌉ + 1
      CHECK(probe_counts(cores, interval).size() == (cores - 1 + interval - 1) / interval + 1);
    }
  }
  CHECK(default_interval(1) == 1);
  CHECK(default_interval(2) == 1);
  CHECK(default_interval(16) == 1);
  CHECK(default_interval(kCores) == 4);
  CHECK(default_interval(128) == 8);
}

TEST_CASE("a curve that falls to the last core is predicted as well as the paper's Table V says") {
  struct Row {
    uint32_t interval;
    size_t probes;
    double accuracy_pct;
  };
  const ThreadCurve curve = exact_curve(spawning_law(kCores), up_to(kCores));
  for (const Row& row : {Row{2, 35, 98.5}, Row{4, 18, 95.1}, Row{8, 10, 82.4}, Row{16, 6, 34.3}}) {
    INFO(row.interval);
    const Climb found = climb(curve, {.cores = kCores, .interval = row.interval});
    CHECK(found.probes.size() == row.probes);
    CHECK(curve[found.best].threads == kCores);
    CHECK_FALSE(found.has_risen);
    CHECK(found.is_ended);
    const auto share = accuracy(curve, found);
    REQUIRE(share);
    CHECK(100 * *share == Approx(row.accuracy_pct).margin(0.05));
  }
}

TEST_CASE("an interval that skips the best number loses less than the paper's two percent") {
  const test::Law law = spawning_law(26, 97.9);
  CHECK(law(kCores) / law(26) == Approx(1.173).margin(0.0005));
  const ThreadCurve curve = exact_curve(law, up_to(kCores));
  const Climb found = climb(curve, {.cores = kCores, .interval = 4});
  CHECK(curve[found.best].threads == 25);
  CHECK(found.has_risen);
  CHECK(curve[found.probes.back()].threads == 29);
  CHECK(100 * (curve[found.best].latency_ns / law(26) - 1) == Approx(0.03).margin(0.005));
  CHECK(100 * *accuracy(curve, found) == Approx(92.6).margin(0.05));
}

TEST_CASE("climbing a convex curve finds what trying every number finds") {
  Noise noise(11);
  for (int round = 0; round < 500; ++round) {
    // The sum of convex functions is convex.
    const double shrinking = 1 + 1e4 * noise.uniform();
    const double growing = noise.happens(0.2) ? 0 : 20 * noise.uniform();
    const double square = noise.happens(0.5) ? 0 : noise.uniform();
    const auto law = [&](double n) { return shrinking / n + growing * n + square * n * n; };
    const auto cores = static_cast<uint32_t>(1 + 80 * noise.uniform());
    const ThreadCurve curve = exact_curve(law, up_to(cores));
    const auto fastest = std::min_element(curve.begin(), curve.end(),
                                          [](const auto& a, const auto& b) { return a.latency_ns < b.latency_ns; });
    CHECK(best_threads(curve, {.cores = cores}) == fastest->threads);
    CHECK(best_threads(curve, {.cores = cores, .paper = true}) == fastest->threads);
    // With an interval: the best of the probes.
    const auto interval = static_cast<uint32_t>(1 + 9 * noise.uniform());
    uint32_t best = 1;
    for (const uint32_t n : probe_counts(cores, interval)) best = law(n) < law(best) ? n : best;
    CHECK(best_threads(curve, {.cores = cores, .interval = interval}) == best);
  }
}

TEST_CASE("climbing ends at the first rise, and has not ended where a probe is missing") {
  const ThreadCurve curve = exact_curve([](double n) { return n < 4 ? 10 - n : n; }, {1, 2, 3, 8, 16});
  const Climb all = climb(curve, {});
  CHECK(all.probes == std::vector<size_t>{0, 1, 2, 3});
  CHECK(curve[all.best].threads == 3);
  CHECK(all.has_risen);

  const Climb gap = climb(curve, {.cores = 16, .interval = 1});
  CHECK(gap.probes == std::vector<size_t>{0, 1, 2});
  CHECK_FALSE(gap.is_ended);
  const Climb few_cores = climb(curve, {.cores = 3});
  CHECK(few_cores.probes.size() == 3);
  CHECK(few_cores.is_ended);
  const Climb not_begun = climb(exact_curve([](double n) { return n; }, {4, 8}), {.cores = 8, .interval = 1});
  CHECK(not_begun.probes.empty());
  CHECK_FALSE(not_begun.is_ended);
  CHECK(climb({}, {}).probes.empty());
}

TEST_CASE("of equally fast numbers of threads the fewest are best") {
  const ThreadCurve curve = exact_curve([](double n) { return n < 3 ? 10 : 5; }, up_to(6));
  CHECK(best_threads(curve, {}) == 3);
  CHECK(best_threads(exact_curve([](double) { return 7; }, up_to(6)), {.paper = true}) == 1);
}

TEST_CASE("noise ends the paper's climb early, but not one that asks for more than noise") {
  constexpr int kRounds = 300;
  const test::Law law = spawning_law(32);
  int bare_errors = 0;
  int aware_errors = 0;
  double bare_loss = 0;
  double aware_loss = 0;
  Noise noise(5);
  for (int round = 0; round < kRounds; ++round) {
    const auto relative = 0.05;
    const ThreadCurve curve = noisy_curve([&](double n) { return 1e6 * law(n); }, up_to(32), relative, 8, &noise);
    const double bare = law(best_threads(curve, {.cores = 32, .paper = true})) / law(32) - 1;
    const double aware = law(best_threads(curve, {.cores = 32})) / law(32) - 1;
    bare_errors += bare > 0.02;
    aware_errors += aware > 0.02;
    bare_loss += bare / kRounds;
    aware_loss += aware / kRounds;
  }
  // The paper's rule stops on the slope, where a step gains less than the noise.
  CHECK(bare_errors > kRounds / 2);
  CHECK(aware_errors < kRounds / 5);
  CHECK(aware_loss < bare_loss / 4);
}

TEST_CASE("a rise is seldom found where there is none, and nearly always where it is large") {
  constexpr int kRounds = 2000;
  Noise noise(21);
  int false_rises = 0;
  int found_rises = 0;
  for (int round = 0; round < kRounds; ++round) {
    const ThreadCurve curve = noisy_curve([](double n) { return n < 3 ? 1e6 : 1.3e6; }, {1, 2, 3}, 0.05, 6, &noise);
    false_rises += rises(curve[0], curve[1], {});
    found_rises += rises(curve[1], curve[2], {});
  }
  CHECK(false_rises < 0.035 * kRounds);
  CHECK(found_rises > 0.98 * kRounds);
}

TEST_CASE("between probes the time is linear, and beyond them it is not known") {
  const ThreadCurve curve = exact_curve([](double n) { return 100 / n; }, {1, 4, 5, 10});
  const std::vector<size_t> probes = {0, 1, 3};
  CHECK(interpolated(curve, probes, 1) == Approx(100));
  CHECK(interpolated(curve, probes, 2) == Approx(75));  // the paper's example: from 1 and 4 threads
  CHECK(interpolated(curve, probes, 3) == Approx(50));
  CHECK(interpolated(curve, probes, 7) == Approx(17.5));
  CHECK_FALSE(interpolated(curve, probes, 11));
  CHECK_FALSE(interpolated(curve, {1, 3}, 3));
  CHECK_FALSE(interpolated(curve, {}, 3));

  Climb climbed;
  climbed.probes = probes;
  CHECK(leave_one_out(curve, climbed, 1) == Approx(100 - 90.0 / 3));
  CHECK_FALSE(leave_one_out(curve, climbed, 0));
  CHECK_FALSE(leave_one_out(curve, climbed, 3));
  CHECK_FALSE(leave_one_out(curve, climbed, 2));
  // 5 threads take 20, and 22.5 are predicted.
  CHECK(accuracy(curve, climbed) == Approx(1 - 2.5 / 20));
  climbed.probes = {0, 1, 2, 3};
  CHECK_FALSE(accuracy(curve, climbed));
}

TEST_CASE("a point has the statistic and spread of its values, and nothing has no point") {
  const auto point = curve_point(3, {{1, 2, 3}, {}, {4, 100}}, *Statistic::parse("median"));
  REQUIRE(point);
  CHECK(point->threads == 3);
  CHECK(point->latency_ns == 3);
  CHECK(point->spread_ns == 2);
  CHECK(point->n == 5);
  CHECK_FALSE(curve_point(3, {{}, {}}, {}));
}

}  // namespace
}  // namespace xsp::analysis
