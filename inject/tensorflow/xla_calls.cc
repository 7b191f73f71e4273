#include "inject/tensorflow/xla_calls.h"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/spin_lock.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/trace_me.h"
#include "inject/tensorflow/xla_event.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);
constexpr uint32_t kMostCalls = 32;
constexpr uint32_t kMostWaiting = 256;
constexpr size_t kLongestFunction = 96;

/// One moment in both clocks.
struct Moment {
  int64_t ns = trace_me_now();
  uint64_t ticks = now();
};

/// A kernel that runs.
struct XlaCall {
  bool is_open;
  const Thread* thread;  // that it began on
  uint32_t scope;
  uint32_t operations;
  size_t function_size;
  char function[kLongestFunction];

  std::string_view name() const { return {function, function_size}; }
};

/// An operation that has returned and may not be done, or whose end was told before it returned.
struct Waiting {
  uint64_t id;  // 0: a free place
  bool is_done;
  uint32_t place;   // of its call
  uint64_t latest;  // when its call ended; 0: not yet
  uint32_t calls_since;
  shm::Record span;
};

struct XlaCalls {
  SpinLock<LockOrder::kXlaCalls> lock;
  uint32_t open;
  uint32_t undone;  // operations that have returned and are not done
  Moment anchor;    // when the first of the open calls began, or one before them
  XlaCall calls[kMostCalls];
  Waiting waiting[kMostWaiting];
};
constinit ForkWiped<XlaCalls> xla_calls;

using Guard = LockGuard<LockOrder::kXlaCalls>;

/// A time between the first open call's begin and now, in the guest's clock. If the realtime clock was set meanwhile,
/// it is one of these two.
uint64_t ticks_of(const XlaCalls& all, int64_t ns, const Moment& present) {
  if (ns <= all.anchor.ns) return all.anchor.ticks;
  if (ns >= present.ns) return present.ticks;
  const double share = static_cast<double>(ns - all.anchor.ns) / static_cast<double>(present.ns - all.anchor.ns);
  return all.anchor.ticks + static_cast<uint64_t>(share * static_cast<double>(present.ticks - all.anchor.ticks));
}

/// "a_inference_f_12__XlaMustCompile_…" is the module of "__inference_f_12".
bool is_module_of(std::string_view module, std::string_view function) {
  if (module.empty() || function.size() < 2) return false;
  module.remove_prefix(1);
  function.remove_prefix(1);
  return module.starts_with(function) &&
         (module.size() == function.size() || module[function.size()] == '_' || module[function.size()] == '.');
}

/// The open call that an operation on this thread belongs to; null if it may be of several.
XlaCall* call_of(XlaCalls& all, const Thread* thread, std::string_view module) {
  XlaCall* only = nullptr;
  XlaCall* named = nullptr;
  uint32_t open = 0;
  uint32_t of_name = 0;
  for (XlaCall& call : all.calls) {
    if (!call.is_open) continue;
    if (call.thread == thread) return &call;
    only = &call;
    ++open;
    if (!is_module_of(module, call.name())) continue;
    named = &call;
    ++of_name;
  }
  if (of_name == 1) return named;
  // Of XlaLaunch the function is not known. One that is not recorded may run at the same time.
  const bool may_be_its = open == 1 && (module.empty() || !only->name().starts_with("__"));
  return may_be_its ? only : nullptr;
}

/// The end of an operation is told when what follows it has run, which may be a little after the kernel has ended.
bool is_listening(const XlaCalls& all) { return all.open != 0 || all.undone != 0; }

Waiting* waiting_for(XlaCalls& all, uint64_t id) {
  Waiting* const place = std::find_if(std::begin(all.waiting), std::end(all.waiting),
                                      [id](const Waiting& waiting) { return waiting.id == id; });
  return place == std::end(all.waiting) ? nullptr : place;
}

/// What is left of calls that have ended: ends of operations that did not return, and operations whose ends were not
/// told until the call after the next one, as it may be while nothing is recorded.
void forget_ended(XlaCalls* all) {
  all->undone = 0;
  for (Waiting& waiting : all->waiting) {
    if (waiting.is_done || ++waiting.calls_since > 1) waiting.id = 0;
    all->undone += waiting.id != 0 ? 1 : 0;
  }
}

/// An operation that contains others, a loop or a condition, is done after them, on their thread; it gets no span. One
/// that is done, and whose successors run before it returns, does not contain these.
bool contains_others(Thread& thread, uint64_t begin, uint64_t end, uint32_t place) {
  auto& mine = thread.of<TensorflowThread>();
  const bool contains = mine.operation_call == place && begin < mine.operation_begin && mine.operation_begin < end;
  mine.operation_call = place;
  mine.operation_begin = begin;
  return contains;
}

/// What is to be recorded now; its scope is 0 where it belongs to no call of a model.
struct Ready {
  bool is_ready = false;
  shm::Record span{};
};

Ready end_of_operation(XlaCalls& all, Thread& thread, uint64_t id, int64_t end_ns) {
  const Moment present;
  const Guard guard(all.lock);
  uint64_t& following = thread.of<TensorflowThread>().following_begin;
  const uint64_t told = ticks_of(all, end_ns, present);
  const uint64_t followed = following != 0 ? following : told;
  following = 0;
  if (!is_listening(all)) return {};
  if (Waiting* waiting = waiting_for(all, id)) {
    Ready ready{.is_ready = true, .span = waiting->span};
    const uint64_t end = waiting->latest == 0 ? followed : std::min(followed, waiting->latest);
    ready.span.end = std::max(end, ready.span.begin);
    waiting->id = 0;
    --all.undone;
    if (!is_listening(all)) switch_trace_me_off();
    return ready;
  }
  if (all.open == 0) return {};
  if (Waiting* free = waiting_for(all, 0)) {
    *free = {.id = id, .is_done = true, .place = 0, .latest = 0, .calls_since = 0, .span = {}};
    free->span.end = told;
  }
  return {};
}

