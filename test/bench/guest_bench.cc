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

#include "inject/api/tracer.h"
#include "inject/record/span.h"
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
