/// The collector's path on one core: a guest's batches decoded, converted to nanoseconds, joined, encoded and written.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/monotonic_clock.h"
#include "collector/server/peer.h"
#include "proto/activity_columns.h"
#include "proto/span_columns.h"
#include "test/bench/guest_packets.h"

namespace xsp {
namespace {

/// `counts`: as for a recording with a budget that is not reached.
void collect(benchmark::State& state, bool counts) {
  const auto batch = static_cast<size_t>(state.range(0));
  const auto batches = make_batches(batch, 100'000 / batch);
  uint64_t spans = 0;
  uint64_t bytes = 0;
  for (auto _ : state) {
    NullFile file;
    TraceWriter writer(file);
    Recording recording(writer);
    if (counts) recording.storage.limit(uint64_t{1} << 40, 0, monotonic_ns());
    uint32_t processes = 0;
    Peer peer(-1, recording, processes);
    const std::vector<uint8_t> start = make_start();
    peer.receive(start.data(), start.size());
    for (const auto& packet : batches) peer.receive(packet.data(), packet.size());
    peer.disconnect();
    while (peer.process()->work()) {
    }
    writer.flush();
    spans += writer.spans()[kLevelLayer];
    bytes += writer.bytes();
  }
  state.counters["spans/s"] = benchmark::Counter(static_cast<double>(spans), benchmark::Counter::kIsRate);
  state.counters["bytes/span"] = static_cast<double>(bytes) / static_cast<double>(spans);
}
void collect_spans(benchmark::State& state) { collect(state, false); }
void collect_counted_spans(benchmark::State& state) { collect(state, true); }

/// A guest that launches kernels: a packet of launches, then one of their executions, in two clocks. Shuffled,
/// executions are in any order over 16 packets, and mostly come before their launches.
class LaunchingGuest {
 public:
  LaunchingGuest(int fd, bool is_shuffled) : fd_(fd), is_shuffled_(is_shuffled), buffer_(kMaxPacketBytes) {}

  void greet() {
    send(4, [](WireWriter& body) {
      body.uint64(1, 1);
      body.uint64(7, 1);
    });
    send(5, [](WireWriter& body) {
      body.uint64(1, 1);
      for (int i = 0; i < 1000; ++i) body.element(2, "kernel", 6);
    });
  }

  void send_pairs(uint64_t pairs) {
    for (uint64_t done = 0; done < pairs; done += kBatch) {
      read_clocks();
      make_batch();
      if (!is_shuffled_) {
        send_launches();
        send_executions(0, kernels_.size());
        kernels_.clear();
        continue;
      }
      if (kernels_.size() >= 16 * kBatch) send_shuffled();
      send_launches();
    }
    if (is_shuffled_) send_shuffled();
    read_clocks();
  }

 private:
  static constexpr size_t kBatch = 1000;
  static constexpr uint64_t kCuptiOffset = 1'700'000'000'000'000'000;

  template <typename Fill>
  void send(uint32_t number, Fill&& fill) {
    WireWriter writer(buffer_.data(), buffer_.size());
    auto packet = writer.begin(1);
    auto body = writer.begin(number);
    fill(writer);
    writer.end(body);
    writer.end(packet);
    for (size_t at = 0; at < writer.size();) {
      const ssize_t sent = ::send(fd_, writer.data() + at, writer.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
  }

  void read_clocks() {
    const uint64_t now = now_ns_ + 1'000'000;
    send(9, [&](WireWriter& body) {
      body.uint64(1, 1);
      body.uint64(2, now * 2);
      body.uint64(3, now);
    });
    send(9, [&](WireWriter& body) {
      body.uint64(1, 2);
      body.uint64(2, now + kCuptiOffset);
      body.uint64(3, now);
    });
  }

  void make_batch() {
    launches_.clear();
    for (size_t i = 0; i < kBatch; ++i) {
      now_ns_ += 4000 + random_() % 8000;
      correlation_ += 1 + random_() % 3;
      SpanRow launch{.begin = now_ns_ * 2, .end = (now_ns_ + 3000 + random_() % 2000) * 2, .id = ++span_};
      launch.parent = span_ - 1 - static_cast<uint32_t>(random_() % 4);
      launch.name = 1 + static_cast<uint32_t>(random_() % 3);
      launch.type = 4;
      launch.correlation = correlation_;
      launch.level = 5;
      launch.kind = 9;
      launches_.push_back(launch);
      ActivityRow kernel{.begin = now_ns_ + kCuptiOffset + 6000 + random_() % 4000};
      kernel.end = kernel.begin + 2000 + random_() % 100'000;
      kernel.name = 10 + static_cast<uint32_t>(random_() % 300);
      kernel.configuration = 400 + kernel.name;
      kernel.correlation = correlation_;
      kernel.queue = static_cast<uint32_t>(random_() % 4);
      kernel.level = 6;
      kernel.kind = 13;
      kernels_.push_back(kernel);
    }
  }

  void send_launches() {
    const BatchHead head{.thread = 1,
                         .ring = 0,
                         .first_record = launch_records_,
                         .record_count = uint32_t(launches_.size()),
                         .clock = 1};
    launch_records_ += launches_.size();
    send(6, [&](WireWriter& body) {
      write_span_columns(body, head, launches_.size(), [&](size_t i) -> const SpanRow& { return launches_[i]; });
    });
  }

  void send_executions(size_t first, size_t count) {
    const BatchHead head{.ring = 1, .first_record = kernel_records_, .record_count = uint32_t(count), .clock = 2};
    kernel_records_ += count;
    send(18, [&](WireWriter& body) {
      write_activity_columns(
          body, head, 4,
          [](size_t i) {
            return ActivityQueue{0, 1, static_cast<uint32_t>(7 + i)};
          },
          count, [&](size_t i) -> const ActivityRow& { return kernels_[first + i]; });
    });
  }

  void send_shuffled() {
    std::shuffle(kernels_.begin(), kernels_.end(), random_);
    for (size_t first = 0; first < kernels_.size(); first += kBatch) {
      send_executions(first, std::min(kBatch, kernels_.size() - first));
    }
    kernels_.clear();
  }

  int fd_;
  bool is_shuffled_;
  std::vector<uint8_t> buffer_;
  std::mt19937 random_{1};
  uint64_t now_ns_ = 5'000'000'000;
  uint32_t correlation_ = UINT32_MAX - 1'000'000;  // wraps
  uint32_t span_ = 10;
  uint64_t launch_records_ = 0;
  uint64_t kernel_records_ = 0;
  std::vector<SpanRow> launches_;
  std::vector<ActivityRow> kernels_;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double resident_mib() {
  FILE* file = std::fopen("/proc/self/statm", "re");
  long pages = 0;
  if (file == nullptr || std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Launches and kernels through a socket, the guest on a thread of its own: CPU time of the collector's side, system
/// calls with it.
void collect_pairs(benchmark::State& state) {
  constexpr uint64_t kPairs = 20'000'000;
  constexpr uint64_t kSettled = kPairs / 4;
  const bool is_shuffled = state.range(0) != 0;
  uint64_t bytes = 0;
  uint64_t unmatched = 0;
  double settled_mib = 0;
  double last_mib = 0;
  for (auto _ : state) {
    NullFile file;
    TraceWriter writer(file);
    Recording recording(writer);
    uint32_t processes = 0;
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) return state.SkipWithError("no socket");
    std::thread guest([&] {
      LaunchingGuest launching(fds[1], is_shuffled);
      launching.greet();
      launching.send_pairs(kPairs);
      ::close(fds[1]);
    });
    Peer peer(fds[0], recording, processes);
    double busy = 0;
    uint64_t next_second = 0;
    for (;;) {
      pollfd waits{fds[0], POLLIN, 0};
      ::poll(&waits, 1, -1);
      const double begin = thread_seconds();
      const auto state_of_peer = peer.read(size_t{256} << 10);
      // As the collector's loop does each second, which here is so many executions.
      const uint64_t executions = writer.spans()[kLevelDevice];
      if (executions >= next_second && peer.process() != nullptr) {
        peer.process()->flush_if_due(monotonic_ns());
        next_second = executions + 1'000'000;
      }
      busy += thread_seconds() - begin;
      if (settled_mib == 0 && executions > kSettled) settled_mib = resident_mib();
      if (state_of_peer == Peer::State::kGone) break;
    }
    last_mib = resident_mib();
    const double begin = thread_seconds();
    while (peer.process()->work()) {
    }
    writer.flush();
    state.SetIterationTime(busy + thread_seconds() - begin);
    guest.join();
    bytes = writer.bytes();
    unmatched = recording.summary.unmatched_executions;
    if (recording.summary.executions < kPairs) state.SkipWithError("executions are missing");
  }
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(kPairs * state.iterations()), benchmark::Counter::kIsRate);
  state.counters["bytes/pair"] = static_cast<double>(bytes) / static_cast<double>(kPairs);
  state.counters["unmatched"] = static_cast<double>(unmatched);
  state.counters["MiB at a quarter"] = settled_mib;
  state.counters["MiB at the end"] = last_mib;
}
BENCHMARK(collect_pairs)
    ->ArgName("shuffled")
    ->Arg(0)
    ->Arg(1)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(collect_counted_spans)->Arg(64)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(collect_spans)->Arg(1)->Arg(8)->Arg(64)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xsp

BENCHMARK_MAIN();
