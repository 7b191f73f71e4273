#include "inject/lifecycle/lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <iterator>
#include <utility>

#include "inject/concurrency/thread_settings.h"
#include "inject/concurrency/told_counts.h"
#include "inject/cupti/counting/counter_thread.h"
#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/session/injection.h"
#include "inject/cupti/session/session_control.h"
#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/interpose/looked_up.h"
#include "inject/interpose/unintercepted.h"
#include "inject/interpose/used_libraries.h"
#include "inject/mxnet/engine_hooks.h"
#include "inject/onnxruntime/api_tables.h"
#include "inject/record/process.h"
#include "inject/record/thread.h"
#include "inject/record/upward_calls.h"
#include "inject/send/sender.h"
#include "inject/send/sender_state.h"
#include "inject/send/unrecorded_note.h"
#include "inject/streams/stream_events.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/trace_me.h"
#include "inject/torch/allocations.h"
#include "proto/unrecorded.h"

namespace xsp::guest {
namespace {

/// What a part of the guest does at the turning points of a process's life; null where it has nothing to do. See
/// kParts.
struct Part {
  const char* name;

  /// The process wakes, and no hook records yet. Process::lock is held. False: nothing is recorded in this process.
  bool (*prepare)(Process& process) = nullptr;
  /// Hooks record from now on. Process::lock is still held.
  void (*begin)(Process& process) = nullptr;
  /// In a forked child, before fork() returns there. Not after a raw clone: what must be right there too lies on pages
  /// that a fork wipes.
  void (*forked)() = nullptr;
  /// A thread that has recorded ends, on that thread.
  void (*thread_ends)(Thread& thread) = nullptr;
  /// The process ends by exit(), quick_exit() or with its last thread. May wait a few seconds.
  void (*end)(Process& process) = nullptr;
  /// The process ends by _exit() on this thread: no handler runs, and what waits in the rings is the collector's.
  /// May wait, as `end` may.
  void (*leave)(Process& process) = nullptr;
  /// How many threads of its own run.
  int (*own_threads)() = nullptr;
};

constexpr uint64_t kLongestLeaveNs = 500'000'000;

/// What survives a fork on purpose: where the parent's strings are, so that their ids stay valid in the child, and the
/// connection that the child must close. Ordinary memory, changed with Process::lock only, and by fork's child handler.
struct Inheritance {
  SharedRegion region;
  int socket;
};
constinit Inheritance inheritance{{nullptr, 0, -1}, -1};

/// The inherited end of the parent's connection would keep the parent alive in the collector's eyes.
void close_inherited_socket() {
  if (inheritance.socket >= 0) close(inheritance.socket);
  inheritance.socket = -1;
}

// The shared memory, its strings and its clock. First, as everything else writes into it.

/// Strings of the parent are copied, so that ids which are kept in its memory, and with it in ours, stay valid.
void take_over_strings(const SharedRegion& region) {
  const SharedRegion former = inheritance.region;
  if (former.base != nullptr) copy_strings(former, region);
  inheritance.region = region;
  // Last: a child forked meanwhile by another thread copies from what is named here.
  if (former.base != nullptr) munmap(former.base, former.bytes);
}

bool make_memory(Process& process) {
  // Before the region, whose header says which clock it is.
  clock_source = choose_clock();
  if (!create_shared_region(&process.region, static_cast<uint8_t>(clock_source))) {
    process.region = {};
    if (is_out_of_descriptors(errno)) {
      leave_unrecorded_note(process.settings, unrecorded::kNoDescriptor);
    } else {
      say_why_off(process, "no shared memory: the limit on file sizes or on address space (ulimit -f, -v) is too low");
    }
    return false;
  }
  take_over_strings(process.region);
  void* outbox = mmap(nullptr, kOutboxBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Behind the parent's strings, which its index is made over.
  if (outbox == MAP_FAILED || !process.strings.open(process.region)) {
    close(process.region.descriptor);
    say_why_off(process, "out of memory");
    return false;
  }
  process.outbox = static_cast<uint8_t*>(outbox);
  process.first_clock = read_clock_pair();
  shm::SharedHeader* header = process.region.header();
  for (int i = 0; i < 2; ++i) {
    header->clock_ticks[i].store(process.first_clock.ticks, std::memory_order_relaxed);
    header->clock_ns[i].store(process.first_clock.monotonic_ns, std::memory_order_relaxed);
  }
  return true;
}

// The connection and the sender. The greeting hands the memory over, so that it comes after it; the collector holds the
// memory from then on, and has what is recorded even if the process is killed in the next instant.

bool greet(Process& process) {
  if (!connect_and_greet(process)) return false;
  inheritance.socket = process.of<SenderState>().socket;
  return true;
}

/// By it the collector tells a process that left from one that was killed.
void say_that_it_left(Process& process) {
  // The rings are the collector's anyway; what the parts above have posted to the outbox dies with the process.
  wait_until_posted_is_sent(process, kLongestLeaveNs);
  process.region.header()->goodbye.store(1, std::memory_order_release);
}

// What is recorded. After the greeting: a process in which nobody listens is not to measure its clock for it.

bool prepare_recording(Process& process) {
  if (!prepare_window(process)) {
    process.pause_reasons.store(static_cast<uint8_t>(PauseReason::kOutsideWindow), std::memory_order_relaxed);
  }
  // After the window: where a range is awaited, spans are watched too.
  prepare_sampling(process);
  prepare_hook_times(process.hook_times);
  return true;
}

/// A child of a process that is paused has a window of its own: its first hook looks.
void wake_child_of_paused() {
  if (state.load(std::memory_order_relaxed) != State::kPaused) return;
  state.store(State::kAsleep, std::memory_order_relaxed);
  xsp_library_state = kLibraryAsleep;
}

// Library calls. Weak in tests that link no wrappers.

void note_libraries(Process& process) {
  if (note_bound_libraries != nullptr) note_bound_libraries(process);
}

void report_passed_calls(Process&) {
  if (report_unintercepted != nullptr) report_unintercepted();
}

// CUPTI. Its session starts by itself, inside cuInit. What it still holds nobody could take from it later.

void finish_device(Process&) { finish_session(); }

int device_threads() {
  return (activity_thread_runs() ? 1 : 0) + (stream_thread_runs() ? 1 : 0) + (counter_thread_runs() ? 1 : 0);
}

/// In the order in which they prepare: each finds what those before it have made. They begin and end from the last to
/// the first, so that the sender comes when there is something to send, and after all that is to be sent.
constexpr Part kParts[] = {
    {.name = "memory", .prepare = make_memory},
    {.name = "connection",
     .prepare = greet,
     .begin = start_sender,
     .forked = close_inherited_socket,
     .end = stop_sender,
     .leave = say_that_it_left},
    {.name = "recording", .prepare = prepare_recording, .forked = wake_child_of_paused},
    {.name = "library calls", .begin = note_libraries, .end = report_passed_calls},
    {.name = "device", .end = finish_device, .leave = finish_device, .own_threads = device_threads},
    {.name = "memory of model calls", .thread_ends = drop_memory_of_call},
    {.name = "threads of model calls",
     .begin = begin_thread_settings,
     .forked = restore_threads_of_child,
     .thread_ends = drop_thread_settings,
     .end = flush_thread_counts,
     .leave = flush_thread_counts},
    {.name = "calls of TensorFlow", .forked = switch_trace_me_off, .thread_ends = leave_tensorflow},
};

/// The passes. Written out for each part: no table is left in the library, and the calls are those that stand in it.
constexpr auto kAll = std::make_index_sequence<std::size(kParts)>();
template <size_t... kAt>
void first_to_last(std::index_sequence<kAt...>, auto&& visit) {
  (visit(kParts[kAt]), ...);
}
template <size_t... kAt>
void last_to_first(std::index_sequence<kAt...>, auto&& visit) {
  (visit(kParts[sizeof...(kAt) - 1 - kAt]), ...);
}

/// The handler of exit() and quick_exit(): on the thread that ends the process; waits a few seconds at most. It is
/// registered when the process wakes, and so runs after most others. Two parts cannot wait for that, and have handlers
/// of their own, which come before it: CUPTI's session, whose records are to be fetched before CUDA's handlers take it
/// down (cupti/session/session_start.cc), and the profiles of ONNX Runtime, which its sessions write
/// (onnxruntime/made_sessions.cc).
void end_process() {
  const ErrnoGuard errno_guard;
  Process* process = awake_process();
  if (process == nullptr) return;
  // From the top down: CUPTI's records go into the rings, then the report into the outbox, then the sender empties
  // both and says goodbye. What comes after it is lost.
  last_to_first(kAll, [&](const Part& part) {
    if (part.end != nullptr) part.end(*process);
  });
}

/// In a forked child, before fork() returns there.
void prepare_child() {
  first_to_last(kAll, [&](const Part& part) {
    if (part.forked != nullptr) part.forked();
  });
}

/// Once for the process and all its forked children, in which the registrations hold too. Only where somebody listens:
/// a process that is not recorded is to have no handler of ours.
void register_exit_and_fork() {
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  atexit(end_process);
  at_quick_exit(end_process);
  pthread_atfork(nullptr, nullptr, prepare_child);
}

bool prepare_parts(Process& process) {
  bool is_prepared = true;
  first_to_last(
      kAll, [&](const Part& part) { is_prepared = is_prepared && (part.prepare == nullptr || part.prepare(process)); });
  return is_prepared;
}

/// Starts recording in a process that nobody has woken yet: reads the settings, has every part prepare, switches the
/// hooks on, has every part begin. Called by wake_process() with Process::lock, once in a process and once in each
/// forked child that records. False: the guest stays off in this process, because nobody asked for it, nobody listens,
/// or there is no memory for it.
///
/// All of it holds Process::lock (guard/lock_order.h says why). *Rejected:* a phase "starting" without the lock, in
/// which other threads would lose their first spans.
bool start_process(Process& process) {
  // Also in a child that is not recorded: its end of the parent's connection would keep the parent alive in the
  // collector's eyes. Where the child came by a raw clone, no atfork handler has closed it.
  close_inherited_socket();
  process.settings = read_settings();
  process.pid = getpid();
  process.of<SenderState>().socket = -1;
  api_calls_as_records.store(false, std::memory_order_relaxed);  // those of the parent
  if (!wanted(process.settings) || !prepare_parts(process)) {
    turn_hooks_off();
    return false;
  }
  register_exit_and_fork();
  // Before the parts begin: what they note while hooks already record is noted twice rather than never.
  turn_hooks_on(process);
  last_to_first(kAll, [&](const Part& part) {
    if (part.begin != nullptr) part.begin(process);
  });
  return true;
}

void end_thread(Thread& thread) {
  first_to_last(kAll, [&](const Part& part) {
    if (part.thread_ends != nullptr) part.thread_ends(thread);
  });
}

int own_threads() {
  int threads = 0;
  first_to_last(kAll, [&](const Part& part) {
    if (part.own_threads != nullptr) threads += part.own_threads();
  });
  return threads;
}

}  // namespace

void leave_process() {
  Process* process = awake_process();
  if (process == nullptr || process->pid != getpid()) return;
  // _exit is no cancellation point: a thread that is cancelled already must not be unwound out of it by what we wait
  // for.
  const CancelGuard cancel_guard;
  last_to_first(kAll, [&](const Part& part) {
    if (part.leave != nullptr) part.leave(*process);
  });
}

namespace {

constexpr LookedUp kLookedUp[] = {
    {"TF_SessionRun", "libtensorflow", nullptr},
    {"TFE_Execute", "libtensorflow", nullptr},
    {"MXInvokeCachedOp", "libmxnet", nullptr},
    {"MXInvokeCachedOpEx", "libmxnet", nullptr},
    {"MXExecutorForward", "libmxnet", nullptr},
    {"MXExecutorBackward", "libmxnet", nullptr},
    {"MXExecutorBackwardEx", "libmxnet", nullptr},
    {"MXAutogradBackward", "libmxnet", nullptr},
    {"MXAutogradBackwardEx", "libmxnet", nullptr},
    {"MXPredForward", "libmxnet", nullptr},
    // They come before an executor is made, whose work is kept.
    {"MXExecutorBindEX", "libmxnet", watch_mxnet},
    {"MXExecutorSimpleBind", "libmxnet", watch_mxnet},
    {"MXExecutorSimpleBindEx", "libmxnet", watch_mxnet},
    {"MXExecutorSimpleBindEx64", "libmxnet", watch_mxnet},
    {"MXPredCreate", "libmxnet", watch_mxnet},
};

}  // namespace

constexpr UpwardCalls upward_calls = {
    .start = start_process,
    .thread_ends = end_thread,
    .own_threads = own_threads,
    .runtime_call_returned = start_session_behind_call,
    .observed_name = "OrtGetApiBase",
    .observe = attach_onnxruntime,
    .looked_up = kLookedUp,
    .looked_up_count = std::size(kLookedUp),
};

}  // namespace xsp::guest
