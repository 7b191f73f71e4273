/// R2's terms and packing of made-up schedules: two million kernels, many that wait for nothing, grids of very many
/// waves.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>

#include "analysis/waves/co_scheduling.h"
#include "analysis/waves/wavefront_packing.h"

namespace {

using xsp::analysis::CoSchedule;
using xsp::analysis::LaunchNeeds;
using xsp::analysis::ScheduledKernel;
using xsp::analysis::ScheduleSums;

/// On 132 multiprocessors, with 64 kinds of launches. Each kernel is a group, which waits for the `branches`th before
/// it; 0: for none.
CoSchedule made_schedule(uint32_t kernels, uint32_t branches, uint64_t waves) {
  CoSchedule schedule;
  schedule.devices = {{132, {64, 65536, 233472, 32}, 3.35e12}};
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t blocks_per_sm = 1 + i % 8;
    schedule.launches.push_back(
        {0, 132 * blocks_per_sm * waves * (i + 1) / 64 + 1, blocks_per_sm, {8, 8192 - 256 * (i % 4), 1024 * i, 1}});
  }
  schedule.kernels.reserve(kernels);
  schedule.after.resize(kernels);
  for (uint32_t i = 0; i < kernels; ++i) {
    schedule.kernels.push_back({.latency_ns = 1000.0 + i % 977, .dram_bytes = 4096, .launch = i % 64, .group = i});
    if (branches != 0 && i >= branches) schedule.after[i].push_back(i - branches);
  }
  return schedule;
}

void sum_and_path(benchmark::State& state) {
  const CoSchedule schedule = made_schedule(static_cast<uint32_t>(state.range(0)), 2, 4);
  for (auto _ : state) {
    ScheduleSums sums;
    for (const ScheduledKernel& kernel : schedule.kernels) sums.add(schedule, kernel);
    benchmark::DoNotOptimize(bound_of(sums, critical_path_ns(schedule)));
  }
}

/// Arguments: kernels, branches, waves.
void packing(benchmark::State& state) {
  const CoSchedule schedule =
      made_schedule(static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)),
                    static_cast<uint64_t>(state.range(2)));
  for (auto _ : state) benchmark::DoNotOptimize(pack(schedule));
}

BENCHMARK(sum_and_path)->Arg(2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(packing)
    ->Args({2'000'000, 1, 4})             // a chain
    ->Args({2'000'000, 2, 4})             // two chains
    ->Args({200'000, 8, 4})               // eight
    ->Args({20'000, 0, 1})                // all at once
    ->Args({1'000, 4, int64_t{1} << 40})  // very many waves
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
