#include "analysis/waves/co_scheduling.h"

#include <algorithm>
#include <random>

#include "analysis/waves/wavefront_packing.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

constexpr double kMillisecond = 1e6;

/// 80 multiprocessors like those of a V100.
PackedDevice made_device() { return {80, {64, 65536, 98304, 32}, 0}; }

/// Of `blocks` blocks, one of which fills a multiprocessor's warps.
LaunchNeeds whole_blocks(uint64_t blocks) { return {0, blocks, 1, {64, 32768, 1024, 1}}; }

CoSchedule made_schedule(const std::vector<std::pair<LaunchNeeds, double>>& kernels) {
  CoSchedule schedule;
  schedule.devices = {made_device()};
  for (const auto& [needs, ms] : kernels) {
    const auto number = static_cast<uint32_t>(schedule.launches.size());
    schedule.launches.push_back(needs);
    schedule.kernels.push_back({.latency_ns = ms * kMillisecond, .launch = number, .group = number});
    schedule.after.emplace_back();
  }
  return schedule;
}

struct Terms {
  double serial_ms = 0;
  double critical_ms = 0;
  double work_ms = 0;
  double bound_ms = 0;
  double packed_ms = 0;  // of the greedy scheduler alone
  BoundTerm limited_by = BoundTerm::kNone;
};

Terms terms_of(const CoSchedule& schedule) {
  ScheduleSums sums;
  for (const ScheduledKernel& kernel : schedule.kernels) sums.add(schedule, kernel);
  const auto critical = critical_path_ns(schedule);
  REQUIRE(critical);
  const CoSchedulingBound bound = bound_of(sums, critical);
  const auto packing = pack(schedule);
  REQUIRE(packing);
  return {sums.serial_ns() / kMillisecond, *critical / kMillisecond,   sums.work().ns / kMillisecond,
          bound.ns / kMillisecond,         packing->ns / kMillisecond, bound.limited_by};
}

}  // namespace

TEST_CASE("two kernels of half a wave need half the time side by side") {
  const Terms terms = terms_of(made_schedule({{whole_blocks(40), 10}, {whole_blocks(40), 10}}));
  CHECK(terms.serial_ms == Approx(20));
  CHECK(terms.critical_ms == Approx(10));
  CHECK(terms.work_ms == Approx(10));
  CHECK(terms.bound_ms == Approx(10));
  CHECK(terms.packed_ms == Approx(10));
  CHECK(gain_pct(terms.serial_ms, terms.bound_ms) == Approx(100));
}

TEST_CASE("two kernels of a whole wave gain nothing") {
  const Terms terms = terms_of(made_schedule({{whole_blocks(80), 10}, {whole_blocks(80), 10}}));
  CHECK(terms.bound_ms == Approx(20));
  CHECK(terms.packed_ms == Approx(20));
  CHECK(terms.limited_by == BoundTerm::kWarps);
  CHECK(gain_pct(terms.serial_ms, terms.bound_ms) == Approx(0));
}

TEST_CASE("the work of a kernel with one block in its second wave is little more than a wave") {
  const Terms terms = terms_of(made_schedule({{whole_blocks(81), 20}}));
  CHECK(terms.work_ms == Approx(10.125));
  CHECK(terms.bound_ms == Approx(20));  // its own latency
  CHECK(terms.packed_ms == Approx(20));
  CHECK(terms.limited_by == BoundTerm::kCriticalPath);
}

TEST_CASE("kernels that are limited by different resources fit together") {
  // Each has every slot that it can have: one by shared memory, the other by warps.
  const LaunchNeeds by_shared{0, 80, 1, {8, 8192, 98304 - 4096, 1}};
  const LaunchNeeds by_warps{0, 80, 1, {56, 57344, 4096, 1}};
  const Terms terms = terms_of(made_schedule({{by_shared, 10}, {by_warps, 10}}));
  CHECK(terms.serial_ms == Approx(20));
  CHECK(terms.bound_ms == Approx(10));
  CHECK(terms.packed_ms == Approx(10));
}

