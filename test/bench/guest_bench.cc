// What recording one span costs the program's thread, against the two clock reads it cannot do without, in one binary.
// Spans come in bursts of half a ring, the sender empties it in between: a program that never rests drops spans, which
// is another cost. Times are of the thread's CPU. Everything a recorded span needs is here, with a collector listening
// (a child that discards).
#include <benchmark/benchmark.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "inject/send/sender.h"

namespace {

using namespace xsp::guest;

constexpr int kBurst = xsp::shm::kRingRecords / 2;

/// Accepts guests on XSP_SOCKET and throws away what they send, in a process of its own.
void listen_in_child() {
  char path[] = "/tmp/xsp-bench-XXXXXX";
  const int placeholder = mkstemp(path);
  close(placeholder);
  unlink(path);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 1) != 0) abort();
  setenv("XSP_SOCKET", path, 1);
  if (fork() != 0) {
    close(listener);
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int guest = accept(listener, nullptr, nullptr);
  unlink(path);
  static char buffer[1 << 20];
  while (read(guest, buffer, sizeof buffer) > 0) {
  }
  _exit(0);
}

void wait_for_sender(Thread& thread) {
  const timespec pause{0, 1'000'000};
  while (thread.ring->sent.load() != thread.ring->head.load()) {
    if (Process* process = awake_process()) wake_sender(*process);
    nanosleep(&pause, nullptr);
  }
  find_room(thread, 1);
}

template <typename Work>
void burst(benchmark::State& state, Work&& work) {
  Thread* thread = recording_thread();
  if (thread == nullptr) {
    state.SkipWithError("the guest is off");
    return;
  }
  for (auto _ : state) {
    wait_for_sender(*thread);
    const uint64_t begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kBurst; ++i) work(*thread);
    state.SetIterationTime(static_cast<double>(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e-9 / kBurst);
  }
  state.counters["dropped"] = static_cast<double>(thread->ring->dropped.load());
}

void two_clock_reads(benchmark::State& state) {
  burst(state, [](Thread&) {
    benchmark::DoNotOptimize(now());
    benchmark::DoNotOptimize(now());
  });
}

void record_span(benchmark::State& state) {
  const uint32_t name = intern("span");
  burst(state, [name](Thread& thread) {
    const uint32_t slot = open_span(thread, 3, 2, name, name, 0);
    close_span(thread, slot, now(), 0, {});
  });
}

void api_span(benchmark::State& state) {
  const uint32_t name = intern("span");
  burst(state, [name](Thread&) { finish_span(start_span(name, 3, 1, 0, 0), {}); });
}

void intern_known_string(benchmark::State& state) {
  burst(state, [](Thread&) { benchmark::DoNotOptimize(intern("layers.3.0.conv1")); });
}

