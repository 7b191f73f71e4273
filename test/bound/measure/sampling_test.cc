#include "bound/measure/sampling.h"

#include <chrono>
#include <ctime>
#include <thread>

#include "bound/measure/cache_eviction.h"
#include "bound/measure/operand_arena.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

std::chrono::nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void compute_for(std::chrono::microseconds time) {
  const auto end = processor_time() + time;
  while (processor_time() < end) {
  }
}

void sleep_for(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

}  // namespace

TEST_CASE("percentiles come from all samples") {
  Samples samples;
  for (int i = 10; i >= 1; --i) samples.wall_ns.push_back(static_cast<float>(i));
  CHECK(samples.min() == 1);
  CHECK(samples.median() == 5.5);
  CHECK(samples.p90() == 9);
  CHECK_FALSE(samples.cpu_min());
  samples.wall_ns.push_back(11);
  CHECK(samples.median() == 6);
  CHECK(samples.p90() == 10);
  samples.cpu_ns = {6, 5};
  CHECK(samples.cpu_min() == 5.0);
  CHECK(Samples().min() == 0);
  CHECK(Samples().median() == 0);
  CHECK(Samples().p90() == 0);
}

TEST_CASE("short calls are sampled many at a time, and the time is of one") {
  uint64_t calls = 0;
  const Samples samples =
      take_samples([&calls] { ++calls, compute_for(std::chrono::microseconds(5)); }, true, {.budget_ns = 20e6});
  REQUIRE(samples.wall_ns.size() >= 5);
  CHECK(samples.wall_ns.size() <= 400);
  CHECK(samples.cpu_ns.size() == samples.wall_ns.size());
  CHECK(samples.min() >= 5000);
  CHECK(calls >= samples.wall_ns.size() * 10);
}

TEST_CASE("processor time of a thread that only waits for others says nothing, of one that is interrupted it does") {
  const Samples samples = take_samples([] { sleep_for(std::chrono::milliseconds(2)); }, true, {.budget_ns = 40e6});
  CHECK(samples.min() >= 2e6);
  CHECK(samples.cpu_ns.size() == samples.wall_ns.size());
  CHECK_FALSE(samples.cpu_min());
  CHECK_FALSE(Samples{.wall_ns = {100, 100, 100}, .cpu_ns = {49, 1, 30}}.cpu_min());
  CHECK(Samples{.wall_ns = {100, 300, 400}, .cpu_ns = {60, 50, 55}}.cpu_min() == 50.0);
  CHECK(Samples{.wall_ns = {100, 300, 400}, .cpu_ns = {95, 50, 55}}.cpu_min() == 95.0);
  CHECK(take_samples([] {}, false, {.budget_ns = 1e6}).cpu_ns.empty());
}

TEST_CASE("samples are as many as the limits allow") {
  SECTION("at most `most`") {
    const Samples samples = take_samples([] { compute_for(std::chrono::microseconds(1)); }, true,
                                         {.budget_ns = 1e12, .most = 17, .sample_ns = 1e3});
    CHECK(samples.wall_ns.size() == 17);
  }
  SECTION("at least `least`, though the budget is spent") {
    const Samples samples =
        take_samples([] { sleep_for(std::chrono::milliseconds(15)); }, false, {.budget_ns = 60e6, .least = 5});
    CHECK(samples.wall_ns.size() == 5);
  }
  SECTION("fewer where these take ten times the budget") {
    const Samples samples =
        take_samples([] { sleep_for(std::chrono::milliseconds(6)); }, false, {.budget_ns = 1e6, .least = 5});
    CHECK(samples.wall_ns.size() >= 1);
    CHECK(samples.wall_ns.size() <= 2);
  }
  SECTION("one of a call that lasts for ever so long") {
    int calls = 0;
    const Samples samples = take_samples([&calls] { ++calls, sleep_for(std::chrono::milliseconds(30)); }, false,
                                         {.budget_ns = 1e6, .least = 5});
    CHECK(samples.wall_ns.size() == 1);
    CHECK(calls == 2);
  }
}

TEST_CASE("an implementation that another one beats is given up early") {
  SamplingLimits limits{.budget_ns = 200e6, .least = 5, .to_beat_ns = 0.1e6};
  CHECK(take_samples([] { compute_for(std::chrono::milliseconds(1)); }, true, limits).wall_ns.size() == 5);
  limits.to_beat_ns = 5e6;
  CHECK(take_samples([] { compute_for(std::chrono::milliseconds(1)); }, true, limits).wall_ns.size() > 5);
}

TEST_CASE("cold samples evict before each of them") {
  int evictions = 0;
  int calls = 0;
  const auto call = [&calls] { ++calls; };
  const Samples samples =
      take_cold_samples({call, call, call}, [&evictions] { ++evictions; }, true, {.budget_ns = 1e12, .most = 7});
  CHECK(samples.wall_ns.size() == 7);
  CHECK(evictions == 7);
  CHECK(calls == 3 * 8);
  CHECK(take_cold_samples({}, [] {}, true, {}).wall_ns.empty());
}

TEST_CASE("evicted memory is slower to read, in both ways") {
  const auto way = GENERATE(CacheEviction::Way::kBest, CacheEviction::Way::kByWriting);
  constexpr size_t kBytes = 256 << 10;
  OperandArena arena;
  REQUIRE(arena.allocate({kBytes}, 1));
  auto* const words = static_cast<uint64_t*>(arena.buffers(0)[0]);
  // A chain through all lines: no prefetcher hides where the next one comes from.
  constexpr size_t kLines = kBytes / 64;
  for (size_t i = 0; i < kLines; ++i) words[i * 8] = (i * 1021 + 509) % kLines;
  uint64_t line = 0;
  const auto walk = [&] {
    for (size_t i = 0; i < kLines; ++i) line = words[line * 8];
  };
  // More than what the machine says would be needed takes long to read: the second level is what must be left here.
  CacheEviction evict(uint64_t{16} << 20, way);
  const Samples hot = take_samples(walk, true, {.budget_ns = 20e6});
  const Samples cold = take_cold_samples({walk}, [&] { evict(arena.memory()); }, true, {.budget_ns = 100e6});
  CHECK(line < kLines);
  CHECK(*cold.cpu_min() > 1.5 * *hot.cpu_min());
}

}  // namespace xsp::bound
