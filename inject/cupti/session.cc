#include "inject/cupti/session.h"

#include <stdlib.h>

#include "inject/cupti/activity_abi.h"
#include "inject/cupti/activity_buffers.h"
#include "inject/cupti/activity_flushes.h"
#include "inject/cupti/activity_thread.h"
#include "inject/cupti/api_callbacks.h"
#include "inject/cupti/counters.h"
#include "inject/cupti/cupti_library.h"
#include "inject/cupti/device_clock.h"
#include "inject/cupti/driver_functions.h"
#include "inject/cupti/graph_nodes.h"
#include "inject/cupti/known_faults.h"
#include "inject/cupti/other_profiler.h"
#include "inject/cupti/session_attributes.h"
#include "inject/cupti/session_notices.h"
#include "inject/cupti/subscriber_holder.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/process.h"
#include "inject/record/recording_window.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kMostRetries = 10;
constexpr uint64_t kRetryNs = 1'000'000'000;
constexpr uint64_t kLongestFinishNs = 2'000'000'000;
constexpr uint64_t kLongestCountingNs = 5'000'000'000;
/// Kinds of activity in the order of the bits of Settings::activities and of kActivityNames.
constexpr int kKinds[][2] = {{cupti::kConcurrentKernel, 0}, {cupti::kMemcpy, cupti::kPeerMemcpy},
                             {cupti::kMemset, 0},           {cupti::kSynchronization, 0},
                             {cupti::kMemory, 0},           {cupti::kOverhead, 0}};
struct SessionState {
  Session session;
  std::atomic<uint32_t> started;
  std::atomic<uint32_t> ready;
  NamedSubscribe* named_subscribe;
  uint8_t activities;
  SessionNotices notices;
  uint32_t retries;  // to go on after another profiler, since that last worked
  /// Why it is paused, a bit per Gap.Reason, and since when.
  uint32_t pause_reasons;
  SessionGaps gaps;
};

constinit ForkWiped<SessionState> session_page;

SessionState* ready_state() {
  SessionState* page = session_page.get();
  return page != nullptr && page->ready.load(std::memory_order_acquire) != 0 ? page : nullptr;
}

template <typename Visit>
void each_kind(const SessionState& page, Visit&& visit) {
  for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
    if ((page.activities >> i & 1) == 0) continue;
    for (const int kind : kKinds[i]) {
      if (kind != 0) visit(kind, kActivityNames[i].name);
    }
  }
}

void disable_kinds(const SessionState& page) {
  each_kind(page, [&](int kind, std::string_view) { page.session.cupti.activity_disable(kind); });
}

/// Fails with the first kind's result when none can be had. Those that could stay enabled.
cupti::Result enable_kinds(SessionState& page) {
  cupti::Result first_failure = cupti::kSuccess;
  bool any = false;
  FixedText<100> refused;
  if (page.session.kernel_sessions.load(std::memory_order_relaxed) == 1) {
    uint64_t time = 0;
    page.session.cupti.get_timestamp(&time);
    page.session.first_session_until.store(time, std::memory_order_relaxed);
  }
  page.session.kernel_sessions.fetch_add(1, std::memory_order_relaxed);
  each_kind(page, [&](int kind, std::string_view name) {
    const cupti::Result result = page.session.cupti.activity_enable(kind);
    any |= result == cupti::kSuccess;
    if (result == cupti::kSuccess) return;
    if (first_failure == cupti::kSuccess) first_failure = result;
    refused.put(" ").put(name);
  });
  if (!any) return first_failure;
  if (!refused.empty()) tell_refused_kinds(page.notices, page.session, refused.view(), first_failure);
  return cupti::kSuccess;
}

void leave_subscriber(Session& session) {
  if (session.subscriber != nullptr) session.cupti.unsubscribe(session.subscriber);
  session.subscriber = nullptr;
}

/// Outside the recording window nothing new is recorded. What runs still comes, as it was launched inside; callbacks
/// stay, whose hooks open no spans meanwhile.
void follow_window() {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  Session& session = page->session;
  const SessionMode mode = session.mode.load(std::memory_order_acquire);
  if (mode != SessionMode::kCallbacks && mode != SessionMode::kRecords) return;
  // Asked for here: two threads that changed the window may come in another order than they did so.
  if (are_hooks_running()) {
    enable_kinds(*page);
    if (mode == SessionMode::kRecords) enable_call_records(session);
  } else {
    if (mode == SessionMode::kRecords) disable_call_records(session);
    disable_kinds(*page);
  }
}

