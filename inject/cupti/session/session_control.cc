#include "inject/cupti/session/session_control.h"

#include "inject/cupti/calls/api_callbacks.h"
#include "inject/cupti/calls/graph_nodes.h"
#include "inject/cupti/counting/counters.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_flushes.h"
#include "inject/cupti/records/activity_thread.h"
#include "inject/cupti/session/activation.h"
#include "inject/cupti/session/subscriber.h"
#include "inject/guard/errno_guard.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kMostRetries = 10;
constexpr uint64_t kRetryNs = 1'000'000'000;
constexpr uint64_t kLongestFinishNs = 2'000'000'000;
constexpr uint64_t kLongestCountingNs = 5'000'000'000;

uint32_t bit_of(wire::GapReason reason) { return uint32_t{1} << static_cast<uint32_t>(reason); }

}  // namespace

void pause_session(wire::GapReason reason, std::string_view who) {
  SessionState* page = session_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  const SessionMode mode = page->session.mode.load(std::memory_order_acquire);
  if (mode == SessionMode::kNone) return;
  const uint32_t bit = bit_of(reason);
  if ((page->pause_reasons & bit) != 0) return;
  page->pause_reasons |= bit;
  // Begins before CUPTI is left: what is launched while that happens is not recorded either.
  begin_gap(page->gaps, reason, who);
  if (mode != SessionMode::kPaused) deactivate(*page);
  if (reason == wire::GapReason::kOtherProfiler) tell_profiler_of_graphs(page->session);
}

void get_late_buffers_back() {
  SessionState* page = session_state();
  if (page == nullptr || !buffers_are_out()) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  if (page->session.mode.load(std::memory_order_acquire) == SessionMode::kPaused) {
    flush_until_all_is_back(page->session);
  }
}

void resume_session(wire::GapReason reason, bool (*is_due)()) {
  SessionState* page = session_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  const uint32_t bit = bit_of(reason);
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
  SessionState* page = session_state();
  if (page == nullptr) return UINT64_MAX;
  const SessionChange change;
  return page->retries == 0 || page->retries > kMostRetries ? UINT64_MAX : kRetryNs;
}

void give_up_subscriber(std::string_view who) {
  SessionState* page = session_state();
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
  SessionState* page = session_state();
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

void follow_window() {
  SessionState* page = session_state();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const SessionChange change;
  Session& session = page->session;
  const SessionMode mode = session.mode.load(std::memory_order_acquire);
  if (!is_recording(mode)) return;
  // Read here, under the lock: two threads that changed the window may arrive in another order than they changed it.
  if (are_hooks_running()) {
    enable_kinds(*page);
    if (mode == SessionMode::kRecords) enable_call_records(session);
  } else {
    if (mode == SessionMode::kRecords) disable_call_records(session);
    disable_kinds(*page);
  }
}

void finish_session() {
  if (session_state() == nullptr) return;
  finish_counters(kLongestCountingNs);
  finish_activities(kLongestFinishNs);
}

}  // namespace xsp::guest
