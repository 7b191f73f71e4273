#include "inject/cupti/records/activity_thread.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/devices.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/records/activity_flushes.h"
#include "inject/cupti/records/activity_record.h"
#include "inject/cupti/records/device_clock.h"
#include "inject/cupti/records/missing_times.h"
#include "inject/cupti/state/session_notices.h"
#include "inject/guard/futex.h"
#include "inject/guard/own_thread.h"
#include "inject/guard/pause.h"
#include "inject/record/hook_times.h"
#include "inject/record/span.h"
#include "inject/send/device_packets.h"

namespace xsp::guest {
namespace {

/// CUPTI's and the driver's own functions run on it.
constexpr size_t kStackBytes = size_t{512} * 1024;
constexpr uint64_t kFlushNs = 100'000'000;
constexpr uint64_t kIdleNs = 2'000'000'000;
/// How long after the last call of the CUDA API records may still come though CUPTI holds no buffer of ours.
constexpr uint64_t kLongestUnseenNs = 2'000'000'000;
constexpr uint64_t kLongestSendNs = 500'000'000;
/// A reading of both clocks that may be off by more was interrupted. It is left out while the last good one is younger
/// than kGoodReadingNs.
constexpr uint64_t kLargestErrorNs = 10'000;
constexpr uint64_t kGoodReadingNs = 5'000'000'000;

/// The thread's own side; lives on mapped memory.
class ActivityLoop {
 public:
  ActivityLoop(ActivityControl& control, ActivityTexts& texts)
      : control_(control), session_(*control.session), reader_(session_, texts), missing_times_(session_) {}

  void run() {
    uint64_t flushed_at = 0;
    uint64_t called_at = 0;
    while (true) {
      // Read first: a wake-up that comes during this round makes the wait at its end return at once.
      const uint32_t seen = control_.wake_word.load(std::memory_order_acquire);
      const bool last = control_.finish_requested.load(std::memory_order_acquire) != 0;
      const uint64_t settle_ns = last ? UINT64_MAX : control_.settle(session_);
      const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
      if (cuda_was_called.load(std::memory_order_relaxed)) called_at = time;
      const bool may_come = called_at != 0 && time - called_at < kLongestUnseenNs;
      const bool is_awaited = may_come || buffers_are_out() || session_.mode.load() == SessionMode::kRecords;
      if (last || (is_awaited && time - flushed_at >= kFlushNs)) {
        // Before the flush: a call that comes during it counts for the next one.
        cuda_was_called.store(false, std::memory_order_relaxed);
        flush(last);
        flushed_at = time;
      }
      drain();
      tell_own_time(OwnThread::kActivity);
      if (last) break;
      sleep(seen, settle_ns, is_awaited || buffers_are_out());
    }
    wait_until_sent();
  }

 private:
  void sleep(uint32_t seen, uint64_t settle_ns, bool is_awaited) {
    // Stored before cuda_was_called is read, as note_cuda_call() stores and reads them the other way round: one of the
    // two sees the other.
    is_activity_idle.store(!is_awaited, std::memory_order_seq_cst);
    const bool is_short = is_awaited || cuda_was_called.load(std::memory_order_seq_cst);
    control_.sleeping.store(1, std::memory_order_seq_cst);
    futex_wait(&control_.wake_word, seen, std::min(settle_ns, is_short ? kFlushNs : kIdleNs));
    control_.sleeping.store(0, std::memory_order_relaxed);
    is_activity_idle.store(false, std::memory_order_relaxed);
  }

  void flush(bool by_force) {
    const SessionChange change;
    if (!is_recording(session_.mode.load(std::memory_order_acquire))) return;
    // In addition to the reading for each buffer, so that one is on its way if the process is killed soon after its
    // first records.
    if (buffers_are_out()) post_clock();
    if (by_force) {
      flush_by_force(session_);
    } else {
      session_.cupti.activity_flush_all(0);
    }
    count_dropped_records(session_);
  }

  void drain() {
    CompletedBuffer buffer;
    while (take_completed_buffer(&buffer)) {
      if (buffer.discard) {
        count_lost_activities(wire::LossReason::kActivity, each_record(buffer, [](const uint8_t*) {}));
      } else {
        // The reading comes first: every time in the buffer lies before it.
        post_clock();
        missing_times_.begin_buffer();
        each_record(buffer, [&](const uint8_t* record) { keep(record, buffer); });
      }
      give_back_buffer(buffer);
    }
  }

  template <typename Visit>
  uint64_t each_record(const CompletedBuffer& buffer, Visit&& visit) {
    uint64_t count = 0;
    const uint8_t* record = nullptr;
    cupti::Result result = cupti::kSuccess;
    while (true) {
      result = session_.cupti.activity_get_next_record(buffer.bytes, buffer.valid_bytes, &record);
      if (result != cupti::kSuccess) break;
      visit(record);
      ++count;
    }
    if (result != cupti::kMaxLimitReached) lose_rest(result);
    return count;
  }

  /// CUPTI cannot step over a record, and how many follow it is unknown: they count as one.
  void lose_rest(cupti::Result result) {
    count_lost_activities(wire::LossReason::kActivity, 1);
    if (!rest_told_) tell_unreadable_records(session_.cupti, result);
    rest_told_ = true;
  }