/// The subscriber, or the records mode beside a profiler in the program that has it; kNone after a notice: CUPTI is
/// somebody else's whom we do not see.
SessionMode join_subscriber(SessionState& page) {
  Session& session = page.session;
  if (other_profiler_has_subscriber()) return SessionMode::kRecords;
  SubscriberHolder holder;
  const cupti::Result result = subscribe(session, page.named_subscribe, &holder);
  if (result == cupti::kSuccess) return SessionMode::kCallbacks;
  if (result == cupti::kMultipleSubscribers) {
    tell_other_tool(page.notices, holder.name.view());
  } else {
    tell_failure(page.notices, session, "cuptiSubscribe", result);
  }
  return SessionMode::kNone;
}

/// Subscribes, enables. The mode that could be had; kNone after a notice, and nothing is left behind then.
SessionMode activate(SessionState& page) {
  Session& session = page.session;
  const SessionMode mode = join_subscriber(page);
  if (mode == SessionMode::kNone) return mode;
  set_attributes(session);
  cupti::Result result = session.cupti.activity_register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result != cupti::kSuccess) {
    leave_subscriber(session);
    tell_failure(page.notices, session, "cuptiActivityRegisterCallbacks", result);
    return SessionMode::kNone;
  }
  const SessionMode before = session.mode.exchange(mode, std::memory_order_acq_rel);
  if (mode == SessionMode::kCallbacks) enable_callbacks(session);
  result = are_hooks_running() ? enable_kinds(page) : cupti::kSuccess;
  if (result != cupti::kSuccess) {
    session.mode.store(before, std::memory_order_release);
    disable_kinds(page);
    leave_subscriber(session);
    tell_failure(page.notices, session, "cuptiActivityEnable", result);
    return SessionMode::kNone;
  }
  if (mode == SessionMode::kRecords) {
    stop_counters("another profiler in the program has CUPTI's subscriber");
    if (are_hooks_running()) enable_call_records(session);
    tell_profiler_in_program(page.notices, other_profiler_name());
    begin_gap(page.gaps, wire::GapReason::kNoCallbacks, other_profiler_name());
  }
  return mode;
}

/// Flushes what is finished, then everything: what still runs has no times yet and is counted. The clock is read before
/// another one can make it his own: our thread may come to these records only then.
void deactivate(SessionState& page) {
  Session& session = page.session;
  const bool records = session.mode.load(std::memory_order_relaxed) == SessionMode::kRecords;
  stop_counters("another profiler in the program has taken CUPTI");
  session.cupti.activity_flush_all(0);
  if (records) disable_call_records(session);
  disable_kinds(page);
  flush_by_force(session);
  DeviceClockReading clock;
  if (read_device_clock(session, &clock)) post_device_clock(clock);
  count_dropped_records(session);
  take_attributes_back(session);
  leave_subscriber(session);
  session.mode.store(SessionMode::kPaused, std::memory_order_release);
  end_gap(page.gaps, wire::GapReason::kNoCallbacks);
}

void finish_at_exit() {
  const ErrnoGuard errno_guard;
  finish_session();
}

}  // namespace

Session* device_session() {
  SessionState* page = ready_state();
  return page == nullptr ? nullptr : &page->session;
}

void start_session() {
  const Process* process = wake_process();
  if (process == nullptr || process->settings.deepest_level < static_cast<uint8_t>(wire::Level::kRuntime)) return;
  SessionState* page = session_page.make();
  if (page == nullptr || page->started.exchange(1, std::memory_order_acq_rel) != 0) return;
  // CUDA 13.2's libcupti crashes without one, whatever is called.
  if (driver_version() == 0) {
    notify(kNoticeWarning, "cupti", "kernels and CUDA calls are not recorded: no NVIDIA driver is loaded");
    return;
  }
  CuptiLibrary library{};
  FixedText<1024> why_not;
  if (!load_cupti(&library, &why_not)) {
    FixedText<1400> text;
    text.put("kernels and CUDA calls are not recorded: no libcupti that can be used (");
    text.put(why_not.empty() ? "none found" : why_not.view());
    text.put("); install the CUPTI of the program's CUDA (pip install nvidia-cuda-cupti), or name it in XSP_CUPTI");
    notify(kNoticeWarning, "cupti", text.view());
    return;
  }
  page->session.cupti = library.functions;
  page->session.version = library.version;
  page->named_subscribe = library.named_subscribe;
  page->activities = process->settings.activities;
  tell_cupti_fault(library.version, CuptiFault::kFromStart);
  if (!open_activity_buffers(library.version >= cupti::kBufferRefusalVersion) ||
      !start_activity_thread(page->session)) {
    notify(kNoticeWarning, "cupti",
           "kernels and CUDA calls are not recorded: no memory or no thread to be had for them");
    return;
  }
  if (process->settings.metrics[0] != '\0') start_counters(page->session, library.handle, process->settings);
  page->ready.store(1, std::memory_order_release);
  const SessionChange change;
  set_window_listener(WindowListener::kDevice, follow_window);
  if (other_profiler_has_buffers()) {
    page->pause_reasons |= uint32_t{1} << static_cast<uint32_t>(wire::GapReason::kOtherProfiler);
    page->session.mode.store(SessionMode::kPaused, std::memory_order_release);
    begin_gap(page->gaps, wire::GapReason::kOtherProfiler, other_profiler_name());
  } else if (activate(*page) == SessionMode::kNone) {
    return;
  }
  // As late as this, so that it comes before the handlers of CUDA, which cuInit has registered.
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  atexit(finish_at_exit);
  at_quick_exit(finish_at_exit);
}

