#include "inject/cupti/stream_events.h"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "inject/cupti/event_driver.h"
#include "inject/cupti/session.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/futex.h"
#include "inject/guard/own_thread.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

constexpr unsigned kNonBlockingStream = 1;
constexpr int kNotCapturing = 0;

constexpr size_t kStackBytes = size_t{64} * 1024;
constexpr uint32_t kMaxContexts = 8;
constexpr uint64_t kReferenceAgeNs = 1'000'000'000;
constexpr uint64_t kReferenceWaitNs = 5'000'000;
constexpr int kReferenceTries = 3;
constexpr uint64_t kTightReferenceNs = 20'000;
constexpr uint64_t kFairReferenceNs = 200'000;
constexpr int kReferenceRounds = 10;
constexpr uint64_t kPollNs = 2'000'000;
constexpr uint64_t kIdleNs = 1'000'000'000;
constexpr uint64_t kFinishNs = 500'000'000;

struct Interval {
  enum State : uint32_t { kFree = 0, kOpen = 1, kWaiting = 2 };

  std::atomic<uint32_t> state;
  uint32_t ring;
  uint32_t span;
  void* stream;
  void* begin;  // events, made at first use and kept
  void* end;
  uint64_t asked_ns;  // CLOCK_MONOTONIC before the first event was recorded: the device came to it later
};

struct Reference {
  void* event;
  uint64_t host_ns;  // CLOCK_MONOTONIC when it was done; 0: none
  uint64_t uncertainty_ns;
};

/// One device of the process.
struct Context {
  std::atomic<void*> handle;  // CUcontext; null: not used
  std::atomic<bool> failed;   // an error of the program's or ours: nothing more is asked of it
  unsigned long long id;      // tells the context from one behind a reset that has the same handle
  int device;
  std::atomic<uint32_t> next;  // where the search for a free interval starts
  Interval intervals[kMaxStreamIntervals];
  // The reading thread's.
  void* stream;
  Reference reference;
  Reference candidates[2];  // for the next one
  int rounds;               // in which they were tried
};

struct StreamEvents {
  enum Phase : uint32_t { kNew = 0, kBeingMade = 1, kReady = 2, kOff = 3 };

  std::atomic<uint32_t> phase;
  EventDriver driver;
  Context contexts[kMaxContexts];
  std::atomic<uint32_t> waiting;  // intervals to be read
  std::atomic<uint32_t> wake_word;
};

constinit ForkWiped<StreamEvents> events;

void count_lost() { count_lost_activities(wire::LossReason::kActivity, 1); }

/// The handle of a context whose place is being filled.
constinit char being_filled = 0;

void release(StreamEvents& all, Interval& interval) {
  if (interval.state.exchange(Interval::kFree, std::memory_order_acq_rel) == Interval::kWaiting) {
    all.waiting.fetch_sub(1, std::memory_order_acq_rel);
  }
}

/// After an error of the driver's: a context that was destroyed, a device that has failed.
void give_up(StreamEvents& all, Context& context) {
  context.failed.store(true, std::memory_order_relaxed);
  for (Interval& interval : context.intervals) {
    if (interval.state.load(std::memory_order_acquire) != Interval::kWaiting) continue;
    count_lost();
    release(all, interval);
  }
}

enum class Answer { kFailed, kLater, kDone };

/// Has the event done now, and takes the time at which it was.
Answer try_reference(const EventDriver& driver, void* stream, Reference& reference) {
  if (reference.event == nullptr && driver.create_event(&reference.event, 0) != kDriverSuccess) return Answer::kFailed;
  reference.uncertainty_ns = UINT64_MAX;
  const uint64_t before = nanoseconds(CLOCK_MONOTONIC);
  if (driver.record_event(reference.event, stream) != kDriverSuccess) return Answer::kFailed;
  DriverResult result = kDriverNotReady;
  uint64_t after = before;
  while (result == kDriverNotReady && after - before < kReferenceWaitNs) {
    result = driver.query_event(reference.event);
    after = nanoseconds(CLOCK_MONOTONIC);
  }
  if (result == kDriverNotReady) return Answer::kLater;
  if (result != kDriverSuccess) return Answer::kFailed;
  reference.uncertainty_ns = after - before;
  reference.host_ns = before + reference.uncertainty_ns / 2;
  return Answer::kDone;
}