  void keep(const uint8_t* record, const CompletedBuffer& buffer) {
    shm::ActivityRecord activity;
    switch (reader_.read(record, buffer.session, &activity)) {
      case ActivityReader::Outcome::kIgnored:
        return;
      case ActivityReader::Outcome::kZeroTime:
        count_lost_activities(wire::LossReason::kZeroTime, 1);
        missing_times_.without_times(activity, buffer);
        return;
      case ActivityReader::Outcome::kInverted:
        count_lost_activities(wire::LossReason::kInverted, 1);
        return;
      case ActivityReader::Outcome::kKept:
        break;
    }
    const auto kind = static_cast<wire::Kind>(activity.kind);
    if (kind == wire::Kind::kKernel || kind == wire::Kind::kMemcpy || kind == wire::Kind::kMemset) {
      tell_device(activity.device);
      missing_times_.with_times(activity);
    }
    publish_activity(activity);
  }

  void publish_activity(const shm::ActivityRecord& activity) {
    Thread* thread = ending_thread();
    if (thread == nullptr || !wait_for_room(*thread)) {
      count_lost_activities(wire::LossReason::kActivity, 1);
      return;
    }
    const Place place = reserve(*thread);
    copy_record(place, &activity);
    commit(place);
  }

  static bool wait_for_room(Thread& thread) {
    while (!has_room(thread) && !find_room(thread, 1)) {
      Process* process = awake_process();
      if (process == nullptr || process->sender_running.load(std::memory_order_relaxed) == 0) return false;
      wake_sender(*process);
      pause_for(200'000);
    }
    return true;
  }

  void tell_device(uint8_t device) {
    uint64_t& word = devices_told_[device / 64];
    const uint64_t bit = uint64_t{1} << (device % 64);
    if ((word & bit) == 0 && post_device(device, session_.version, "")) word |= bit;
  }

  void post_clock() {
    DeviceClockReading reading;
    if (!read_device_clock(session_, &reading)) return;
    const bool is_good = reading.error_ns <= kLargestErrorNs;
    if (!is_good && good_reading_ns_ != 0 && reading.ns - good_reading_ns_ < kGoodReadingNs) return;
    if (is_good) good_reading_ns_ = reading.ns;
    if (!post_device_clock(reading)) return;
    if (!clock_sent_) wait_until_clock_is_sent();
    clock_sent_ = true;
  }

  /// Records survive a kill, in the shared memory, and mean nothing without any reading: the first one goes first.
  static void wait_until_clock_is_sent() {
    Process* process = awake_process();
    if (process == nullptr) return;
    const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestSendNs;
    const auto is_waiting = [process] {
      const LockGuard lock(process->lock);
      return process->outbox_used != 0;
    };
    while (is_waiting() && process->sender_running.load(std::memory_order_relaxed) != 0 &&
           nanoseconds(CLOCK_MONOTONIC) < deadline) {
      wake_sender(*process);
      pause_for(200'000);
    }
  }

  /// What was posted before a record is on its way when the record is.
  static void wait_until_sent() {
    Process* process = awake_process();
    Thread* thread = this_thread;
    if (process == nullptr || thread == nullptr || thread->ring == nullptr) return;
    const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestSendNs;
    while (thread->ring->sent.load(std::memory_order_acquire) != thread->ring->head.load(std::memory_order_relaxed) &&
           process->sender_running.load(std::memory_order_relaxed) != 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
      wake_sender(*process);
      pause_for(200'000);
    }
  }

  ActivityControl& control_;
  Session& session_;
  ActivityReader reader_;
  MissingTimes missing_times_;
  uint64_t devices_told_[4] = {};
  bool clock_sent_ = false;
  bool rest_told_ = false;
  uint64_t good_reading_ns_ = 0;
};

void* activity_main(void* argument) {
  auto& control = *static_cast<ActivityControl*>(argument);
  enter_own_thread("xsp-activity");
  void* texts = mmap(nullptr, sizeof(ActivityTexts), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (texts != MAP_FAILED) {
    ActivityLoop loop(control, *static_cast<ActivityTexts*>(texts));
    loop.run();
    munmap(texts, sizeof(ActivityTexts));
  }
  control.running.store(0, std::memory_order_release);
  control.finished.store(1, std::memory_order_release);
  futex_wake(&control.finished);
  return nullptr;
}

}  // namespace

bool start_activity_thread(Session& session, SettleDuty* settle) {
  ActivityControl* control = activity_page.make();
  if (control == nullptr) return false;
  if (control->running.exchange(1, std::memory_order_acq_rel) != 0) return true;
  control->session = &session;
  control->settle = settle;
  if (start_own_thread(activity_main, control, kStackBytes)) return true;
  control->running.store(0, std::memory_order_release);
  return false;
}

void finish_activities(uint64_t longest) {
  ActivityControl* control = activity_page.get();
  if (control == nullptr || control->running.load(std::memory_order_acquire) == 0) return;
  // A second caller, as _exit after exit, does not wait again.
  if (control->finish_requested.exchange(1, std::memory_order_acq_rel) != 0) return;
  wake_activity_thread();
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + longest;
  while (control->finished.load(std::memory_order_acquire) == 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    futex_wait(&control->finished, 0, 100'000'000);
  }
}

}  // namespace xsp::guest
