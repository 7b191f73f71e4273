#include "inject/cupti/state/session.h"

#include <time.h>

#include "inject/guard/errno_guard.h"
#include "inject/guard/pause.h"
#include "inject/record/clock.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kLongestChangeNs = 2'000'000'000;

}  // namespace

constinit ForkWiped<SessionState> session_page;

SessionState* session_state() {
  SessionState* page = session_page.get();
  return page != nullptr && page->ready.load(std::memory_order_acquire) != 0 ? page : nullptr;
}

Session* device_session() {
  SessionState* page = session_state();
  return page == nullptr ? nullptr : &page->session;
}

SessionChange::SessionChange() : held_(false) {
  SessionState* page = session_page.get();
  if (page == nullptr) return;
  const ErrnoGuard errno_guard;
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestChangeNs;
  do {
    held_ = page->changing.exchange(1, std::memory_order_acquire) == 0;
    if (!held_) {
      pause_for(50'000);
    }
  } while (!held_ && nanoseconds(CLOCK_MONOTONIC) < deadline);
}

SessionChange::~SessionChange() {
  SessionState* page = session_page.get();
  if (held_ && page != nullptr) page->changing.store(0, std::memory_order_release);
}

void end_failed_session(std::string_view why) {
  SessionState* page = session_state();
  if (page == nullptr) return;
  if (page->session.mode.exchange(SessionMode::kNone, std::memory_order_acq_rel) == SessionMode::kNone) return;
  tell_end_of_session(why);
  begin_gap(page->gaps, wire::GapReason::kCuptiFailed, why);
}

void count_lost_activities(wire::LossReason reason, uint64_t count) {
  Process* process = awake_process();
  if (process == nullptr) return;
  process->region.header()->losses[static_cast<size_t>(reason)].fetch_add(count, std::memory_order_relaxed);
}

}  // namespace xsp::guest