/// The tightest of a few tries becomes the reference. Later, if the device does not come to it soon, or the thread is
/// kept from looking: then it is tried again, a bounded number of times.
Answer renew_reference(const EventDriver& driver, Context& context) {
  if (context.stream == nullptr && driver.create_stream(&context.stream, kNonBlockingStream) != kDriverSuccess) {
    return Answer::kFailed;
  }
  Reference& best = context.candidates[0];
  Reference& next = context.candidates[1];
  if (context.rounds++ == 0) best.uncertainty_ns = UINT64_MAX;
  for (int i = 0; i < kReferenceTries && best.uncertainty_ns > kTightReferenceNs; ++i) {
    if (try_reference(driver, context.stream, next) == Answer::kFailed) return Answer::kFailed;
    if (next.uncertainty_ns < best.uncertainty_ns) std::swap(best, next);
  }
  const bool may_do_better = best.uncertainty_ns > kFairReferenceNs && context.rounds < kReferenceRounds;
  if (may_do_better || best.uncertainty_ns == UINT64_MAX) return Answer::kLater;
  std::swap(best, context.reference);
  context.rounds = 0;
  return Answer::kDone;
}

/// Negative for an event that was before the reference. That cuEventElapsedTime gives negative times is seen, and not
/// promised: of its two answers the one that is a small time is taken.
bool since_reference(const EventDriver& driver, const Reference& reference, void* event, double* milliseconds) {
  float forward = 0;
  float backward = 0;
  if (driver.elapsed_time(&forward, reference.event, event) != kDriverSuccess ||
      driver.elapsed_time(&backward, event, reference.event) != kDriverSuccess) {
    return false;
  }
  *milliseconds = forward >= 0 && (backward <= 0 || forward <= backward) ? forward : -backward;
  return true;
}

/// The guest's clock at a time of the host's.
uint64_t ticks_at(const Process& process, uint64_t host_ns) {
  if (clock_source == ClockSource::kMonotonic) return host_ns;
  const ClockPair first = process.first_clock;
  const ClockPair latest = read_clock_pair();
  const auto rate = static_cast<double>(latest.ticks - first.ticks) /
                    static_cast<double>(std::max<uint64_t>(latest.monotonic_ns - first.monotonic_ns, 1));
  const auto since = static_cast<double>(static_cast<int64_t>(host_ns - latest.monotonic_ns));
  return latest.ticks + static_cast<uint64_t>(static_cast<int64_t>(since * rate));
}

void record_interval(const Context& context, const Interval& interval, uint64_t begin_ns, uint64_t length_ns) {
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

/// The events may be those of a context that is gone: they are used no more.
void drop_pair(StreamEvents& all, Interval& interval) {
  interval.begin = nullptr;
  interval.end = nullptr;
  count_lost();
  release(all, interval);
}

/// The host's time of the interval's begin lies between our asking for its first event and our seeing the second one,
/// whatever the reference says.
uint64_t begin_of(const Reference& reference, double begin_ms, uint64_t length_ns, uint64_t asked_ns,
                  uint64_t seen_ns) {
  constexpr double kNsPerMs = 1e6;
  const uint64_t begin_ns = reference.host_ns + static_cast<uint64_t>(static_cast<int64_t>(begin_ms * kNsPerMs));
  const uint64_t latest_ns = seen_ns - std::min(length_ns, seen_ns - asked_ns);
  return std::clamp(begin_ns, asked_ns, latest_ns);
}

/// Leaves it waiting, records it, or drops it after an error.
void read_interval(StreamEvents& all, Context& context, Interval& interval) {
  const EventDriver& driver = all.driver;
  const DriverResult result = driver.query_event(interval.end);
  if (result == kDriverNotReady) return;
  const uint64_t seen_ns = nanoseconds(CLOCK_MONOTONIC);
  if (result != kDriverSuccess) return drop_pair(all, interval);
  if (seen_ns - context.reference.host_ns > kReferenceAgeNs) {
    const Answer answer = renew_reference(driver, context);
    if (answer == Answer::kLater) return;
    if (answer == Answer::kFailed) return drop_pair(all, interval);
  }
  double begin_ms = 0;
  float length_ms = 0;
  if (!since_reference(driver, context.reference, interval.begin, &begin_ms) ||
      driver.elapsed_time(&length_ms, interval.begin, interval.end) != kDriverSuccess) {
    return drop_pair(all, interval);
  }
  const auto length_ns = static_cast<uint64_t>(std::max(static_cast<double>(length_ms), 0.0) * 1e6);
  const uint64_t begin_ns = begin_of(context.reference, begin_ms, length_ns, interval.asked_ns, seen_ns);
  record_interval(context, interval, begin_ns, length_ns);
  release(all, interval);
}

void read_context(StreamEvents& all, Context& context) {
  void* handle = context.handle.load(std::memory_order_acquire);
  if (handle == nullptr || handle == &being_filled || context.failed.load(std::memory_order_relaxed)) return;
  bool is_current = false;
  for (Interval& interval : context.intervals) {
    if (interval.state.load(std::memory_order_acquire) != Interval::kWaiting) continue;
    if (!is_current) {
      is_current = id_of(all.driver, handle) == context.id && all.driver.set_context(handle) == kDriverSuccess;
    }
    if (!is_current) return give_up(all, context);
    read_interval(all, context, interval);
  }
}

void* read_events(void* argument) {
  auto& all = *static_cast<StreamEvents*>(argument);
  prctl(PR_SET_NAME, "xsp-events");
  int mode = kRelaxedCapture;
  all.driver.exchange_capture_mode(&mode);
  while (all.phase.load(std::memory_order_acquire) != StreamEvents::kOff) {
    const uint32_t seen = all.wake_word.load(std::memory_order_acquire);
    if (all.waiting.load(std::memory_order_acquire) != 0) {
      for (Context& context : all.contexts) read_context(all, context);
    }
    const bool is_idle = all.waiting.load(std::memory_order_acquire) == 0;
    futex_wait(&all.wake_word, seen, is_idle ? kIdleNs : kPollNs);
  }
  return nullptr;
}

/// Null where the process can have no events.
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

Context* context_of(StreamEvents& all, void* handle, int device) {
  const unsigned long long id = id_of(all.driver, handle);
  for (Context& context : all.contexts) {
    void* known = nullptr;
    if (context.handle.compare_exchange_strong(known, &being_filled, std::memory_order_acq_rel)) {
      context.device = device;
      context.id = id;
      context.handle.store(handle, std::memory_order_release);
      return &context;
    }
    if (known == handle && context.id == id) return context.failed.load(std::memory_order_relaxed) ? nullptr : &context;
  }
  return nullptr;
}

Interval* take_interval(const EventDriver& driver, Context& context) {
  const uint32_t first = context.next.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kMaxStreamIntervals; ++i) {
    Interval& interval = context.intervals[(first + i) % kMaxStreamIntervals];
    uint32_t expected = Interval::kFree;
    if (!interval.state.compare_exchange_strong(expected, Interval::kOpen, std::memory_order_acq_rel)) continue;
    const bool has_events = (interval.begin != nullptr || driver.create_event(&interval.begin, 0) == kDriverSuccess) &&
                            (interval.end != nullptr || driver.create_event(&interval.end, 0) == kDriverSuccess);
    if (has_events) return &interval;
    interval.state.store(Interval::kFree, std::memory_order_release);
    return nullptr;
  }
  return nullptr;
}

