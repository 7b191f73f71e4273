#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/cupti/library/cupti_abi.h"
#include "inject/cupti/library/cupti_library.h"
#include "inject/cupti/state/session_notices.h"
#include "inject/guard/fork_wiped.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// What every part may know of the process's one session with CUPTI. session_start.h and session_control.h change it,
/// and call the parts to do so.

/// How the process's use of CUDA is being recorded.
enum class SessionMode : uint32_t {
  kNone = 0,       // not started, or it could not be
  kCallbacks = 1,  // calls by callbacks, as spans of their threads; executions by activity records
  kRecords = 2,    // another profiler in the program has the subscriber: calls by activity records too
  kPaused = 3,     // another profiler has CUPTI's buffers, or nothing is to be recorded now
};

struct Session {
  std::atomic<SessionMode> mode;
  cupti::Functions cupti;
  uint32_t version;  // cuptiGetVersion: 18 for 11.8, 26 for 12.8, 130001 for 13.0.1
  void* subscriber;  // ours, or null
  /// How often kernels were enabled: each time is a session of its own for CUPTI, and some versions get the later ones
  /// wrong (known_faults.h).
  std::atomic<uint32_t> kernel_sessions;
  /// CUPTI's clock when kernels were enabled for the second time; 0: they were not. What began before was launched in
  /// the first of those sessions.
  std::atomic<uint64_t> first_session_until;
  /// flush_by_force() is at work.
  std::atomic<bool> is_forcing;
};

/// Whether kernels are recorded in this mode.
inline bool is_recording(SessionMode mode) { return mode == SessionMode::kCallbacks || mode == SessionMode::kRecords; }

/// The session, or null in a process that has none.
Session* device_session();

/// The session with what the parts that change it keep. On pages that a fork wipes: CUDA does not survive a fork.
struct SessionState {
  Session session;
  std::atomic<uint32_t> started;   // a thread has begun the one attempt there is
  std::atomic<uint32_t> ready;     // all of this can be read
  std::atomic<uint32_t> changing;  // SessionChange
  NamedSubscribe* named_subscribe;
  uint8_t activities;  // Settings::activities
  SessionNotices notices;
  SessionGaps gaps;
  uint32_t pause_reasons;  // why it is paused, a bit per Gap.Reason
  uint32_t retries;        // failed attempts to go on after another profiler, since one succeeded
};
extern constinit ForkWiped<SessionState> session_page;

/// Null where device_session() is.
SessionState* session_state();

/// The lock on the session, for those who change it and while the activity thread has CUPTI flush. The holder calls
/// CUPTI, which may wait for a lock of its own that this thread holds, as a callback or a wrapped call does. Waiting
/// here without an end would therefore deadlock the program: after two seconds the caller goes on without the lock.
class SessionChange {
 public:
  SessionChange();
  ~SessionChange();
  SessionChange(const SessionChange&) = delete;
  SessionChange& operator=(const SessionChange&) = delete;

 private:
  bool held_;
};

/// CUPTI has reported an error after which it shuts itself down: nothing more is recorded, and none of its functions is
/// called again. May come on any thread, inside any call of CUPTI, so it only sets the mode and tells the user.
void end_failed_session(std::string_view why);

/// Counts activities that were lost, by Loss.Reason.
void count_lost_activities(wire::LossReason reason, uint64_t count);

}  // namespace xsp::guest