TEST_CASE("a chain gains nothing, whatever it leaves idle") {
  auto schedule = made_schedule({{whole_blocks(1), 3}, {whole_blocks(200), 5}, {whole_blocks(7), 2}});
  schedule.after = {{}, {0}, {1}};
  Terms terms = terms_of(schedule);
  CHECK(terms.critical_ms == Approx(10));
  CHECK(terms.bound_ms == Approx(10));
  CHECK(terms.packed_ms == Approx(10));
  CHECK(terms.limited_by == BoundTerm::kCriticalPath);
  // The same as one group, whose kernels keep their order.
  for (ScheduledKernel& kernel : schedule.kernels) kernel.group = 0;
  schedule.after = {{}};
  terms = terms_of(schedule);
  CHECK(terms.bound_ms == Approx(10));
  CHECK(terms.packed_ms == Approx(10));
}

TEST_CASE("a dependency holds through a node without kernels") {
  auto schedule = made_schedule({{whole_blocks(1), 3}, {whole_blocks(1), 5}});
  schedule.kernels[1].group = 2;
  schedule.after = {{}, {0}, {1}};
  const Terms terms = terms_of(schedule);
  CHECK(terms.critical_ms == Approx(8));
  CHECK(terms.packed_ms == Approx(8));
}

TEST_CASE("a kernel of no group is free in the bound and a barrier in the packing") {
  auto schedule = made_schedule({{whole_blocks(10), 4}, {whole_blocks(10), 3}, {whole_blocks(10), 4}});
  schedule.kernels[1].group = kNoKernelGroup;
  const Terms terms = terms_of(schedule);
  CHECK(terms.critical_ms == Approx(4));
  CHECK(terms.packed_ms == Approx(11));
}

TEST_CASE("groups that wait for each other have no path and no packing") {
  auto schedule = made_schedule({{whole_blocks(1), 3}, {whole_blocks(1), 5}});
  schedule.after = {{1}, {0}};
  CHECK_FALSE(critical_path_ns(schedule));
  CHECK_FALSE(pack(schedule));
  // Launched before a barrier, but waiting for what was launched behind it.
  schedule = made_schedule({{whole_blocks(1), 3}, {whole_blocks(1), 5}, {whole_blocks(1), 5}});
  schedule.kernels[1].group = kNoKernelGroup;
  schedule.after = {{2}, {}, {}};
  CHECK(critical_path_ns(schedule));
  CHECK_FALSE(pack(schedule));
}

TEST_CASE("without an order no bound is below the longest kernel") {
  // Side by side they need 9 · 40 / 80 and 1 · 40 / 80 of the multiprocessors' time.
  const auto schedule = made_schedule({{whole_blocks(40), 9}, {whole_blocks(40), 1}});
  ScheduleSums sums;
  for (const ScheduledKernel& kernel : schedule.kernels) sums.add(schedule, kernel);
  CHECK(sums.work().ns == Approx(5 * kMillisecond));
  const CoSchedulingBound bound = bound_of(sums, {});
  CHECK(bound.ns == Approx(9 * kMillisecond));
  CHECK(name_of(bound.limited_by) == "longest kernel");
}

TEST_CASE("kernels of unknown needs add no work and take whole multiprocessors") {
  auto schedule = made_schedule({{whole_blocks(10), 4}, {{0, 10, 0, {}}, 3}});
  const Terms terms = terms_of(schedule);
  CHECK(terms.work_ms == Approx(4 * 10 / 80.0));
  CHECK(terms.bound_ms == Approx(4));
  // It takes the 70 free multiprocessors, and ten of them again: those of the other kernel are not free then.
  CHECK(terms.packed_ms == Approx(6));
}