Context& context_at(StreamEvents& all, uint32_t interval) {
  return all.contexts[(interval - 1) / kMaxStreamIntervals % kMaxContexts];
}

Interval& interval_at(StreamEvents& all, uint32_t interval) {
  return context_at(all, interval).intervals[(interval - 1) % kMaxStreamIntervals];
}

}  // namespace

bool are_kernels_recorded() {
  const Session* session = device_session();
  if (session == nullptr) return false;
  const SessionMode mode = session->mode.load(std::memory_order_relaxed);
  return mode == SessionMode::kCallbacks || mode == SessionMode::kRecords;
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
  if (driver.is_capturing(where.stream, &capturing) != kDriverSuccess || capturing != kNotCapturing) return 0;
  Context* context = context_of(*all, handle, where.device);
  if (context == nullptr) return 0;
  Interval* interval = take_interval(driver, *context);
  if (interval == nullptr) {
    count_lost();
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
  Interval& interval = interval_at(*all, number);
  const RelaxedCapture relaxed(all->driver);
  interval.asked_ns = nanoseconds(CLOCK_MONOTONIC);
  if (all->driver.record_event(interval.begin, interval.stream) == kDriverSuccess) return true;
  interval.begin = nullptr;
  interval.end = nullptr;
  interval.state.store(Interval::kFree, std::memory_order_release);
  return false;
}

void end_stream_interval(uint32_t number, uint32_t ring, uint32_t span) {
  const ErrnoGuard errno_guard;
  StreamEvents* all = events.get();
  if (number == 0 || all == nullptr || all->phase.load(std::memory_order_acquire) != StreamEvents::kReady) return;
  Interval& interval = interval_at(*all, number);
  if (interval.state.load(std::memory_order_acquire) != Interval::kOpen) return;
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
    interval.state.store(Interval::kFree, std::memory_order_release);
    return;
  }
  interval.ring = ring;
  interval.span = span;
  all->waiting.fetch_add(1, std::memory_order_acq_rel);
  interval.state.store(Interval::kWaiting, std::memory_order_release);
  if (all->waiting.load(std::memory_order_acquire) != 1) return;  // else it polls already
  all->wake_word.fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&all->wake_word);
}

void drop_stream_interval(uint32_t number) {
  StreamEvents* all = events.get();
  if (number == 0 || all == nullptr) return;
  uint32_t expected = Interval::kOpen;
  interval_at(*all, number).state.compare_exchange_strong(expected, Interval::kFree, std::memory_order_acq_rel);
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
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  all->phase.store(StreamEvents::kOff, std::memory_order_release);
  all->wake_word.fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&all->wake_word);
}

}  // namespace xsp::guest
