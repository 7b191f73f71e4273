#include "inject/record/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/cupti/session.h"
#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/interpose/unintercepted.h"
#include "inject/interpose/used_libraries.h"
#include "inject/send/packets.h"
#include "inject/send/sender.h"
#include "proto/wire_writer.h"

namespace xsp::guest {
namespace {

uint8_t recorded_calls(const Settings& settings) {
  return static_cast<uint8_t>(settings.deepest_level + (settings.all_library_calls ? kAllCalls : 0));
}

void turn_hooks_off() {
  state.store(State::kOff, std::memory_order_relaxed);
  wanted_calls.store(0, std::memory_order_relaxed);
  xsp_library_state = 0;
}

/// Unless the guest has been turned off.
void change_state(State from, State to, uint8_t library_state) {
  if (!state.compare_exchange_strong(from, to, std::memory_order_acq_rel)) return;
  xsp_library_state = library_state;
  if (state.load(std::memory_order_acquire) == State::kOff) xsp_library_state = 0;
}

/// The fork-wiped page, made once and for all processes to come.
constinit std::atomic<Process*> process_page{nullptr};
/// Survives a fork: where the parent's strings are, and what the child must close.
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

Process* process_memory() {
  Process* page = process_page.load(std::memory_order_acquire);
  if (page != nullptr) return page;
  auto* fresh = static_cast<Process*>(allocate_fork_wiped(sizeof(Process)));
  if (fresh == nullptr) return nullptr;
  if (process_page.compare_exchange_strong(page, fresh)) return fresh;
  release_fork_wiped(fresh, sizeof(Process));
  return page;
}

void flush_at_exit() {
  const ErrnoGuard errno_guard;
  Process* process = awake_process();
  if (process == nullptr) return;
  finish_session();
  if (report_unintercepted != nullptr) report_unintercepted();
  stop_sender(*process);
}

/// A child of a process that is paused has a window of its own: its first hook looks.
void wake_child_of_paused() {
  if (state.load(std::memory_order_relaxed) != State::kPaused) return;
  state.store(State::kAsleep, std::memory_order_relaxed);
  xsp_library_state = kLibraryAsleep;
}

void prepare_child() {
  close_inherited_socket();
  wake_child_of_paused();
}

/// Registered once: both survive a fork.
void register_exit_and_fork() {
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  atexit(flush_at_exit);
  at_quick_exit(flush_at_exit);
  pthread_atfork(nullptr, nullptr, prepare_child);
}

bool start(Process& process) {
  clock_source = choose_clock();
  if (!create_shared_region(&process.region, static_cast<uint8_t>(clock_source))) {
    process.region = {};
    say_why_off(process, "no shared memory: the limit on file sizes or on address space (ulimit -f, -v) is too low");
    return false;
  }
  const SharedRegion former = inheritance.region;
  if (former.base != nullptr) copy_strings(former, process.region);
  inheritance.region = process.region;
  // Last: a child forked meanwhile by another thread copies from what is named here.
  if (former.base != nullptr) munmap(former.base, former.bytes);
  void* outbox = mmap(nullptr, kOutboxBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
  if (!connect_and_greet(process)) return false;
  inheritance.socket = process.socket;
  register_exit_and_fork();
  if (!prepare_window(process)) {
    process.pause_reasons.store(static_cast<uint8_t>(PauseReason::kOutsideWindow), std::memory_order_relaxed);
  }
  prepare_sampling(process);
  prepare_hook_times(process.hook_times);
  return true;
}

}  // namespace

Process* awake_process() {
  Process* process = process_page.load(std::memory_order_acquire);
  if (process == nullptr || process->phase.load(std::memory_order_acquire) != Process::kReady) return nullptr;
  return state.load(std::memory_order_relaxed) != State::kOff ? process : nullptr;
}

Process* wake_process() {
  if (state.load(std::memory_order_relaxed) == State::kOff) return nullptr;
  // In a program's preinit functions, libc has no environment yet: the settings are there a little later.
  if (environ == nullptr) return nullptr;
  Process* process = process_memory();
  if (process == nullptr) return nullptr;
  if (process->phase.load(std::memory_order_acquire) == Process::kReady) return process;

  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const LockGuard lock(process->lock);
  if (process->phase.load(std::memory_order_relaxed) == Process::kReady) return process;
  close_inherited_socket();
  process->settings = read_settings();
  process->pid = getpid();
  process->socket = -1;
  api_calls_as_records.store(false, std::memory_order_relaxed);  // those of the parent
  if (!wanted(process->settings) || !start(*process)) {
    turn_hooks_off();
    return nullptr;
  }
  const bool is_open = process->pause_reasons.load(std::memory_order_relaxed) == 0;
  process->phase.store(Process::kReady, std::memory_order_release);
  wanted_calls.store(recorded_calls(process->settings), std::memory_order_relaxed);
  state.store(is_open ? State::kOn : State::kPaused, std::memory_order_relaxed);
  xsp_library_state = is_open ? recorded_calls(process->settings) : kLibraryPaused;
  if (note_bound_libraries != nullptr) note_bound_libraries(*process);
  start_sender(*process);
  return process;
}

void pause_hooks(PauseReason reason) {
  Process* process = awake_process();
  if (process == nullptr) return;
  const LockGuard lock(process->pause_lock);
  process->pause_reasons.fetch_or(static_cast<uint8_t>(reason), std::memory_order_relaxed);
  change_state(State::kOn, State::kPaused, kLibraryPaused);
}

void resume_hooks(PauseReason reason) {
  Process* process = awake_process();
  if (process == nullptr) return;
  const LockGuard lock(process->pause_lock);
  const auto bit = static_cast<uint8_t>(reason);
  if ((process->pause_reasons.fetch_and(static_cast<uint8_t>(~bit), std::memory_order_relaxed) & ~bit) != 0) return;
  change_state(State::kPaused, State::kOn, wanted_calls.load(std::memory_order_relaxed));
}

void turn_off(const char* why) {
  notify(2, "guest", why);
  if (Process* process = awake_process()) wake_sender(*process);
  turn_hooks_off();
}

uint32_t intern(std::string_view text) {
  Process* process = wake_process();
  if (process == nullptr) return 0;
  if (const uint32_t known = process->strings.find(process->region, text); known != 0) return known;
  const LockGuard lock(process->lock);
  return process->strings.intern(process->region, text);
}

bool post_packet(const void* bytes, size_t length) {
  Process* process = wake_process();
  if (process == nullptr) return false;
  {
    const LockGuard lock(process->lock);
    if (process->outbox_used + length > kOutboxBytes) return false;
    memcpy(process->outbox + process->outbox_used, bytes, length);
    process->outbox_used += length;
  }
  wake_sender(*process);
  return true;
}

void notify(uint32_t severity, std::string_view component, std::string_view text) {
  uint8_t buffer[2048];
  WireWriter writer(buffer, sizeof buffer);
  write_notice(writer, severity, component, text);
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
