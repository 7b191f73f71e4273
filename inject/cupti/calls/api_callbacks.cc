#include "inject/cupti/calls/api_callbacks.h"

#include "inject/cupti/calls/graph_nodes.h"
#include "inject/cupti/calls/state_events.h"
#include "inject/cupti/counting/counters.h"
#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/api_functions.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/records/activity_flushes.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/own_thread.h"
#include "inject/library/abandoned_calls.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

constexpr auto kLevelRuntime = static_cast<uint8_t>(wire::Level::kRuntime);

/// How far apart on the stack CUPTI's own frames can set callbacks of the runtime and the driver.
constexpr uintptr_t kDeepestDispatch = uintptr_t{64} * 1024;
/// Address for a span whose call's own frame is not known: above every frame, so that close_abandoned_calls() leaves it
/// open.
const void* const kSomewhere = reinterpret_cast<const void*>(UINTPTR_MAX);

/// How often callbacks were enabled; 0: never. The end of a call that began in an earlier epoch was not seen.
constinit std::atomic<uint32_t> epoch{0};
/// Set before there are callbacks.
constinit bool counting_launches = false;
constinit bool waits_for_buffers = false;  // --on-full block
constinit uint32_t runtime_type = 0;
constinit uint32_t driver_type = 0;

bool is_span_open(const Thread& thread, uint32_t slot, uint32_t span) {
  return slot < thread.depth() && thread.ring->open[slot].id.load(std::memory_order_relaxed) == span;
}

/// For a call that was running when the callbacks were disabled: its end is unknown, and what follows is not inside it.
void forget_span(Thread& thread, const OpenApiCall& call) {
  if (!call.is_own_span || !is_span_open(thread, call.slot, call.span)) return;
  thread.ring->open[call.slot].id.store(shm::kClosedSlot, std::memory_order_relaxed);
  drop_closed_slots(thread);
}

void forget_calls_of_earlier_epoch(Thread& thread) {
  const uint32_t now_in = epoch.load(std::memory_order_relaxed);
  ApiThread& api = thread.of<ApiThread>();
  if (__builtin_expect(api.epoch == now_in, 1)) return;
  while (api.call_count > 0) forget_span(thread, api.calls[--api.call_count]);
  api.epoch = now_in;
}

/// Whether the call has returned without a callback (by longjmp or an exception): the frame of the callback of the call
/// that now begins lies above the frame of its own. A driver call inside a call of the runtime may have its callback
/// from a frame above all the same.
bool has_returned(const Thread& thread, const OpenApiCall& call, bool is_driver, const void* frame) {
  if (call.slot != kNoSlot && !is_span_open(thread, call.slot, call.span)) return true;
  const auto was_at = reinterpret_cast<uintptr_t>(call.frame);
  const auto is_at = reinterpret_cast<uintptr_t>(frame);
  return is_at >= was_at && (is_driver == call.is_driver || is_at - was_at > kDeepestDispatch);
}

/// Ends the call's own span as failed. A span that was opened after it and is still running stays open.
void abandon_call(Thread& thread, const OpenApiCall& call) {
  drop_closed_slots(thread);
  if (!call.is_own_span || call.slot + 1 != thread.depth() || !is_span_open(thread, call.slot, call.span)) {
    forget_span(thread, call);
    return;
  }
  SpanResult result;
  result.correlation = call.correlation;
  result.failed = true;
  close_span(thread, call.slot, now(), 0, result);
}

void abandon_returned_calls(Thread& thread, bool is_driver, uint32_t correlation, const void* frame) {
  ApiThread& api = thread.of<ApiThread>();
  while (api.call_count > 0) {
    const OpenApiCall& call = api.calls[api.call_count - 1];
    if (call.correlation == correlation || !has_returned(thread, call, is_driver, frame)) return;
    --api.call_count;
    abandon_call(thread, call);
  }
}

/// CUPTI gives a driver call inside a call of the runtime the same id.
bool is_part_of_runtime_call(const Thread& thread, uint32_t correlation) {
  const ApiThread& api = thread.of<ApiThread>();
  for (uint32_t i = 0; i < api.call_count; ++i) {
    const OpenApiCall& call = api.calls[i];
    if (!call.is_driver && call.correlation == correlation) return true;
  }
  return false;
}

