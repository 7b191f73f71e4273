#include "inject/cupti/counting/counter_thread.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "inject/cupti/counting/counter_notices.h"
#include "inject/cupti/library/devices.h"
#include "inject/cupti/state/session.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/futex.h"
#include "inject/guard/mapped_memory.h"
#include "inject/guard/own_thread.h"
#include "inject/guard/pause.h"
#include "inject/record/process.h"
#include "inject/send/counter_packets.h"

namespace xsp::guest {
namespace {

/// CUPTI's profiler host runs on it.
constexpr size_t kStackBytes = size_t{8} << 20;
constexpr uint64_t kIdleNs = 2'000'000'000;
constexpr uint64_t kLongestPreparationNs = 30'000'000'000;
constexpr uint64_t kLongestChunkNs = 10'000'000'000;
/// Passes of a long kernel take seconds.
constexpr uint64_t kLongestLaunchNs = 20'000'000'000;

struct CounterControl {
  CounterSetup setup;
  CounterDevice* devices;
  CounterChunk chunks[kCounterChunks];
  std::atomic<uint32_t> running;
  std::atomic<uint32_t> wake_word;  // futex
  std::atomic<uint32_t> finish_requested;
  std::atomic<uint32_t> finished;  // futex
};

constinit ForkWiped<CounterControl> control_page;

void wake(CounterControl& control) {
  control.wake_word.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(&control.wake_word);
}

/// The results of the chunk that is being evaluated.
struct CounterRows {
  uint64_t numbers[kMostRanges];
  uint32_t launches[kMostRanges];
  uint32_t names[kMostRanges];
  uint64_t ordinals[kMostRanges];
  double values[kMostRanges * kMostMetrics];
};

/// The thread's own side.
class CounterLoop {
 public:
  CounterLoop(CounterControl& control, CounterRows& rows, void* packet)
      : control_(control), rows_(rows), writer_(packet, kCounterPacketBytes) {}

  void run() {
    while (true) {
      const uint32_t seen = control_.wake_word.load(std::memory_order_acquire);
      const bool last = control_.finish_requested.load(std::memory_order_acquire) != 0;
      for (uint32_t i = 0; i < kMostCountedDevices; ++i) prepare(control_.devices[i]);
      // In any order: each chunk knows the ordinals of its launches.
      for (CounterChunk& chunk : control_.chunks) {
        if (chunk.state.load(std::memory_order_acquire) == CounterChunk::kFilled) evaluate(chunk);
      }
      if (last) break;
      for (uint32_t i = 0; i < kMostCountedDevices; ++i) look_at_turn(control_.devices[i]);
      futex_wait(&control_.wake_word, seen, kIdleNs);
    }
  }

