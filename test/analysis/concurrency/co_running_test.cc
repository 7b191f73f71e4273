#include "analysis/concurrency/co_running.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::corun_candidate;
using analysis::CoRunLaunch;
using analysis::CoRunOperation;
using analysis::CoRunPlan;
using analysis::CoRunStrategy;
using analysis::Noise;
using analysis::plan_co_running;

using Operations = std::vector<CoRunOperation>;

CoRunOperation operation(std::vector<analysis::ThreadTime> times, uint32_t own, std::vector<uint32_t> after = {}) {
  CoRunOperation made;
  made.times = std::move(times);
  made.after = std::move(after);
  made.own =
      static_cast<uint32_t>(std::ranges::find(made.times, own, &analysis::ThreadTime::threads) - made.times.begin());
  REQUIRE(made.own < made.times.size());
  return made;
}

/// Each later operation waits for each earlier one with this probability; one in four takes no time.
Operations random_operations(size_t count, uint32_t cores, double dependence, Noise* noise) {
  Operations operations(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t before = 0; before < i; ++before) {
      if (noise->happens(dependence)) operations[i].after.push_back(before);
    }
    if (noise->happens(0.25)) continue;
    const double work = 1 + 10 * noise->uniform();
    for (uint32_t threads = 1; threads <= cores; ++threads) {
      if (threads > 1 && noise->happens(0.3)) continue;
      operations[i].times.push_back({threads, work / threads + threads * noise->uniform()});
    }
    const auto& times = operations[i].times;
    operations[i].own = static_cast<uint32_t>(noise->uniform() * static_cast<double>(times.size()));
  }
  return operations;
}

double critical_path(const Operations& operations) {
  std::vector<double> end(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    for (const uint32_t before : operations[i].after) end[i] = std::max(end[i], end[before]);
    double least = operations[i].is_timed() ? std::numeric_limits<double>::infinity() : 0;
    for (const auto& time : operations[i].times) least = std::min(least, time.ns);
    end[i] += least;
  }
  return end.empty() ? 0 : *std::ranges::max_element(end);
}

double least_work(const Operations& operations) {
  double work = 0;
  for (const CoRunOperation& each : operations) {
    double least = each.is_timed() ? std::numeric_limits<double>::infinity() : 0;
    for (const auto& time : each.times) least = std::min(least, time.threads * time.ns);
    work += least;
  }
  return work;
}

/// The shortest schedule there is: all orders of beginning, with all numbers of threads, each as early as it can.
class Optimum {
 public:
  Optimum(const Operations& operations, uint32_t cores)
      : operations_(operations), cores_(cores), placed_(operations.size()) {}

  double find() {
    place(0, 0);
    return best_;
  }

 private:
  struct Placed {
    double begin = 0, end = 0;
    uint32_t threads = 0;
    bool is_placed = false;
  };

  void place(size_t count, double makespan) {
    if (makespan >= best_) return;
    if (count == operations_.size()) {
      best_ = makespan;
      return;
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (placed_[i].is_placed) continue;
      const auto& after = operations_[i].after;
      if (!std::ranges::all_of(after, [&](uint32_t before) { return placed_[before].is_placed; })) continue;
      double from = 0;
      for (const uint32_t before : after) from = std::max(from, placed_[before].end);
      auto times = operations_[i].times;
      if (times.empty()) times.push_back({0, 0});
      for (const auto& time : times) {
        const double begin = earliest(from, time);
        placed_[i] = {begin, begin + time.ns, time.threads, true};
        place(count + 1, std::max(makespan, begin + time.ns));
        placed_[i] = {};
      }
    }
  }

  double earliest(double from, const analysis::ThreadTime& time) const {
    std::vector<double> begins = {from};
    for (const Placed& other : placed_) {
      if (other.is_placed && other.end > from) begins.push_back(other.end);
    }
    std::ranges::sort(begins);
    for (const double begin : begins) {
      if (fits(begin, time)) return begin;
    }
    return begins.back();
  }

  bool fits(double begin, const analysis::ThreadTime& time) const {
    std::vector<double> moments = {begin};
    for (const Placed& other : placed_) {
      if (other.is_placed && other.begin > begin && other.begin < begin + time.ns) moments.push_back(other.begin);
    }
    return std::ranges::all_of(moments, [&](double moment) {
      uint32_t used = time.threads;
      for (const Placed& other : placed_) {
        if (other.is_placed && other.begin <= moment && moment < other.end) used += other.threads;
      }
      return used <= cores_;
    });
  }