/// The operation has returned.
Ready add_operation(XlaCalls& all, Thread& thread, const XlaEvent& event, int64_t begin_ns, int64_t end_ns) {
  shm::Record span{};
  span.name = intern(event.operation);
  span.type = intern(event.type);
  const Moment present;
  const Guard guard(all.lock);
  thread.of<TensorflowThread>().following_begin = 0;
  if (all.open == 0) return {};
  span.begin = ticks_of(all, begin_ns, present);
  span.end = ticks_of(all, end_ns, present);
  Waiting* const told = event.id == 0 ? nullptr : waiting_for(all, event.id);
  if (told != nullptr) {
    told->id = 0;
    span.end = std::max(told->span.end, span.begin);
  }
  XlaCall* const call = call_of(all, &thread, event.module);
  const uint32_t place = call == nullptr ? 0 : static_cast<uint32_t>(call - all.calls) + 1;
  const bool is_done = event.id == 0 || told != nullptr;
  if (is_done && contains_others(thread, span.begin, span.end, place)) return {};
  if (call != nullptr) {
    ++call->operations;
    span.scope = call->scope;
  }
  Waiting* const free = is_done ? nullptr : waiting_for(all, 0);
  if (free == nullptr) return {.is_ready = true, .span = span};
  *free = {.id = event.id, .is_done = false, .place = place, .latest = 0, .calls_since = 0, .span = span};
  ++all.undone;
  return {};
}

/// The end of an operation is not recorded.
void forget_operation(XlaCalls& all, uint64_t id) {
  const Guard guard(all.lock);
  Waiting* const waiting = waiting_for(all, id);
  if (waiting == nullptr || waiting->is_done) return;
  waiting->id = 0;
  --all.undone;
  if (!is_listening(all)) switch_trace_me_off();
}

void keep_following(XlaCalls& all, Thread& thread, int64_t begin_ns) {
  const Moment present;
  const Guard guard(all.lock);
  if (is_listening(all)) thread.of<TensorflowThread>().following_begin = ticks_of(all, begin_ns, present);
}

void record_operation(Thread& thread, shm::Record& span) {
  span.level = span.scope != 0 && !has_layers(span.scope) ? kLevelLayer : kLevelApplication;
  span.kind = kKindOperator;
  record_span(thread, span);
}

void hear_event(std::string_view name, int64_t begin, int64_t end) {
  XlaCalls* all = xla_calls.get();
  if (all == nullptr || awake_process() == nullptr) return;
  const XlaEvent event = parse_xla_event(name);
  if (event.kind == XlaEvent::Kind::kOther) return;
  const ErrnoGuard errno_guard;
  Thread* thread = is_window_open() ? recording_thread() : nullptr;
  if (thread == nullptr) {
    if (event.kind == XlaEvent::Kind::kEnd) forget_operation(*all, event.id);
    return;
  }
  const HookTimer timer(thread);
  if (event.kind == XlaEvent::Kind::kFollowing) return keep_following(*all, *thread, begin);
  Ready ready = event.kind == XlaEvent::Kind::kEnd ? end_of_operation(*all, *thread, event.id, begin)
                                                   : add_operation(*all, *thread, event, begin, end);
  if (ready.is_ready) record_operation(*thread, ready.span);
}

bool can_hear() {
  static constinit std::atomic<int> known{0};  // 1: being asked, 2: yes, 3: no
  int expected = 0;
  if (known.compare_exchange_strong(expected, 1)) known.store(listen_to_trace_me(hear_event) ? 2 : 3);
  return known.load() == 2;
}

}  // namespace

bool may_be_compiled(std::string_view type) {
  return type.starts_with("__inference_") || type.starts_with("__forward_") || type.starts_with("__backward_") ||
         type == "XlaLaunch" || type == "XlaLocalLaunch" || type == "_XlaRun";
}

uint32_t begin_xla_call(Thread& thread, uint32_t scope, std::string_view type) {
  const ErrnoGuard errno_guard;
  XlaCalls* all = scope == 0 || !can_hear() ? nullptr : xla_calls.make();
  if (all == nullptr) return 0;
  uint32_t place = 0;
  {
    const Guard guard(all->lock);
    XlaCall* const free =
        std::find_if(std::begin(all->calls), std::end(all->calls), [](const XlaCall& call) { return !call.is_open; });
    if (free == std::end(all->calls)) return 0;
    *free = {.is_open = true,
             .thread = &thread,
             .scope = scope,
             .operations = 0,
             .function_size = std::min(type.size(), kLongestFunction),
             .function = {}};
    memcpy(free->function, type.data(), free->function_size);
    if (all->open++ == 0) {
      forget_ended(all);
      if (all->undone == 0) all->anchor = Moment{};
    }
    place = static_cast<uint32_t>(free - all->calls) + 1;
  }
  switch_trace_me_on();
  return place;
}

uint32_t end_xla_call(uint32_t place, uint64_t end) {
  XlaCalls* all = xla_calls.get();
  if (all == nullptr || place == 0) return 0;
  const ErrnoGuard errno_guard;
  const Guard guard(all->lock);
  XlaCall& call = all->calls[place - 1];
  if (!call.is_open) return 0;
  call.is_open = false;
  // A kernel is told of its last operation before the profiler is.
  for (Waiting& waiting : all->waiting) {
    if (waiting.id != 0 && waiting.place == place && waiting.latest == 0) waiting.latest = end;
  }
  if (--all->open == 0 && all->undone == 0) switch_trace_me_off();
  return call.operations;
}

}  // namespace xsp::guest
