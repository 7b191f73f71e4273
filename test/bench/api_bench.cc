// What one span costs in the program's thread. The binary links libxsp, whose functions do nothing: run plainly it
// gives the cost of a PLT call; preloading the guest without a socket, of the guest when off; under xsp-run, of
// recording. scripts/bench runs the three and prints the ratios.
#include <benchmark/benchmark.h>
#include <x86intrin.h>

#include "xsp.h"

namespace {

void two_clock_reads(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(__rdtsc());
    benchmark::DoNotOptimize(__rdtsc());
  }
}

void plt_call(benchmark::State& state) {
  for (auto _ : state) xsp_finish_span(0);
}

void span(benchmark::State& state) {
  const xsp_name name = xsp_intern("span");
  for (auto _ : state) xsp_finish_span(xsp_start_span(name, XSP_LAYER));
}

void nested_spans(benchmark::State& state) {
  const xsp_name outer_name = xsp_intern("outer");
  const xsp_name inner_name = xsp_intern("inner");
  for (auto _ : state) {
    const xsp_span outer = xsp_start_span(outer_name, XSP_MODEL);
    xsp_finish_span(xsp_start_span(inner_name, XSP_LAYER));
    xsp_finish_span(outer);
  }
}

BENCHMARK(two_clock_reads);
BENCHMARK(plt_call);
BENCHMARK(span);
BENCHMARK(nested_spans);

}  // namespace

BENCHMARK_MAIN();