 private:
  /// A counted kernel that waits for one that is launched after it hangs: the user is to learn why.
  static void look_at_turn(CounterDevice& device) {
    const uint64_t since = device.turn_ns.load(std::memory_order_relaxed);
    const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
    if (device.stuck_told || since == 0 || time - std::min(time, since) < kLongestLaunchNs) return;
    if (device.turn.load(std::memory_order_relaxed) == 0) return;
    device.stuck_told = true;
    tell_stuck(device.index, device.launched_text.view(), kLongestLaunchNs / 1'000'000'000);
  }

  void prepare(CounterDevice& device) {
    if (device.preparation.load(std::memory_order_acquire) != CounterDevice::kAsked) return;
    FixedText<512> what;
    const cupti::Result result = open_counter_host(control_.setup.functions, device.chip, control_.setup.metrics,
                                                   device.availability, &device.host, &device.left_out, &what);
    if (result != cupti::kSuccess) {
      const char* text = nullptr;
      control_.setup.get_result_string(result, &text);
      tell_no_counters(device.index, what.view(), result, text == nullptr ? "no text" : text);
    }
    if (const Session* session = device_session()) post_device(device.index, session->version, device.chip);
    device.preparation.store(result == cupti::kSuccess ? CounterDevice::kPrepared : CounterDevice::kUnprepared,
                             std::memory_order_release);
    futex_wake(&device.preparation);
  }

  /// Automatic ranges are called by their number, in the order of their kernels. False: these have other names.
  bool read_numbers(const CounterChunk& chunk) {
    for (uint32_t range = 0; range < chunk.ranges; ++range) {
      auto info = cupti::sized<cupti::CounterDataGetRangeInfo>();
      info.counter_data = chunk.image;
      info.bytes = chunk.bytes;
      info.range = range;
      info.delimiter = "/";
      if (control_.setup.functions.get_range_info(&info) != cupti::kSuccess || info.name == nullptr) return false;
      uint64_t number = 0;
      const char* at = info.name;
      for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
      if (at == info.name || *at != '\0') return false;
      rows_.numbers[range] = number;
    }
    return true;
  }

  /// Finds out which of the chunk's launches each range counted: by the order of the ranges' numbers if none was
  /// dropped, else by their distance from the first.
  void find_launches(const CounterChunk& chunk) {
    const bool numbered = read_numbers(chunk);
    const uint64_t* numbers = rows_.numbers;
    const uint64_t* end = numbers + chunk.ranges;
    const uint64_t first = *std::min_element(numbers, end);
    for (uint32_t range = 0; range < chunk.ranges; ++range) {
      uint64_t launch = range;
      if (numbered && chunk.ranges == chunk.launches) {
        launch = static_cast<uint64_t>(std::count_if(numbers, end, [=](uint64_t n) { return n < numbers[range]; }));
      } else if (numbered) {
        launch = numbers[range] - first;
      }
      rows_.launches[range] = static_cast<uint32_t>(std::min<uint64_t>(launch, UINT32_MAX));
    }
  }

  void evaluate(CounterChunk& chunk) {
    const CounterHost& host = *chunk.host;
    const size_t metrics = host.metrics->count();
    uint32_t count = 0;
    uint64_t lost = 0;
    find_launches(chunk);
    for (uint32_t range = 0; range < chunk.ranges; ++range) {
      const uint32_t launch = rows_.launches[range];
      double* values = rows_.values + count * metrics;
      std::fill_n(values, metrics, NAN);
      if (launch >= chunk.launches ||
          evaluate_range(control_.setup.functions, host, chunk.image, chunk.bytes, range, values) != cupti::kSuccess) {
        ++lost;
        continue;
      }
      rows_.names[count] = chunk.names[launch];
      rows_.ordinals[count] = chunk.first_ordinal + launch;
      ++count;
    }
    if (lost != 0) count_lost_activities(wire::LossReason::kCounters, lost);
    post(chunk.device, host, count);
    munmap(chunk.image, chunk.bytes);
    chunk.state.store(CounterChunk::kFree, std::memory_order_release);
  }

  void post(uint32_t device, const CounterHost& host, uint32_t count) {
    uint32_t metrics[kMostMetrics];
    for (size_t i = 0; i < host.metrics->count(); ++i) metrics[i] = intern(host.metrics->name(i));
    CounterColumns columns{.device = device,
                           .metrics = metrics,
                           .metric_count = host.metrics->count(),
                           .passes = host.passes,
                           .detail = "kernel replay"};
    const uint32_t most = counted_kernels_of_a_packet(columns.metric_count);
    for (uint32_t first = 0; first < count; first += most) {
      columns.count = std::min(most, count - first);
      columns.names = rows_.names + first;
      columns.ordinals = rows_.ordinals + first;
      columns.values = rows_.values + first * columns.metric_count;
      writer_.clear();
      write_counters(writer_, columns);
      if (writer_.failed() || !post_waiting()) {
        count_lost_activities(wire::LossReason::kCounters, columns.count);
      }
    }
  }

  bool post_waiting() {
    while (!post_packet(writer_.data(), writer_.size())) {
      Process* process = awake_process();
      if (process == nullptr || process->sender_running.load(std::memory_order_relaxed) == 0) return false;
      wake_sender(*process);
      pause_for(1'000'000);
    }
    return true;
  }

  CounterControl& control_;
  CounterRows& rows_;
  WireWriter writer_;
};

void* counter_main(void* argument) {
  auto& control = *static_cast<CounterControl*>(argument);
  enter_own_thread("xsp-counters");
  const MappedMemory rows(sizeof(CounterRows));
  const MappedMemory packet(kCounterPacketBytes);
  if (rows.data() != nullptr && packet.data() != nullptr) {
    CounterLoop loop(control, *reinterpret_cast<CounterRows*>(rows.data()), packet.data());
    loop.run();
  }
  control.running.store(0, std::memory_order_release);
  control.finished.store(1, std::memory_order_release);
  futex_wake(&control.finished);
  return nullptr;
}

}  // namespace

bool start_counter_thread(const CounterSetup& setup, CounterDevice* devices) {
  CounterControl* control = control_page.make();
  if (control == nullptr) return false;
  if (control->running.exchange(1, std::memory_order_acq_rel) != 0) return true;
  control->setup = setup;
  control->devices = devices;
  if (start_own_thread(counter_main, control, kStackBytes)) return true;
  control->running.store(0, std::memory_order_release);
  return false;
}

bool counter_thread_runs() {
  const CounterControl* control = control_page.get();
  return control != nullptr && control->running.load(std::memory_order_acquire) != 0;
}

bool prepare_device(CounterDevice& device) {
  CounterControl* control = control_page.get();
  if (control == nullptr) return false;
  device.preparation.store(CounterDevice::kAsked, std::memory_order_release);
  wake(*control);
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestPreparationNs;
  while (device.preparation.load(std::memory_order_acquire) == CounterDevice::kAsked && counter_thread_runs() &&
         nanoseconds(CLOCK_MONOTONIC) < deadline) {
    futex_wait(&device.preparation, CounterDevice::kAsked, 100'000'000);
  }
  return device.preparation.load(std::memory_order_acquire) == CounterDevice::kPrepared;
}

CounterChunk* take_free_chunk() {
  CounterControl* control = control_page.get();
  if (control == nullptr) return nullptr;
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestChunkNs;
  do {
    for (CounterChunk& chunk : control->chunks) {
      uint32_t free = CounterChunk::kFree;
      if (chunk.state.compare_exchange_strong(free, CounterChunk::kTaken, std::memory_order_acq_rel)) return &chunk;
    }
    pause_for(200'000);
  } while (counter_thread_runs() && nanoseconds(CLOCK_MONOTONIC) < deadline);
  return nullptr;
}

void submit_chunk(CounterChunk& chunk) {
  chunk.state.store(CounterChunk::kFilled, std::memory_order_release);
  wake(*control_page.get());
}

void finish_counter_thread(uint64_t longest) {
  CounterControl* control = control_page.get();
  if (control == nullptr || control->running.load(std::memory_order_acquire) == 0) return;
  if (control->finish_requested.exchange(1, std::memory_order_acq_rel) != 0) return;
  wake(*control);
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + longest;
  while (control->finished.load(std::memory_order_acquire) == 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    futex_wait(&control->finished, 0, 100'000'000);
  }
}

}  // namespace xsp::guest