uint64_t cpu_now() { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

void one_span(Thread& thread, uint32_t name) {
  const uint32_t slot = open_span(thread, 3, 2, name, name, 0);
  close_span(thread, slot, now(), 0, {});
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Both in turn, so that what the machine does besides meets both. `ratio_*`: of minima, and of medians of rounds.
void span_over_clock_reads(benchmark::State& state) {
  Thread* thread = recording_thread();
  const uint32_t name = intern("span");
  std::vector<double> reads;
  std::vector<double> spans;
  for (auto _ : state) {
    wait_for_sender(*thread);
    const uint64_t begin = cpu_now();
    for (int i = 0; i < kBurst; ++i) {
      benchmark::DoNotOptimize(now());
      benchmark::DoNotOptimize(now());
    }
    const uint64_t middle = cpu_now();
    for (int i = 0; i < kBurst; ++i) one_span(*thread, name);
    const uint64_t end = cpu_now();
    reads.push_back(static_cast<double>(middle - begin) / kBurst);
    spans.push_back(static_cast<double>(end - middle) / kBurst);
    state.SetIterationTime(spans.back() * 1e-9);
  }
  state.counters["ratio_min"] =
      *std::min_element(spans.begin(), spans.end()) / *std::min_element(reads.begin(), reads.end());
  state.counters["ratio_median"] = median(spans) / median(reads);
}

/// Single spans apart from each other, and two clock reads in turn with them: what the machine does besides. The two
/// clock reads of the measuring are in both. The argument: clock ticks from one to the next.
void tail_of_a_span(benchmark::State& state) {
  constexpr size_t kSpans = 1'000'000;
  Thread* thread = recording_thread();
  const uint32_t name = intern("span");
  for (int i = 0; i < 4; ++i) {
    wait_for_sender(*thread);
    for (int j = 0; j < kBurst; ++j) one_span(*thread, name);
  }
  wait_for_sender(*thread);
  std::vector<uint32_t> spans(kSpans, 1);
  std::vector<uint32_t> reads(kSpans, 1);
  const auto pace = static_cast<uint64_t>(state.range(0)) / 2;
  const uint64_t dropped = thread->ring->dropped.load();
  double ticks_per_ns = 0;
  const auto timed = [pace](uint32_t& taken, auto&& work) {
    const uint64_t begin = now();
    work();
    const uint64_t end = now();
    taken = static_cast<uint32_t>(end - begin);
    while (now() - end < pace) {
    }
  };
  for (auto _ : state) {
    const ClockPair first = read_clock_pair();
    for (size_t i = 0; i < kSpans; ++i) {
      timed(reads[i], [] {
        benchmark::DoNotOptimize(now());
        benchmark::DoNotOptimize(now());
      });
      timed(spans[i], [&] { one_span(*thread, name); });
    }
    const ClockPair last = read_clock_pair();
    const auto nanoseconds_taken = static_cast<double>(last.monotonic_ns - first.monotonic_ns);
    ticks_per_ns = static_cast<double>(last.ticks - first.ticks) / nanoseconds_taken;
    state.SetIterationTime(nanoseconds_taken * 1e-9 / kSpans);
  }
  const auto tell = [&](const std::string& what, std::vector<uint32_t>& ticks) {
    std::sort(ticks.begin(), ticks.end());
    for (const auto& [label, share] :
         {std::pair("_p50", 0.5), {"_p99", 0.99}, {"_p99.9", 0.999}, {"_p99.99", 0.9999}}) {
      state.counters[what + label] = ticks[static_cast<size_t>(share * (kSpans - 1))] / ticks_per_ns;
    }
  };
  tell("span", spans);
  tell("two_reads", reads);
  state.counters["dropped"] = static_cast<double>(thread->ring->dropped.load() - dropped);
}

/// Threads that record at the same time, each in a ring of its own: CPU time of a span, over all of them.
void spans_of_threads(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  const uint32_t name = intern("span");
  std::vector<double> cost(count);
  for (auto _ : state) {
    std::vector<std::thread> threads;
    std::atomic<size_t> arrived{0};
    for (size_t t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        constexpr int kRounds = 30;
        std::vector<double> rounds;
        for (int round = 0; round < kRounds; ++round) {
          Thread* thread = recording_thread();
          if (round == 1) {
            arrived++;
            while (arrived < count) std::this_thread::yield();
          }
          wait_for_sender(*thread);
          const uint64_t begin = cpu_now();
          for (int i = 0; i < kBurst; ++i) one_span(*thread, name);
          if (round > 2) rounds.push_back(static_cast<double>(cpu_now() - begin) / kBurst);
        }
        cost[t] = median(rounds);
      });
    }
    for (std::thread& thread : threads) thread.join();
    state.SetIterationTime(median(cost) * 1e-9);
  }
}

BENCHMARK(span_over_clock_reads)->UseManualTime()->Iterations(400);
// Ticks between spans; of a clock of 2.6 GHz some 1 and 0.1 µs.
BENCHMARK(tail_of_a_span)->UseManualTime()->Iterations(1)->Arg(2600)->Arg(260);
BENCHMARK(spans_of_threads)->UseManualTime()->Iterations(1)->Arg(1)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(two_clock_reads)->UseManualTime()->Iterations(200);
BENCHMARK(record_span)->UseManualTime()->Iterations(200);
BENCHMARK(api_span)->UseManualTime()->Iterations(200);
BENCHMARK(intern_known_string)->UseManualTime()->Iterations(200);

}  // namespace

int main(int argc, char** argv) {
  listen_in_child();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
