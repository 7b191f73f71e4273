#pragma once

/// What a recorded span costs, measured the same way for every tracer: bursts of each subject in turn, with rests in
/// between in which the tracer's consumer empties its buffers.
///
///     span_cost_TRACER [--bursts N] [--spans N] [--rest-us N] [--pace-us N] [--cpu N] [--fifo PRIORITY]
///     span_cost_TRACER --cpu-time 1 --threads N [--bursts N] [--spans N] [--rest-us N]
///     span_cost_TRACER --rested N --rest-us N [--cpu N] [--fifo PRIORITY]
///
/// Every other burst of each subject is timed in batches of 100 spans (their smallest and median are the figures of a
/// span), the rest span by span, less the median of an empty probe (the percentiles, and the median of the first spans
/// after a rest, which find the caches cold). With --cpu-time: CPU time of the thread (CLOCK_THREAD_CPUTIME_ID) per
/// span, over whole bursts, of several threads. With --rested: N single spans of each subject, each after its own rest;
/// two clock reads after such rests, the floor, are the control. Prints one JSON object. Nanoseconds throughout.

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
  int rested = 0;   // single spans, each after a rest
  int pace_us = 0;  // busy wait after each batch of a burst
};

constexpr int kBatch = 100;

/// A way to record one span. The functions contain the loop, so that the only calls through pointers are the tracer's
/// own.
struct Subject {
  std::string name;
  void (*batch)();                                   // records kBatch spans
  void (*singles)(uint32_t* ticks, uint32_t count);  // records `count` spans, and the ticks of each
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

/// The floor: no tracer with two timestamps can be faster.
inline void two_rdtsc() {
  volatile uint64_t first = __rdtsc();
  volatile uint64_t second = __rdtsc();
  (void)first, (void)second;
}

/// Measures the subjects, including the floor, and prints. Every subject's first burst is a warm-up: `recorded` says
/// how many spans of each there were in all.
int measure(int argc, char** argv, const std::vector<Subject>& subjects);

}  // namespace xsp::bench
