#include "inject/cupti/session_window.h"

#include <sys/prctl.h>

#include "inject/cupti/session.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/futex.h"
#include "inject/guard/own_thread.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kStackBytes = size_t{128} * 1024;
constexpr uint64_t kLongestWaitNs = 100'000'000;
constexpr uint64_t kIdleNs = 1'000'000'000;

struct Follower {
  std::atomic<uint32_t> wanted;   // counts changes of the window; futex
  std::atomic<uint32_t> settled;  // the last of them that the session has followed; futex
  bool is_paused;                 // the thread's
};
constinit ForkWiped<Follower> follower_page;

void follow(Follower& follower) {
  const bool wants_pause = !is_window_open();
  if (wants_pause == follower.is_paused) return;
  follower.is_paused = wants_pause;
  if (wants_pause) {
    pause_session(wire::GapReason::kOutsideRange, {});
  } else {
    resume_session(wire::GapReason::kOutsideRange);
  }
}

void* follow_until_end(void* argument) {
  auto& follower = *static_cast<Follower*>(argument);
  prctl(PR_SET_NAME, "xsp-window");
  while (true) {
    const uint32_t seen = follower.wanted.load(std::memory_order_acquire);
    follow(follower);
    follower.settled.store(seen, std::memory_order_release);
    futex_wake(&follower.settled);
    futex_wait(&follower.wanted, seen, kIdleNs);
  }
}

void on_window_change(bool /*is_open*/) {
  const ErrnoGuard errno_guard;
  Follower* follower = follower_page.get();
  if (follower == nullptr || device_session() == nullptr) return;
  const uint32_t change = follower->wanted.fetch_add(1, std::memory_order_acq_rel) + 1;
  futex_wake(&follower->wanted);
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestWaitNs;
  while (true) {
    const uint32_t settled = follower->settled.load(std::memory_order_acquire);
    const uint64_t now_ns = nanoseconds(CLOCK_MONOTONIC);
    if (static_cast<int32_t>(settled - change) >= 0 || now_ns >= deadline) return;
    futex_wait(&follower->settled, settled, deadline - now_ns);
  }
}

}  // namespace

void follow_window() {
  const Process* process = awake_process();
  if (process == nullptr || !process->window.is_used) return;
  Follower* follower = follower_page.make();
  if (follower == nullptr) return;
  // Here, inside cuInit, and not by the thread: the driver may hold locks that it would need.
  follow(*follower);
  if (start_own_thread(follow_until_end, follower, kStackBytes)) {
    window_listener.store(on_window_change, std::memory_order_release);
  }
}

}  // namespace xsp::guest