/// Slot of the span that a wrapper of the runtime has opened for the innermost call, or kNoSlot.
uint32_t slot_of_wrapper(Thread& thread) {
  drop_closed_slots(thread);
  const uint32_t depth = thread.depth();
  if (depth == 0 || thread.ring->open[depth - 1].kind != kKindRuntimeCall) return kNoSlot;
  const ApiThread& api = thread.of<ApiThread>();
  const bool is_taken = api.call_count > 0 && api.calls[api.call_count - 1].slot == depth - 1;
  return is_taken ? kNoSlot : depth - 1;
}

void remember(Thread& thread, const OpenApiCall& call) {
  ApiThread& api = thread.of<ApiThread>();
  api.calls[api.call_count] = call;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ++api.call_count;
}

void call_begins(Thread& thread, bool is_driver, uint32_t name, uint32_t correlation, const void* frame) {
  forget_calls_of_earlier_epoch(thread);
  abandon_returned_calls(thread, is_driver, correlation, frame);
  if (thread.depth() != 0) close_abandoned_calls(thread, frame);
  if (is_driver && is_part_of_runtime_call(thread, correlation)) return;
  if (thread.of<ApiThread>().call_count == kMaxApiCalls) return;
  OpenApiCall call{frame, correlation, kNoSlot, 0, is_driver, false};
  const uint32_t wrapped = slot_of_wrapper(thread);
  if (wrapped != kNoSlot && !is_driver && thread.ring->open[wrapped].name == name) {
    thread.marks[wrapped].correlation = correlation;
    call.slot = wrapped;
    call.span = thread.ring->open[wrapped].id.load(std::memory_order_relaxed);
    remember(thread, call);
    return;
  }
  if (wrapped != kNoSlot && is_driver) {
    // The callback of the runtime was not chosen: the first driver call inside it has the id of what is launched.
    uint32_t& known = thread.marks[wrapped].correlation;
    if (known == 0) known = correlation;
    if (known == correlation) return;
  }
  const uint8_t kind = is_driver ? kKindDriverCall : kKindRuntimeCall;
  call.slot = open_span(thread, kLevelRuntime, kind, name, is_driver ? driver_type : runtime_type, 0);
  if (call.slot != kNoSlot) {
    call.span = thread.ring->open[call.slot].id.load(std::memory_order_relaxed);
    call.is_own_span = true;
    thread.marks[call.slot].stack_address = kSomewhere;
    thread.marks[call.slot].correlation = correlation;
  }
  remember(thread, call);
}

/// Takes the innermost call with that id from the stack, with those inside it; false: its begin was not seen.
bool take_call(Thread& thread, bool is_driver, uint32_t correlation, OpenApiCall* call) {
  for (uint32_t i = thread.of<ApiThread>().call_count; i > 0; --i) {
    *call = thread.of<ApiThread>().calls[i - 1];
    if (call->is_driver != is_driver || call->correlation != correlation) continue;
    thread.of<ApiThread>().call_count = i - 1;
    return true;
  }
  return false;
}

void call_ends(Thread& thread, bool is_driver, const cupti::CallbackData& data, uint64_t end) {
  OpenApiCall call;
  forget_calls_of_earlier_epoch(thread);
  if (!take_call(thread, is_driver, data.correlation_id, &call)) return;
  if (!call.is_own_span || !is_span_open(thread, call.slot, call.span)) return;
  SpanResult result;
  // Cleared where the call has made a node of a graph.
  result.correlation = thread.marks[call.slot].correlation;
  result.failed = data.return_value != nullptr && *static_cast<const int*>(data.return_value) != 0;
  close_span(thread, call.slot, end, 0, result);
}

void on_api_call(int domain, uint32_t callback_id, const cupti::CallbackData& data, const void* frame) {
  const bool is_driver = domain == cupti::kDriverApi;
  const ApiFunction& function = api_function(domain, callback_id);
  const bool is_counted = counting_launches && function.launch != ApiLaunch::kNone;
  if (data.site == cupti::kEnter) {
    note_cuda_call();
    if (__builtin_expect(function.ends_context, 0)) flush_before_context_ends();
    if (waits_for_buffers && function.launch != ApiLaunch::kNone) wait_for_buffers();
    if (is_counted) counted_launch_begins(function.launch, data);
    Thread* thread = function.chosen ? recording_thread() : nullptr;
    if (thread == nullptr) return;
    call_begins(*thread, is_driver, function.name, data.correlation_id, frame);
  } else {
    Thread* thread = known_thread();
    if (thread != nullptr && thread->of<ApiThread>().call_count != 0) call_ends(*thread, is_driver, data, now());
    if (is_counted) counted_launch_ends(data);
  }
}

