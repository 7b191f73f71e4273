#pragma once

/// What a recorded span costs, measured the same way for every tracer: bursts with rests in between, in which the
/// tracer's consumer empties its buffers, of the subjects in turn.
///
///     span_cost_TRACER [--bursts N] [--spans N] [--rest-us N] [--pace-us N] [--cpu N] [--fifo PRIORITY]
///     span_cost_TRACER --cpu-time 1 --threads N [--bursts N] [--spans N] [--rest-us N]
///     span_cost_TRACER --rested N --rest-us N [--cpu N] [--fifo PRIORITY]
///
/// Of each subject every other burst is timed in batches of 100 spans (their smallest and median are the
/// figures of a span), every other one span by span, less the median of a probe with nothing in it (the percentiles,
/// and the median of the first ones after a rest, which find the caches cold). With --cpu-time: CPU time of the thread
/// (CLOCK_THREAD_CPUTIME_ID) a span, of whole bursts, of several threads. With --rested: N single spans of each
/// subject, each behind a rest of its own; two clock reads behind such rests, the floor, are the control. Prints one
/// JSON object. Nanoseconds throughout.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <x86intrin.h>

namespace xsp::bench {

struct Settings {
  int bursts = 200;
  int spans = 2000;
  int rest_us = 4000;
  int threads = 1;
  int cpu = -1;
  int fifo = 0;
  int cpu_time = 0;
  int rested = 0;   // single spans, each behind a rest
  int pace_us = 0;  // waited, busily, behind each batch of a burst
};

constexpr int kBatch = 100;

/// A way to record one span. The functions hold the loop, so that nothing is called through a pointer but what the
/// tracer itself calls.
struct Subject {
  std::string name;
  void (*batch)();                                   // kBatch spans
  void (*singles)(uint32_t* ticks, uint32_t count);  // count spans, the ticks of each
};

template <auto Span>
void record_batch() {
  for (int i = 0; i < kBatch; ++i) Span();
}

template <auto Span>
void record_singles(uint32_t* ticks, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t begin = __rdtsc();
    Span();
    ticks[i] = static_cast<uint32_t>(__rdtsc() - begin);
  }
}

template <auto Span>
Subject subject(const char* name) {
  return {name, record_batch<Span>, record_singles<Span>};
}

/// The floor: what no tracer with two timestamps can be below.
inline void two_rdtsc() {
  volatile uint64_t first = __rdtsc();
  volatile uint64_t second = __rdtsc();
  (void)first, (void)second;
}

/// Measures the subjects, the floor among them, and prints. Every subject's first burst is a warm-up: `recorded` tells
/// how many spans of each there were in all.
int measure(int argc, char** argv, const std::vector<Subject>& subjects);

}  // namespace xsp::bench
