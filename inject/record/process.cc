#include "inject/record/process.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/futex.h"
#include "inject/guard/pause.h"
#include "inject/guard/sanitizers.h"
#include "inject/record/posted_packets.h"
#include "inject/record/upward_calls.h"
#include "proto/wire_writer.h"

namespace xsp::guest {
namespace {

uint8_t recorded_calls(const Settings& settings) {
  return static_cast<uint8_t>(settings.deepest_level + (settings.all_library_calls ? kAllCalls : 0));
}

/// Does nothing once the guest has been turned off.
void change_state(State from, State to, uint8_t library_state) {
  if (!state.compare_exchange_strong(from, to, std::memory_order_acq_rel)) return;
  xsp_library_state = library_state;
  // turn_hooks_off() takes no lock, and may have come between the exchange and the store: off must win.
  if (state.load(std::memory_order_acquire) == State::kOff) xsp_library_state = 0;
}

/// The fork-wiped page: made once, and found again, zeroed, by all children.
constinit std::atomic<Process*> process_page{nullptr};
Process* process_memory() {
  Process* page = process_page.load(std::memory_order_acquire);
  if (page != nullptr) return page;
  auto* fresh = static_cast<Process*>(allocate_fork_wiped(sizeof(Process)));
  if (fresh == nullptr) return nullptr;
  // No lock, as the locks live on that page: a thread that was faster wins, and `page` is then its page.
  if (process_page.compare_exchange_strong(page, fresh)) return fresh;
  release_fork_wiped(fresh, sizeof(Process));
  return page;
}

}  // namespace

Process* awake_process() {
  Process* process = process_page.load(std::memory_order_acquire);
  if (process == nullptr || process->phase.load(std::memory_order_acquire) != Process::kReady) return nullptr;
  return state.load(std::memory_order_relaxed) != State::kOff ? process : nullptr;
}

Process* wake_process() {
  if (state.load(std::memory_order_relaxed) == State::kOff) return nullptr;
  // In a program's preinit functions libc has no environment yet. Not a reason to turn off: the next hook tries again.
  if (environ == nullptr) return nullptr;
  // Before anything that such a sanitizer intercepts, as it does the functions by which locks keep signals off.
  if (misread_by_sanitizer()) {
    turn_hooks_off();
    return nullptr;
  }
  Process* process = process_memory();
  if (process == nullptr) return nullptr;
  if (process->phase.load(std::memory_order_acquire) == Process::kReady) return process;

  const ErrnoGuard errno_guard;
  // The start opens files and connects, which are cancellation points.
  const CancelGuard cancel_guard;
  // Held during the whole start: guard/lock_order.h says why.
  const LockGuard lock(process->lock);
  if (process->phase.load(std::memory_order_relaxed) == Process::kReady) return process;
  return upward_calls.start(*process) ? process : nullptr;
}

void turn_hooks_on(Process& process) {
  uint32_t levels = 0;
  for (uint32_t level = 1; level <= kLevelDevice; ++level) {
    if (level <= kLevelModel || level <= process.settings.deepest_level) levels |= uint32_t{1} << level;
  }
  const bool is_open = process.pause_reasons.load(std::memory_order_relaxed) == 0;
  // First, as hooks that find the switches on look for a process that is ready.
  process.phase.store(Process::kReady, std::memory_order_release);
  wanted_calls.store(recorded_calls(process.settings), std::memory_order_relaxed);
  api_levels.store(levels, std::memory_order_relaxed);
  state.store(is_open ? State::kOn : State::kPaused, std::memory_order_relaxed);
  xsp_library_state = is_open ? recorded_calls(process.settings) : kLibraryPaused;
}

void turn_hooks_off() {
  state.store(State::kOff, std::memory_order_relaxed);
  wanted_calls.store(0, std::memory_order_relaxed);
  api_levels.store(0, std::memory_order_relaxed);
  xsp_library_state = 0;
}

/// Not inlined: its callers are cold.
__attribute__((noinline)) void wake_sender(Process& process) {
  // Sequentially consistent on both sides: the sender says that it sleeps and then looks at the word, we change the
  // word and then look whether it sleeps. With less, both could miss the other, and the sender would sleep on.
  process.wake_word.fetch_add(1, std::memory_order_seq_cst);
  if (process.sender_sleeping.load(std::memory_order_seq_cst) == 0) return;
  const ErrnoGuard errno_guard;
  futex_wake(&process.wake_word);
}

void pause_hooks(PauseReason reason) {
  Process* process = awake_process();
  if (process == nullptr) return;
  const LockGuard lock(process->pause_lock);
  process->pause_reasons.fetch_or(static_cast<uint8_t>(reason), std::memory_order_relaxed);
  // Reason and state change under one lock: else a resume between the two would leave hooks paused without a reason.
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
  // Before the hooks are off: afterwards awake_process() returns null.
  if (Process* process = awake_process()) wake_sender(*process);
  turn_hooks_off();
}

uint32_t intern(std::string_view text) {
  Process* process = wake_process();
  if (process == nullptr) return 0;
  // Without the lock, which costs two system calls: nearly all texts are known.
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
    process->posted_bytes.fetch_add(length, std::memory_order_release);
  }
  wake_sender(*process);
  return true;
}

void wait_until_posted_is_sent(Process& process, uint64_t longest_ns) {
  const uint64_t posted = process.posted_bytes.load(std::memory_order_acquire);
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + longest_ns;
  while (process.sent_bytes.load(std::memory_order_acquire) < posted &&
         process.sender_running.load(std::memory_order_relaxed) != 0 && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    wake_sender(process);
    // Polled, as a process that is about to _exit may not wait for a lock or a condition that another thread holds.
    pause_for(200'000);
  }
}

void notify(uint32_t severity, std::string_view component, std::string_view text) {
  uint8_t buffer[2048];
  WireWriter writer(buffer, sizeof buffer);
  write_notice(writer, severity, component, text);
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