TEST_CASE("memory bounds only where all bytes are known and could have been moved") {
  auto schedule = made_schedule({{whole_blocks(1), 3}, {whole_blocks(1), 5}});
  schedule.devices[0].bytes_per_second = 1e9;  // 1 byte a ns
  const auto sums_of = [&] {
    ScheduleSums sums;
    for (const ScheduledKernel& kernel : schedule.kernels) sums.add(schedule, kernel);
    return sums;
  };
  schedule.kernels[0].dram_bytes = 2 * kMillisecond;
  CHECK_FALSE(sums_of().memory_ns());
  schedule.kernels[1].dram_bytes = 4 * kMillisecond;
  CHECK(*sums_of().memory_ns() == Approx(6 * kMillisecond));
  CHECK(bound_of(sums_of(), 5 * kMillisecond).limited_by == BoundTerm::kMemory);
  CHECK(bound_of(sums_of(), 5 * kMillisecond).ns == Approx(6 * kMillisecond));
  CHECK(gain_pct(8, 6) == Approx(33.333333));
  schedule.kernels[1].dram_bytes = 7 * kMillisecond;
  CHECK(bound_of(sums_of(), 5 * kMillisecond).memory_is_too_long);
  CHECK(bound_of(sums_of(), 5 * kMillisecond).ns == Approx(5 * kMillisecond));
}

TEST_CASE("work is that of the device that has most") {
  auto schedule = made_schedule({{whole_blocks(80), 10}, {whole_blocks(80), 6}});
  schedule.devices.push_back(made_device());
  schedule.launches[1].device = 1;
  const Terms terms = terms_of(schedule);
  CHECK(terms.work_ms == Approx(10));
  CHECK(terms.packed_ms == Approx(10));
}

namespace {

struct MadeDag {
  CoSchedule schedule;
  std::vector<std::vector<bool>> before;  // transitive
};

MadeDag random_dag(std::mt19937* random) {
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>((*random)() % end); };
  std::vector<std::pair<LaunchNeeds, double>> kernels;
  const uint32_t count = 2 + below(7);
  const PackedDevice device = made_device();
  for (uint32_t i = 0; i < count; ++i) {
    LaunchNeeds needs{
        0, 1 + below(i % 2 == 0 ? 3000 : 200), 0, {1 + below(16), 256 * (1 + below(60)), 256 * below(100), 1}};
    needs.blocks_per_sm = 32;
    for (size_t r = 0; r < kSlotResources; ++r) {
      if (needs.of_block[r] != 0) {
        needs.blocks_per_sm = std::min(needs.blocks_per_sm, device.capacity[r] / needs.of_block[r]);
      }
    }
    if (needs.blocks_per_sm > 1 && below(3) == 0) --needs.blocks_per_sm;  // as quarters of the registers do
    kernels.emplace_back(needs, 1 + below(100));
  }
  MadeDag dag{made_schedule(kernels), std::vector(count, std::vector<bool>(count))};
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = 0; k < i; ++k) {
      if (below(3) != 0) continue;
      dag.schedule.after[i].push_back(k);
      dag.before[k][i] = true;
    }
  }
  for (uint32_t m = 0; m < count; ++m) {
    for (uint32_t a = 0; a < count; ++a) {
      for (uint32_t b = 0; b < count; ++b)
        dag.before[a][b] = dag.before[a][b] || (dag.before[a][m] && dag.before[m][b]);
    }
  }
  return dag;
}

/// The longest chain, by trying all sets.
double longest_chain(const MadeDag& dag) {
  const auto& kernels = dag.schedule.kernels;
  double longest = 0;
  for (uint32_t set = 1; set < 1u << kernels.size(); ++set) {
    bool is_chain = true;
    double sum = 0;
    for (size_t i = 0; i < kernels.size() && is_chain; ++i) {
      if ((set >> i & 1) == 0) continue;
      sum += kernels[i].latency_ns;
      for (size_t k = 0; k < i; ++k) is_chain = is_chain && ((set >> k & 1) == 0 || dag.before[k][i]);
    }
    if (is_chain) longest = std::max(longest, sum);
  }
  return longest;
}

