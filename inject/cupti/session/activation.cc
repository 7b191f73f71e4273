#include "inject/cupti/session/activation.h"

#include "inject/cupti/calls/api_callbacks.h"
#include "inject/cupti/counting/counters.h"
#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_flushes.h"
#include "inject/cupti/records/device_clock.h"
#include "inject/cupti/session/subscriber.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/cupti/state/session_notices.h"
#include "inject/record/process.h"
#include "inject/record/recording_window.h"

namespace xsp::guest {
namespace {

/// Kinds of activity in the order of the bits of Settings::activities and of kActivityNames.
constexpr int kKinds[][2] = {{cupti::kConcurrentKernel, 0}, {cupti::kMemcpy, cupti::kPeerMemcpy},
                             {cupti::kMemset, 0},           {cupti::kSynchronization, 0},
                             {cupti::kMemory, 0},           {cupti::kOverhead, 0}};

template <typename Visit>
void each_kind(const SessionState& page, Visit&& visit) {
  for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
    if ((page.activities >> i & 1) == 0) continue;
    for (const int kind : kKinds[i]) {
      if (kind != 0) visit(kind, kActivityNames[i].name);
    }
  }
}

void set_attribute(const Session& session, int attribute, bool on) {
  uint8_t value = on ? 1 : 0;
  size_t bytes = sizeof value;
  session.cupti.activity_set_attribute(attribute, &bytes, &value);
}

/// CUPTI's attributes as we need them. Before any kind is enabled.
void set_attributes(const Session& session) {
  // On is the default of CUDA 13, which Kineto takes back at the end of its sessions. Before kForeignFlushVersion our
  // own thread must not flush the buffers of other threads, so that there are to be none.
  if (session.version >= cupti::kPerThreadBuffersVersion) {
    set_attribute(session, cupti::kPerThreadBuffers, session.version >= cupti::kForeignFlushVersion);
  }
  set_attribute(session, cupti::kZeroedBuffers, true);
  if (session.cupti.set_thread_id_type != nullptr) session.cupti.set_thread_id_type(cupti::kSystemThreadId);
}

/// Another profiler does not zero its buffers, and CUPTI must not rely on it.
void take_attributes_back(const Session& session) { set_attribute(session, cupti::kZeroedBuffers, false); }

/// A launch that had begun before another profiler's last flush may have left one of its buffers in CUPTI, which would
/// be filled with our records. It is returned while that profiler's callbacks are registered. Before
/// kForeignFlushVersion only where there are no buffers per thread any more.
void return_buffers_of_other(Session& session) {
  if (other_profiler_was_there()) flush_by_force(session);
}

/// The subscriber, or the records mode beside a profiler in the program that has it; kNone after a notice: a tool whose
/// calls we do not see has CUPTI.
SessionMode join_subscriber(SessionState& page) {
  Session& session = page.session;
  if (other_profiler_has_subscriber()) return SessionMode::kRecords;
  SubscriberHolder holder;
  const cupti::Result result = subscribe(session, page.named_subscribe, &holder);
  if (result == cupti::kSuccess) return SessionMode::kCallbacks;
  if (result == cupti::kMultipleSubscribers) {
    tell_other_tool(page.notices, holder.name.view());
  } else {
    tell_failure(page.notices, session.cupti, "cuptiSubscribe", result);
  }
  return SessionMode::kNone;
}

}  // namespace

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
  if (!refused.empty()) tell_refused_kinds(page.notices, page.session.cupti, refused.view(), first_failure);
  return cupti::kSuccess;
}

void disable_kinds(const SessionState& page) {
  each_kind(page, [&](int kind, std::string_view) { page.session.cupti.activity_disable(kind); });
}

SessionMode activate(SessionState& page) {
  Session& session = page.session;
  const SessionMode mode = join_subscriber(page);
  if (mode == SessionMode::kNone) return mode;
  const bool may_flush_first = session.version >= cupti::kForeignFlushVersion;
  if (may_flush_first) return_buffers_of_other(session);
  set_attributes(session);
  if (!may_flush_first) return_buffers_of_other(session);
  cupti::Result result = session.cupti.activity_register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result != cupti::kSuccess) {
    leave_subscriber(session);
    tell_failure(page.notices, session.cupti, "cuptiActivityRegisterCallbacks", result);
    return SessionMode::kNone;
  }
  // Before anything is enabled: the first callbacks and buffers come while it is being enabled.
  const SessionMode before = session.mode.exchange(mode, std::memory_order_acq_rel);
  if (mode == SessionMode::kCallbacks) enable_callbacks(session);
  result = are_hooks_running() ? enable_kinds(page) : cupti::kSuccess;
  if (result != cupti::kSuccess) {
    session.mode.store(before, std::memory_order_release);
    disable_kinds(page);
    leave_subscriber(session);
    tell_failure(page.notices, session.cupti, "cuptiActivityEnable", result);
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

void deactivate(SessionState& page) {
  Session& session = page.session;
  const bool records = session.mode.load(std::memory_order_relaxed) == SessionMode::kRecords;
  stop_counters("another profiler in the program has taken CUPTI");
  // First what is finished, without force: only such records are complete.
  session.cupti.activity_flush_all(0);
  if (records) disable_call_records(session);
  // Before the forced flush, which hands over what still runs, without times: nothing may follow it into new buffers,
  // where it would lie until we come back.
  disable_kinds(page);
  flush_until_all_is_back(session);
  // Now, as the other profiler may set CUPTI's clock to one of its own, and our thread may come to the records only
  // then.
  DeviceClockReading clock;
  if (read_device_clock(session, &clock)) post_device_clock(clock);
  count_dropped_records(session);
  take_attributes_back(session);
  leave_subscriber(session);
  session.mode.store(SessionMode::kPaused, std::memory_order_release);
  end_gap(page.gaps, wire::GapReason::kNoCallbacks);
}

}  // namespace xsp::guest