  const Operations& operations_;
  uint32_t cores_;
  std::vector<Placed> placed_;
  double best_ = std::numeric_limits<double>::infinity();
};

/// That a plan can be: everything begins once, after what it waits for, and never on more cores than there are.
void check_plan(const Operations& operations, const CoRunPlan& plan, uint32_t cores) {
  constexpr double kRounding = 1e-9;
  std::vector<const CoRunLaunch*> launch_of(operations.size());
  for (const CoRunLaunch& launch : plan.launches) {
    REQUIRE(launch_of[launch.operation] == nullptr);
    launch_of[launch.operation] = &launch;
    uint32_t used = 0;
    for (const CoRunLaunch& other : plan.launches) {
      const bool holds_cores = other.strategy != CoRunStrategy::kSiblings;
      if (holds_cores && other.begin_ns <= launch.begin_ns && launch.begin_ns < other.end_ns) used += other.threads;
    }
    CHECK(used <= cores);
    CHECK(launch.end_ns <= plan.makespan_ns);
  }
  std::vector<double> end(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    CHECK((launch_of[i] != nullptr) == operations[i].is_timed());
    for (const uint32_t before : operations[i].after) end[i] = std::max(end[i], end[before]);
    if (launch_of[i] == nullptr) continue;
    CHECK(launch_of[i]->begin_ns >= end[i] - kRounding);
    end[i] = launch_of[i]->end_ns;
  }
}

TEST_CASE("The example of strategy 3 takes 18 threads") {
  // 20 cores are idle, and the running operation takes 1.9 s more. Fewer threads are better than a shorter time, and
  // 16 threads take too long.
  const auto ready = operation({{16, 2.1}, {18, 1.5}, {20, 1.3}}, 20);
  const auto candidate = corun_candidate(ready, 20, 1.9);
  REQUIRE(candidate.has_value());
  CHECK(ready.times[*candidate].threads == 18);
  CHECK_FALSE(corun_candidate(ready, 17, 1.9).has_value());
  CHECK_FALSE(corun_candidate(ready, 20, 1.2).has_value());
}

TEST_CASE("A number of threads that is far from strategy 2's gives way to it where that fits") {
  const auto ready = operation({{10, 1.9}, {18, 1.5}, {20, 1.3}}, 20);
  CHECK(ready.times[*corun_candidate(ready, 20, 2)].threads == 20);
  CHECK(ready.times[*corun_candidate(ready, 19, 2)].threads == 10);
  CHECK(ready.times[*corun_candidate(ready, 20, 1.4)].threads == 20);
}

TEST_CASE("Only the three fastest numbers of threads are candidates") {
  const auto ready = operation({{1, 9}, {2, 5}, {4, 3}, {8, 2}, {16, 4}}, 8);
  CHECK(ready.times[*corun_candidate(ready, 4, 10)].threads == 4);
  CHECK_FALSE(corun_candidate(ready, 2, 10).has_value());
}

TEST_CASE("An operation that needs few cores leaves the others to one that is ready") {
  // The longer one leaves 20 of 68 cores; what fits begins beside it, and once it has ended nothing is left to wait
  // for.
  const Operations operations = {operation({{48, 1.9}}, 48), operation({{16, 2.1}, {18, 1.5}, {20, 1.3}}, 18)};
  const CoRunPlan plan = plan_co_running(operations, {68, false});
  check_plan(operations, plan, 68);
  REQUIRE(plan.launches.size() == 2);
  CHECK(plan.launches[0].strategy == CoRunStrategy::kAlone);
  CHECK(plan.launches[1].strategy == CoRunStrategy::kIdleCores);
  CHECK(plan.launches[1].threads == 18);
  CHECK(plan.launches[1].beside == 0);
  CHECK(plan.launches[1].idle_cores == 20);
  CHECK(plan.launches[1].remaining_ns == Approx(1.9));
  CHECK(plan.makespan_ns == Approx(1.9));
  CHECK(plan.serial_ns == Approx(3.4));
  // Begin: 1, 2; end: 2, 1.
  CHECK(plan.average_running == Approx(1.5));
}

TEST_CASE("Of several that fit the one that ends last begins, and nothing outlasts what it runs beside") {
  const Operations operations = {operation({{1, 10}}, 1), operation({{1, 3}}, 1), operation({{1, 8}}, 1),
                                 operation({{1, 11}}, 1, {1})};
  const CoRunPlan plan = plan_co_running(operations, {2, false});
  check_plan(operations, plan, 2);
  REQUIRE(plan.launches.size() == 4);
  CHECK(plan.launches[1].operation == 2);
  // 2 of the 10 are left: nothing that is ready is so short.
  CHECK(plan.launches[2].operation == 1);
  CHECK(plan.launches[2].begin_ns == Approx(10));
  CHECK(plan.makespan_ns == Approx(24));
}