/// Resources of each multiprocessor that blocks use on average over the whole time, counted wave by wave.
double most_work(const CoSchedule& schedule) {
  double most = 0;
  const PackedDevice& device = schedule.devices[0];
  for (size_t r = 0; r < kSlotResources; ++r) {
    double work = 0;
    for (const ScheduledKernel& kernel : schedule.kernels) {
      const LaunchNeeds& needs = schedule.launches[kernel.launch];
      const uint64_t wave = uint64_t{needs.blocks_per_sm} * device.multiprocessors;
      uint64_t waves = 0;
      for (uint64_t blocks = needs.blocks; blocks != 0; blocks -= std::min(blocks, wave)) ++waves;
      work += kernel.latency_ns / static_cast<double>(waves) * static_cast<double>(needs.blocks) * needs.of_block[r];
    }
    most = std::max(most, work / (double{80} * device.capacity[r]));
  }
  return most;
}

}  // namespace

TEST_CASE("random graphs: terms are those of brute force, and no packing is below the bound or out of order") {
  std::mt19937 random(7);
  size_t gains = 0;
  for (int round = 0; round < 500; ++round) {
    const MadeDag dag = random_dag(&random);
    const CoSchedule& schedule = dag.schedule;
    const Terms terms = terms_of(schedule);
    CHECK(terms.critical_ms == Approx(longest_chain(dag) / kMillisecond));
    CHECK(terms.work_ms == Approx(most_work(schedule) / kMillisecond));
    CHECK(terms.bound_ms == Approx(std::max(terms.critical_ms, terms.work_ms)));
    CHECK(terms.bound_ms <= terms.packed_ms * (1 + 1e-9));
    CHECK(terms.bound_ms <= terms.serial_ms * (1 + 1e-9));
    gains += terms.packed_ms < terms.serial_ms * 0.9 ? 1 : 0;
    const auto packing = pack(schedule);
    REQUIRE(packing->runs.size() == schedule.kernels.size());
    std::vector<PackedRun> runs(packing->runs.size());
    for (const PackedRun& run : packing->runs) runs[run.kernel] = run;
    for (size_t a = 0; a < runs.size(); ++a) {
      CHECK(runs[a].end_ns - runs[a].begin_ns >= schedule.kernels[a].latency_ns * (1 - 1e-9));
      for (size_t b = 0; b < runs.size(); ++b) {
        if (dag.before[a][b]) CHECK(runs[a].end_ns <= runs[b].begin_ns);
      }
    }
  }
  CHECK(gains > 50);  // else the test would say nothing
}

TEST_CASE("a kernel alone takes its latency, with few or very many waves") {
  for (const uint64_t blocks : {uint64_t{1}, uint64_t{79}, uint64_t{81}, uint64_t{12'345'678}, uint64_t{1} << 62}) {
    const auto schedule = made_schedule({{whole_blocks(blocks), 10}, {whole_blocks(1), 0.001}});
    const auto packing = pack(schedule);
    REQUIRE(packing);
    CHECK(packing->ns >= 10 * kMillisecond);
    CHECK(packing->ns <= 10 * kMillisecond * 1.05);
  }
}

TEST_CASE("two million kernels are packed in order and without overflow") {
  CoSchedule schedule;
  schedule.devices = {made_device()};
  schedule.launches = {whole_blocks(40), whole_blocks(uint64_t{1} << 40)};
  constexpr uint32_t kKernels = 2'000'000;
  for (uint32_t i = 0; i < kKernels; ++i) {
    schedule.kernels.push_back({.latency_ns = 1000, .launch = i % 100 == 0 ? 1u : 0u, .group = i});
    schedule.after.emplace_back();
    if (i >= 2) schedule.after.back().push_back(i - 2);
  }
  const Terms terms = terms_of(schedule);
  CHECK(terms.serial_ms == Approx(kKernels * 1e-3));
  CHECK(terms.critical_ms == Approx(kKernels * 1e-3 / 2));
  CHECK(terms.bound_ms <= terms.packed_ms);
  CHECK(terms.packed_ms < terms.serial_ms);
}

}  // namespace xsp::analysis