void for_each_chosen(int domain, auto&& act) {
  const uint32_t last = api_function_count(domain);
  for (uint32_t id = 1; id <= last; ++id) {
    if (api_function(domain, id).chosen) act(id);
  }
}

/// Functions whose callbacks are wanted: those that end a context are seen even if they are not recorded.
void for_each_wanted(int domain, auto&& act) {
  const uint32_t last = api_function_count(domain);
  for (uint32_t id = 1; id <= last; ++id) {
    const ApiFunction& function = api_function(domain, id);
    if (function.chosen || function.ends_context) act(id);
  }
}

void read_chosen_functions(const Session& session) {
  const Process* process = wake_process();
  read_api_functions(session.cupti, process == nullptr ? "" : process->settings.cuda_api);
  runtime_type = intern("cudart");
  driver_type = intern("cuda");
}

/// A filter of single calls, or the whole kind where the version has none.
void record_calls(const Session& session, int domain, bool enable) {
  const bool of_driver = domain == cupti::kDriverApi;
  const auto filter = of_driver ? session.cupti.activity_enable_driver_api : session.cupti.activity_enable_runtime_api;
  const int kind = of_driver ? cupti::kDriver : cupti::kRuntime;
  if (filter != nullptr) {
    for_each_chosen(domain, [&](uint32_t id) { filter(id, enable ? 1 : 0); });
  } else if (enable) {
    session.cupti.activity_enable(kind);
  } else {
    session.cupti.activity_disable(kind);
  }
}

}  // namespace

void on_cupti_callback(void* /*user_data*/, int domain, uint32_t callback_id, const void* data) {
  if (data == nullptr) return;
  const ErrnoGuard errno_guard;
  const HookTimer timer(known_thread());
  if (domain == cupti::kRuntimeApi || domain == cupti::kDriverApi) {
    // Our own threads ask the driver about devices, which are no calls of the program.
    if (__builtin_expect(is_own_thread(), 0)) return;
    on_api_call(domain, callback_id, *static_cast<const cupti::CallbackData*>(data), __builtin_frame_address(0));
  } else if (domain == cupti::kResource) {
    on_resource_callback(callback_id, *static_cast<const cupti::ResourceData*>(data));
  } else if (domain == cupti::kState) {
    on_state_callback(callback_id, *static_cast<const cupti::StateData*>(data));
  }
}

void enable_callbacks(Session& session) {
  read_chosen_functions(session);
  // Also the single functions that another profiler had enabled: they would come twice.
  session.cupti.activity_disable(cupti::kRuntime);
  session.cupti.activity_disable(cupti::kDriver);
  api_calls_as_records.store(false, std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_relaxed);
  for (const int domain : {cupti::kRuntimeApi, cupti::kDriverApi}) {
    for_each_wanted(domain, [&](uint32_t id) { session.cupti.enable_callback(1, session.subscriber, domain, id); });
  }
  enable_state_callbacks(session);
  enable_graph_node_callbacks(session);
  counting_launches = counts_kernels();
  const Process* process = awake_process();
  waits_for_buffers = process != nullptr && process->settings.on_full == OnFull::kBlock;
  if (counting_launches) {
    session.cupti.enable_callback(1, session.subscriber, cupti::kResource, cupti::kContextDestroyStarting);
  }
}

void enable_call_records(Session& session) {
  read_chosen_functions(session);
  epoch.fetch_add(1, std::memory_order_relaxed);
  api_calls_as_records.store(true, std::memory_order_relaxed);
  record_calls(session, cupti::kRuntimeApi, true);
  record_calls(session, cupti::kDriverApi, true);
}

void disable_call_records(Session& session) {
  record_calls(session, cupti::kRuntimeApi, false);
  record_calls(session, cupti::kDriverApi, false);
  api_calls_as_records.store(false, std::memory_order_relaxed);
}

}  // namespace xsp::guest