TEST_CASE("Operations that wait for one another gain nothing") {
  Operations chain;
  for (uint32_t i = 0; i < 20; ++i) {
    chain.push_back(operation({{1, 2.0 + i}, {2, 1.5 + i}}, i % 2 + 1));
    if (i > 0) chain.back().after = {i - 1};
  }
  const CoRunPlan plan = plan_co_running(chain, {8, true});
  check_plan(chain, plan, 8);
  CHECK(plan.makespan_ns == Approx(plan.serial_ns));
  CHECK(plan.average_running == 1);
  CHECK(
      std::ranges::all_of(plan.launches, [](const auto& launch) { return launch.strategy == CoRunStrategy::kAlone; }));
}

TEST_CASE("Beside an operation on all cores the shortest one runs on sibling threads, where there are any") {
  const Operations operations = {operation({{1, 300}, {68, 10}}, 68), operation({{1, 4}, {2, 3}}, 2),
                                 operation({{1, 5}, {2, 3}}, 2), operation({{1, 9}, {2, 6}}, 2)};
  const CoRunPlan plan = plan_co_running(operations, {68, true});
  check_plan(operations, plan, 68);
  REQUIRE(plan.launches.size() == 4);
  CHECK(plan.launches[1].operation == 1);
  CHECK(plan.launches[1].strategy == CoRunStrategy::kSiblings);
  CHECK(plan.launches[1].threads == 1);
  // One at a time; the one of 5 ends at 9, and there is no time for the one of 9.
  CHECK(plan.launches[2].operation == 2);
  CHECK(plan.launches[2].begin_ns == Approx(4));
  CHECK(plan.launches[3].begin_ns == Approx(10));
  CHECK(plan.makespan_ns == Approx(16));

  const CoRunPlan without = plan_co_running(operations, {68, false});
  CHECK(without.launches[1].begin_ns == Approx(10));
  CHECK(without.launches[1].operation == 3);
}

TEST_CASE("Plans are possible and lie between the optimum and one after another") {
  Noise noise(5);
  size_t better_than_serial = 0;
  for (int round = 0; round < 300; ++round) {
    const uint32_t cores = 2 + static_cast<uint32_t>(round % 3);
    const Operations operations = random_operations(5, cores, 0.1 + 0.1 * (round % 4), &noise);
    const CoRunPlan plan = plan_co_running(operations, {cores, false});
    check_plan(operations, plan, cores);
    constexpr double kRounding = 1e-9;
    const double optimum = Optimum(operations, cores).find();
    CHECK(optimum >= critical_path(operations) - kRounding);
    CHECK(optimum >= least_work(operations) / cores - kRounding);
    CHECK(plan.makespan_ns >= optimum - kRounding);
    CHECK(plan.makespan_ns <= plan.serial_ns + kRounding);
    better_than_serial += plan.makespan_ns < plan.serial_ns - kRounding;
  }
  CHECK(better_than_serial > 50);
}

TEST_CASE("Plans with sibling threads are possible, too, and not longer than one after another") {
  Noise noise(6);
  for (int round = 0; round < 300; ++round) {
    const Operations operations = random_operations(30, 4, 0.05, &noise);
    const CoRunPlan plan = plan_co_running(operations, {4, true});
    check_plan(operations, plan, 4);
    CHECK(plan.makespan_ns <= plan.serial_ns + 1e-6);
    CHECK(plan.makespan_ns >= critical_path(operations) - 1e-6);
    CHECK(plan.average_running >= 1);
  }
}

TEST_CASE("What takes no time hands on what waits for it") {
  Operations operations = {operation({{1, 2}}, 1), {}, {}, operation({{1, 3}}, 1, {2})};
  operations[1].after = {0};
  operations[2].after = {1};
  const CoRunPlan plan = plan_co_running(operations, {2, false});
  CHECK(plan.makespan_ns == Approx(5));
  CHECK(plan.average_running == 1);
  const CoRunPlan nothing = plan_co_running({{}, {}}, {2, false});
  CHECK(nothing.makespan_ns == 0);
  CHECK(nothing.average_running == 0);
}

}  // namespace
}  // namespace xsp::test