void pause_session(wire::GapReason reason, std::string_view who) {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  const SessionMode mode = page->session.mode.load(std::memory_order_acquire);
  if (mode == SessionMode::kNone) return;
  const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(reason);
  if ((page->pause_reasons & bit) != 0) return;
  page->pause_reasons |= bit;
  // Before: what is launched while the session ends is not recorded either.
  begin_gap(page->gaps, reason, who);
  if (mode != SessionMode::kPaused) deactivate(*page);
  if (reason == wire::GapReason::kOtherProfiler) tell_profiler_of_graphs(page->session);
}

void resume_session(wire::GapReason reason, bool (*is_due)()) {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(reason);
  if ((page->pause_reasons & bit) == 0 || (is_due != nullptr && !is_due())) return;
  page->pause_reasons &= ~bit;
  if (page->pause_reasons == 0 && activate(*page) == SessionMode::kNone) {
    page->pause_reasons |= bit;
    ++page->retries;
    return;
  }
  page->retries = 0;
  end_gap(page->gaps, reason);
}

uint64_t resume_again_in() {
  SessionState* page = ready_state();
  if (page == nullptr) return UINT64_MAX;
  const SessionChange change;
  return page->retries == 0 || page->retries > kMostRetries ? UINT64_MAX : kRetryNs;
}

void give_up_subscriber(std::string_view who) {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  Session& session = page->session;
  if (session.mode.load(std::memory_order_acquire) != SessionMode::kCallbacks) return;
  begin_gap(page->gaps, wire::GapReason::kNoCallbacks, who);
  stop_counters("another profiler in the program has taken CUPTI's subscriber");
  leave_subscriber(session);
  session.mode.store(SessionMode::kRecords, std::memory_order_release);
  enable_call_records(session);
}

void regain_subscriber(bool (*is_due)()) {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  Session& session = page->session;
  if (session.mode.load(std::memory_order_acquire) != SessionMode::kRecords || !is_due()) return;
  SubscriberHolder holder;
  if (subscribe(session, page->named_subscribe, &holder) != cupti::kSuccess) return;
  disable_call_records(session);
  session.mode.store(SessionMode::kCallbacks, std::memory_order_release);
  enable_callbacks(session);
  end_gap(page->gaps, wire::GapReason::kNoCallbacks);
}

void finish_session() {
  if (ready_state() == nullptr) return;
  finish_counters(kLongestCountingNs);
  finish_activities(kLongestFinishNs);
}

void end_failed_session(std::string_view why) {
  SessionState* page = ready_state();
  if (page == nullptr) return;
  if (page->session.mode.exchange(SessionMode::kNone, std::memory_order_acq_rel) == SessionMode::kNone) return;
  tell_end_of_session(why);
  begin_gap(page->gaps, wire::GapReason::kCuptiFailed, why);
}

void flush_before_context_ends() {
  SessionState* page = ready_state();
  if (page == nullptr || !activity_thread_runs()) return;
  const SessionChange change;
  const SessionMode mode = page->session.mode.load(std::memory_order_acquire);
  if (mode == SessionMode::kCallbacks || mode == SessionMode::kRecords) page->session.cupti.activity_flush_all(0);
}

void count_lost_activities(wire::LossReason reason, uint64_t count) {
  Process* process = awake_process();
  if (process == nullptr) return;
  process->region.header()->losses[static_cast<size_t>(reason)].fetch_add(count, std::memory_order_relaxed);
}

}  // namespace xsp::guest
