#include "analysis/concurrency/co_run_pairs.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::best_pairs;
using analysis::CoRunOperation;
using analysis::CoRunPair;
using analysis::CoRunPairs;
using analysis::CoRunStrategy;
using analysis::Noise;

CoRunOperation timed(std::vector<analysis::ThreadTime> times, uint32_t own_index) {
  CoRunOperation made;
  made.times = std::move(times);
  made.own = own_index;
  return made;
}

bool depends(const std::vector<CoRunOperation>& operations, uint32_t later, uint32_t earlier) {
  return std::ranges::any_of(operations[later].after, [&](uint32_t before) {
    return before == earlier || depends(operations, before, earlier);
  });
}

/// The gains of all pairs without a path between them, the largest first, each from all ways to divide the cores.
std::vector<double> all_gains(const std::vector<CoRunOperation>& operations, uint32_t cores) {
  std::vector<double> gains;
  for (uint32_t b = 0; b < operations.size(); ++b) {
    for (uint32_t a = 0; a < b; ++a) {
      if (!operations[a].is_timed() || !operations[b].is_timed() || depends(operations, b, a)) continue;
      const double serial = operations[a].own_time().ns + operations[b].own_time().ns;
      double together = serial;
      for (const auto& of_a : operations[a].times) {
        for (const auto& of_b : operations[b].times) {
          if (of_a.threads + of_b.threads <= cores) together = std::min(together, std::max(of_a.ns, of_b.ns));
        }
      }
      if (together < serial) gains.push_back(serial - together);
    }
  }
  std::ranges::sort(gains, std::greater<>());
  return gains;
}

TEST_CASE("Table III: on half of the cores each, two operations end in 25.4 s, as far as the times tell") {
  // 34 threads take 25 % and 17 % longer than 68. The paper measured 29.8 s: they slow each other down.
  const std::vector<CoRunOperation> operations = {timed({{34, 20.3 * 1.25}, {68, 20.3}}, 1),
                                                  timed({{34, 19.6 * 1.17}, {68, 19.6}}, 1)};
  const CoRunPairs pairs = best_pairs(operations, {68, false}, 10);
  REQUIRE(pairs.best.size() == 1);
  const CoRunPair& pair = pairs.best.front();
  CHECK(pair.a == 0);
  CHECK(pair.b == 1);
  CHECK(pair.threads_a == 34);
  CHECK(pair.threads_b == 34);
  CHECK(pair.idle_cores == 34);
  CHECK(pair.strategy == CoRunStrategy::kIdleCores);
  CHECK(pair.serial_ns == Approx(39.9));
  CHECK(pair.corun_ns == Approx(25.4).margin(0.05));
  CHECK(pair.gain_ns() == Approx(39.9 - 25.375));
  // The strategies by themselves give each all cores.
  CHECK(plan_co_running(operations, {68, false}).makespan_ns == Approx(39.9));
}

TEST_CASE("Pairs are those that gain most, as all ways to divide the cores tell") {
  Noise noise(11);
  for (int round = 0; round < 200; ++round) {
    const uint32_t cores = 2 + static_cast<uint32_t>(round % 7);
    std::vector<CoRunOperation> operations(14);
    for (uint32_t i = 0; i < operations.size(); ++i) {
      for (uint32_t before = 0; before < i; ++before) {
        if (noise.happens(0.1)) operations[i].after.push_back(before);
      }
      if (noise.happens(0.2)) continue;
      const double work = 1 + 9 * noise.uniform();
      for (uint32_t threads = 1; threads <= cores; ++threads) {
        if (threads == cores || noise.happens(0.6))
          operations[i].times.push_back({threads, work / threads + threads * noise.uniform()});
      }
      operations[i].own = static_cast<uint32_t>(noise.uniform() * static_cast<double>(operations[i].times.size()));
    }
    const std::vector<double> gains = all_gains(operations, cores);
    const size_t most = 1 + static_cast<size_t>(round % 20);
    const CoRunPairs pairs = best_pairs(operations, {cores, false}, most);
    REQUIRE(pairs.best.size() == std::min(most, gains.size()));
    for (size_t i = 0; i < pairs.best.size(); ++i) CHECK(pairs.best[i].gain_ns() == Approx(gains[i]));
    if (gains.size() > most) CHECK(pairs.has_more);
    if (gains.size() < most) CHECK_FALSE(pairs.has_more);
  }
}

TEST_CASE("A short operation shares the cores of one that holds all of them, where they have sibling threads") {
  const std::vector<CoRunOperation> operations = {timed({{4, 10}}, 0), timed({{1, 8}, {4, 3}}, 1)};
  CHECK(best_pairs(operations, {4, false}, 10).best.empty());
  const CoRunPairs pairs = best_pairs(operations, {4, true}, 10);
  REQUIRE(pairs.best.size() == 1);
  CHECK(pairs.best[0].strategy == CoRunStrategy::kSiblings);
  CHECK(pairs.best[0].corun_ns == 10);
  CHECK(pairs.best[0].gain_ns() == Approx(3));
}

TEST_CASE("What a plan runs together becomes pairs with what was left of the running operation") {
  const std::vector<CoRunOperation> operations = {timed({{1, 10}}, 0), timed({{1, 6}}, 0), timed({{1, 3}, {2, 2}}, 1)};
  const auto plan = plan_co_running(operations, {2, false});
  const std::vector<CoRunPair> pairs = co_runs_of(operations, plan);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].remaining_a_ns == Approx(10));
  CHECK(pairs[0].gain_ns() == Approx(6));
  // 4 are left; with one thread it takes 3, alone 2.
  CHECK(pairs[1].b == 2);
  CHECK(pairs[1].remaining_a_ns == Approx(4));
  CHECK(pairs[1].latency_b_ns == Approx(3));
  CHECK(pairs[1].serial_ns == Approx(6));
  CHECK(pairs[1].corun_ns == Approx(4));
}

TEST_CASE("Graphs of ten thousand operations take no quadratic walk") {
  constexpr uint32_t kCount = 10'000;
  std::vector<CoRunOperation> chain;
  std::vector<CoRunOperation> ladder;
  for (uint32_t i = 0; i < kCount; ++i) {
    chain.push_back(timed({{1, 100.0 + i % 97}, {2, 60.0 + i % 89}}, 1));
    ladder.push_back(chain.back());
    if (i > 0) chain.back().after = {i - 1};
    if (i > 1) ladder.back().after = {i - 2};
  }
  const auto begin = std::chrono::steady_clock::now();
  const CoRunPairs of_chain = best_pairs(chain, {2, false}, 50);
  CHECK(of_chain.best.empty());
  CHECK_FALSE(of_chain.has_independent);
  const CoRunPairs of_ladder = best_pairs(ladder, {2, false}, 50);
  CHECK(of_ladder.best.size() == 50);
  CHECK(of_ladder.not_examined == 0);
  (void)plan_co_running(ladder, {2, true});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 20);
}

}  // namespace
}  // namespace xsp::test
