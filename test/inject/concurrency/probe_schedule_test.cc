#include "inject/concurrency/probe_schedule.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::LayerCurve;
using xsp::guest::ProbeOptions;
using xsp::guest::ProbeSchedule;

using Law = std::function<double(uint32_t threads)>;

/// Runs a model of layers whose times follow laws until the schedule is done; the numbers of threads of its calls.
std::vector<uint32_t> probed(const ProbeOptions& options, const std::vector<Law>& laws) {
  std::vector<LayerCurve> curves(laws.size() + 1);
  ProbeSchedule schedule{};
  schedule.begin(options, curves.data(), static_cast<uint32_t>(curves.size()));
  std::vector<uint32_t> layers;
  for (size_t i = 0; i < laws.size(); ++i) layers.push_back(schedule.add_layer());
  std::vector<uint32_t> calls;
  while (!schedule.is_done() && calls.size() < 10'000) {
    calls.push_back(schedule.next());
    // Noise of one percent, the same for all numbers over the rounds.
    const double noise = 1 + 0.01 * static_cast<double>(calls.size() / 3 % 5);
    double total = 0;
    for (size_t i = 0; i < laws.size(); ++i) {
      const double time = laws[i](calls.back()) * noise;
      schedule.add_time(layers[i], time);
      total += time;
    }
    schedule.finish_call(total, true);
  }
  return calls;
}

uint32_t most_threads(const std::vector<uint32_t>& calls) { return *std::max_element(calls.begin(), calls.end()); }
auto times_of(const std::vector<uint32_t>& calls, uint32_t threads) {
  return std::count(calls.begin(), calls.end(), threads);
}

TEST_CASE("probes begin at one thread and end behind the best of all layers") {
  // 36/n + n is least at 6, 9/n + n at 3.
  const auto calls = probed({.cores = 32, .interval = 1, .own = 32, .validate = false},
                            {[](uint32_t n) { return 36.0 / n + n; }, [](uint32_t n) { return 9.0 / n + n; }});
  CHECK(calls.front() == 1);
  CHECK(times_of(calls, 7) > 0);
  CHECK(times_of(calls, 9) == 0);
}

TEST_CASE("a stage of short calls goes on to thirty of them, one of long calls does not") {
  const Law law = [](uint32_t n) { return 8.0 / n; };
  const auto options = [](double stage_time) {
    return ProbeOptions{.cores = 2, .interval = 1, .own = 2, .validate = false, .stage_time = stage_time};
  };
  CHECK(times_of(probed(options(1e6), {law}), 2) == 31);
  // About 12 for a round of the two numbers.
  CHECK(times_of(probed(options(120), {law}), 2) == 10);
  CHECK(times_of(probed(options(1), {law}), 2) == 6);
}

TEST_CASE("neighbours and the program's own number take turns until the larger one has five calls after a warm-up") {
  const auto calls =
      probed({.cores = 2, .interval = 1, .own = 8, .validate = false}, {[](uint32_t n) { return 8.0 / n; }});
  REQUIRE(calls.size() == 18);
  for (size_t i = 0; i < calls.size(); ++i) CHECK(calls[i] == (i % 3 == 0 ? 1U : i % 3 == 1 ? 2U : 8U));
}

TEST_CASE("an own number that is a probe has no turn of its own") {
  const auto calls =
      probed({.cores = 2, .interval = 1, .own = 2, .validate = false}, {[](uint32_t n) { return 8.0 / n; }});
  CHECK(calls.size() == 12);
  CHECK(times_of(calls, 2) == 6);
}

TEST_CASE("a time that only falls is probed up to the cores, the last step shortened") {
  const auto calls =
      probed({.cores = 10, .interval = 4, .own = 1, .validate = false}, {[](uint32_t n) { return 100.0 / n; }});
  CHECK(most_threads(calls) == 10);
  CHECK(times_of(calls, 5) > 0);
  CHECK(times_of(calls, 9) > 0);
  CHECK(times_of(calls, 2) == 0);
}

TEST_CASE("the interval is a sixteenth of the cores where none was chosen") {
  const auto calls =
      probed({.cores = 68, .interval = 0, .own = 68, .validate = false}, {[](uint32_t n) { return 100.0 / n; }});
  CHECK(times_of(calls, 5) > 0);
  CHECK(times_of(calls, 2) == 0);
  CHECK(most_threads(calls) == 68);
}

TEST_CASE("with validation every number is measured, whatever rises") {
  const auto calls =
      probed({.cores = 6, .interval = 3, .own = 6, .validate = true}, {[](uint32_t n) { return 1.0 * n; }});
  for (uint32_t n = 1; n <= 6; ++n) CHECK(times_of(calls, n) >= 5);
}

TEST_CASE("layers that take next to no time keep no probe running") {
  const auto calls = probed({.cores = 32, .interval = 1, .own = 32, .validate = false},
                            {[](uint32_t n) { return 1000.0 * n; }, [](uint32_t n) { return 0.001 / n; }});
  CHECK(most_threads(calls) == 32);  // the program's own
  CHECK(times_of(calls, 3) == 0);
}

TEST_CASE("with one core nothing is probed") {
  LayerCurve curve{};
  ProbeSchedule schedule{};
  schedule.begin({.cores = 1, .interval = 1, .own = 2, .validate = true}, &curve, 1);
  CHECK(schedule.is_done());
  CHECK(schedule.next() == 2);
}

TEST_CASE("a call that does not count has its turn again") {
  LayerCurve curve{};
  ProbeSchedule schedule{};
  schedule.begin({.cores = 4, .interval = 1, .own = 4, .validate = false}, &curve, 1);
  REQUIRE(schedule.next() == 1);
  for (int i = 0; i < 3; ++i) schedule.finish_call(5, false);
  CHECK(schedule.next() == 1);
  schedule.finish_call(5, true);
  CHECK(schedule.next() == 2);
}

TEST_CASE("layers beyond the memory for curves are left out") {
  LayerCurve curves[2]{};
  ProbeSchedule schedule{};
  schedule.begin({.cores = 4, .interval = 1, .own = 4, .validate = false}, curves, 2);
  CHECK(schedule.add_layer() == 1);
  CHECK(schedule.add_layer() == 0);
  schedule.add_time(7, 1);
}

}  // namespace
