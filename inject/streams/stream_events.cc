#include "inject/streams/stream_events.h"

#include <algorithm>

#include "inject/cupti/state/session.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/futex.h"
#include "inject/guard/own_thread.h"
#include "inject/guard/pause.h"
#include "inject/record/hook_times.h"
#include "inject/record/span.h"
#include "inject/streams/event_driver.h"
#include "inject/streams/reference_event.h"
#include "inject/streams/stream_interval_pool.h"

namespace xsp::guest {
namespace {

constexpr int kNotCapturing = 0;

/// The driver's functions run on this stack, and their frames are large. Untouched pages cost nothing.
constexpr size_t kStackBytes = size_t{1} << 20;
// Elapsed times are floats of milliseconds: within a second of the reference their resolution is below 0.1 µs.
constexpr uint64_t kReferenceAgeNs = 1'000'000'000;
constexpr uint64_t kPollNs = 2'000'000;
constexpr uint64_t kIdleNs = 1'000'000'000;
constexpr uint64_t kFinishNs = 500'000'000;

constinit ForkWiped<StreamEvents> events;

/// The guest's clock at a time of the host's clock.
uint64_t ticks_at(const Process& process, uint64_t host_ns) {
  if (clock_source == ClockSource::kMonotonic) return host_ns;
  const ClockPair first = process.first_clock;
  const ClockPair latest = read_clock_pair();
  const auto rate = static_cast<double>(latest.ticks - first.ticks) /
                    static_cast<double>(std::max<uint64_t>(latest.monotonic_ns - first.monotonic_ns, 1));
  const auto since = static_cast<double>(static_cast<int64_t>(host_ns - latest.monotonic_ns));
  return latest.ticks + static_cast<uint64_t>(static_cast<int64_t>(since * rate));
}

void record_interval(const StreamContext& context, const StreamInterval& interval, uint64_t begin_ns,
                     uint64_t length_ns) {
  Process* process = awake_process();
  Thread* thread = process == nullptr ? nullptr : ending_thread();
  if (thread == nullptr) return;
  shm::Record record{};
  auto& activity = reinterpret_cast<shm::ActivityRecord&>(record);
  activity.begin = ticks_at(*process, begin_ns);
  activity.end = std::max(activity.begin, ticks_at(*process, begin_ns + length_ns));
  activity.graph_node = interval.span;
  activity.correlation = interval.ring;
  activity.record_type = static_cast<uint8_t>(shm::RecordType::kActivity);
  activity.device = static_cast<uint8_t>(context.device);
  activity.kind = static_cast<uint8_t>(wire::Kind::kStreamInterval);
  publish(*thread, record);
}

/// Gives an interval up. Its events may belong to a context that is gone, so they are neither used again nor destroyed.
void drop_pair(StreamEvents& all, StreamInterval& interval) {
  interval.begin = nullptr;
  interval.end = nullptr;
  count_lost_interval();
  release_interval(all, interval);
}

/// Records the interval, leaves it waiting, or drops it after an error.
void read_interval(StreamEvents& all, StreamContext& context, StreamInterval& interval) {
  const EventDriver& driver = all.driver;
  const DriverResult result = driver.query_event(interval.end);
  if (result == kDriverNotReady) return;
  const uint64_t seen_ns = nanoseconds(CLOCK_MONOTONIC);
  if (result != kDriverSuccess) return drop_pair(all, interval);
  if (seen_ns - context.reference.latest.host_ns > kReferenceAgeNs) {
    const ReferenceAnswer answer = renew_reference(driver, context.reference);
    if (answer == ReferenceAnswer::kLater) return;
    if (answer == ReferenceAnswer::kFailed) return drop_pair(all, interval);
  }
  double begin_ms = 0;
  float length_ms = 0;
  if (!since_reference(driver, context.reference.latest, interval.begin, &begin_ms) ||
      driver.elapsed_time(&length_ms, interval.begin, interval.end) != kDriverSuccess) {
    return drop_pair(all, interval);
  }
  const auto length_ns = static_cast<uint64_t>(std::max(static_cast<double>(length_ms), 0.0) * 1e6);
  const uint64_t begin_ns = begin_of(context.reference.latest, begin_ms, length_ns, interval.asked_ns, seen_ns);
  record_interval(context, interval, begin_ns, length_ns);
  release_interval(all, interval);
}

void read_context(StreamEvents& all, StreamContext& context) {
  void* handle = known_handle(context);
  if (handle == nullptr || context.failed.load(std::memory_order_relaxed)) return;
  bool is_current = false;
  for (StreamInterval& interval : context.intervals) {
    if (interval.state.load(std::memory_order_acquire) != StreamInterval::kWaiting) continue;
    if (!is_current) {
      // A reset of the device may have given the handle to a new context: then none of our events exist any more.
      is_current = id_of(all.driver, handle) == context.id && all.driver.set_context(handle) == kDriverSuccess;
    }
    if (!is_current) return give_up_context(all, context);
    read_interval(all, context, interval);
  }
}

void* read_events(void* argument) {
  auto& all = *static_cast<StreamEvents*>(argument);
  enter_own_thread("xsp-events");
  // For the life of this thread: its calls must not break a capture that a thread of the program has made global.
  int mode = kRelaxedCapture;
  all.driver.exchange_capture_mode(&mode);
  while (all.phase.load(std::memory_order_acquire) != StreamEvents::kOff) {
    // Read before looking: an interval that ends meanwhile makes the futex return at once.
    const uint32_t seen = all.wake_word.load(std::memory_order_acquire);
    if (all.waiting.load(std::memory_order_acquire) != 0) {
      for (StreamContext& context : all.contexts) read_context(all, context);
    }
    tell_own_time(OwnThread::kEvents);
    const bool is_idle = all.waiting.load(std::memory_order_acquire) == 0;
    futex_wait(&all.wake_word, seen, is_idle ? kIdleNs : kPollNs);
  }
  return nullptr;
}

/// Null where the process cannot have events; also while another thread makes them, as a call must not wait for that.
StreamEvents* usable_events() {
  StreamEvents* all = events.make();
  if (all == nullptr) return nullptr;
  const uint32_t phase = all->phase.load(std::memory_order_acquire);
  if (phase == StreamEvents::kReady) return all;
  uint32_t expected = StreamEvents::kNew;
  if (!all->phase.compare_exchange_strong(expected, StreamEvents::kBeingMade)) return nullptr;
  const bool works = load_event_driver(&all->driver) && start_own_thread(read_events, all, kStackBytes);
  all->phase.store(works ? StreamEvents::kReady : StreamEvents::kOff, std::memory_order_release);
  return works ? all : nullptr;
}

}  // namespace

bool are_kernels_recorded() {
  const Session* session = device_session();
  if (session == nullptr) return false;
  return is_recording(session->mode.load(std::memory_order_relaxed));
}

uint32_t prepare_stream_interval(const DeviceStream& where) {
  const ErrnoGuard errno_guard;
  StreamEvents* all = usable_events();
  if (all == nullptr) return 0;
  const EventDriver& driver = all->driver;
  void* handle = nullptr;
  int capturing = kNotCapturing;
  if (driver.get_context(&handle) != kDriverSuccess || handle == nullptr) return 0;
  const RelaxedCapture relaxed(driver);
  // An event that is recorded during a capture would become a node of the program's graph.
  if (driver.is_capturing(where.stream, &capturing) != kDriverSuccess || capturing != kNotCapturing) return 0;
  StreamContext* context = context_of(*all, handle, where.device);
  if (context == nullptr) return 0;
  StreamInterval* interval = take_interval(driver, *context);
  if (interval == nullptr) {
    count_lost_interval();
    return 0;
  }
  interval->stream = where.stream;
  const auto place = static_cast<uint32_t>(interval - context->intervals);
  return static_cast<uint32_t>(context - all->contexts) * kMaxStreamIntervals + place + 1;
}

bool begin_stream_interval(uint32_t number) {
  const ErrnoGuard errno_guard;
  StreamEvents* all = events.get();
  if (number == 0 || all == nullptr) return false;
  StreamInterval& interval = interval_at(*all, number);
  const RelaxedCapture relaxed(all->driver);
  interval.asked_ns = nanoseconds(CLOCK_MONOTONIC);
  if (all->driver.record_event(interval.begin, interval.stream) == kDriverSuccess) return true;
  // Not used again after an error: the events may belong to a context that is gone.
  interval.begin = nullptr;
  interval.end = nullptr;
  interval.state.store(StreamInterval::kFree, std::memory_order_release);
  return false;
}

void end_stream_interval(uint32_t number, uint32_t ring, uint32_t span) {
  const ErrnoGuard errno_guard;
  StreamEvents* all = events.get();
  if (number == 0 || all == nullptr || all->phase.load(std::memory_order_acquire) != StreamEvents::kReady) return;
  StreamInterval& interval = interval_at(*all, number);
  if (interval.state.load(std::memory_order_acquire) != StreamInterval::kOpen) return;
  const EventDriver& driver = all->driver;
  void* handle = nullptr;
  int capturing = kNotCapturing;
  const RelaxedCapture relaxed(driver);
  // The default stream is that of the current context.
  const bool may_record = driver.get_context(&handle) == kDriverSuccess && handle == context_at(*all, number).handle &&
                          id_of(driver, handle) == context_at(*all, number).id &&
                          driver.is_capturing(interval.stream, &capturing) == kDriverSuccess &&
                          capturing == kNotCapturing &&
                          driver.record_event(interval.end, interval.stream) == kDriverSuccess;
  if (!may_record) {
    interval.state.store(StreamInterval::kFree, std::memory_order_release);
    return;
  }
  interval.ring = ring;
  interval.span = span;
  // Counted before it can be seen: the reading thread counts it down.
  all->waiting.fetch_add(1, std::memory_order_acq_rel);
  interval.state.store(StreamInterval::kWaiting, std::memory_order_release);
  if (all->waiting.load(std::memory_order_acquire) != 1) return;  // else it polls already
  all->wake_word.fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&all->wake_word);
}

void drop_stream_interval(uint32_t number) {
  StreamEvents* all = events.get();
  if (number == 0 || all == nullptr) return;
  uint32_t expected = StreamInterval::kOpen;
  interval_at(*all, number).state.compare_exchange_strong(expected, StreamInterval::kFree, std::memory_order_acq_rel);
}

bool stream_thread_runs() {
  const StreamEvents* all = events.get();
  return all != nullptr && all->phase.load(std::memory_order_acquire) == StreamEvents::kReady;
}

void finish_stream_intervals() {
  const ErrnoGuard errno_guard;
  StreamEvents* all = events.get();
  if (all == nullptr || all->phase.load(std::memory_order_acquire) != StreamEvents::kReady) return;
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kFinishNs;
  while (all->waiting.load(std::memory_order_acquire) != 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    pause_for(1'000'000);
  }
  all->phase.store(StreamEvents::kOff, std::memory_order_release);
  all->wake_word.fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&all->wake_word);
}

}  // namespace xsp::guest
