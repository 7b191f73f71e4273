#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/cupti/cupti_abi.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// How the process's use of CUDA is being recorded.
enum class SessionMode : uint32_t {
  kNone = 0,       // not started, or it could not be
  kCallbacks = 1,  // calls by callbacks, as spans of their threads; executions by activity records
  kRecords = 2,    // another one in the program has the subscriber: calls by activity records too
  kPaused = 3,     // another profiler has CUPTI's buffers, or nothing is to be recorded now
};

/// The process's one session with CUPTI. On pages that a fork wipes: CUDA does not survive a fork.
struct Session {
  std::atomic<SessionMode> mode;
  cupti::Functions cupti;
  uint32_t version;  // cuptiGetVersion: 18 for 11.8, 26 for 12.8, 130001 for 13.0.1
  void* subscriber;  // ours, or null
  /// How often kernels were enabled: CUPTI's sessions, of which some versions get the later ones wrong
  /// (known_faults.h).
  std::atomic<uint32_t> kernel_sessions;
  /// CUPTI's clock when they were for the second time; 0: they were not. What began before was launched in the first.
  std::atomic<uint64_t> first_session_until;
  /// flush_by_force is at work.
  std::atomic<bool> is_forcing;
};

/// The session, or null in a process that has none.
Session* device_session();

/// Starts the session, once in a process; further calls do nothing. Called inside cuInit (InitializeInjection), and
/// behind the first call of the CUDA runtime where that did not happen. What is in the way is told by a notice: no
/// libcupti, a version that does not fit the driver, another subscriber.
void start_session();

/// Hands CUPTI over to another profiler in the program, or stops recording it for a while: what was recorded is
/// flushed, our kinds are disabled, our subscriber leaves. The gap is told. Takes effect before it returns.
void pause_session(wire::GapReason reason, std::string_view who);

/// Ends the pause of that reason and, when no other one holds, goes on, with callbacks if the subscriber can be had.
/// Never from a thread of the program: CUPTI may be in the middle of a call of its own there. `is_due`, if given, has
/// the last word, when nobody else can pause any more.
void resume_session(wire::GapReason reason, bool (*is_due)() = nullptr);

/// In how many nanoseconds to ask again for a resume that failed; UINT64_MAX: not by itself. It is asked for a bounded
/// number of times, and whenever another profiler leaves.
uint64_t resume_again_in();

/// Our subscriber leaves for another one's: calls come as records from now on. Takes effect before it returns.
void give_up_subscriber(std::string_view who);

/// Calls come by callbacks again, if the subscriber can be had. Where and when as resume_session.
void regain_subscriber(bool (*is_due)());

/// Has CUPTI hand over all finished records and waits, at most two seconds, until they are in the ring. At exit.
void finish_session();

/// CUPTI has told of an error after which it ends itself: nothing more is recorded, and nothing of it called. On any
/// thread, inside any call of CUPTI.
void end_failed_session(std::string_view why);

/// Has CUPTI return what is finished before a context ends, on the thread that ends it.
void flush_before_context_ends();

/// Counts activities that were lost, by Loss.Reason.
void count_lost_activities(wire::LossReason reason, uint64_t count);

}  // namespace xsp::guest
