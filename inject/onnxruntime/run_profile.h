#pragma once

#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// The profile of one run, which versions from 1.25 on can write (doc/onnxruntime.md). It costs a file, so short runs
/// have one only now and then.
class OrtRunProfile {
 public:
  /// Switches the profile on for a run with these options, if the run should have one. Makes options, so it is not
  /// called for runs that are not recorded in full.
  void begin(OrtSession& session, const void* run_options);
  /// To be called once the run's span has begun. Times in the profile count from when ONNX Runtime begins it inside the
  /// run, which it does not tell: the begin of the span is closer to that than the time in the file's name.
  void span_began();
  /// The run gets no profile.
  void pass(const void* run_options) { options_ = run_options; }
  /// The options to call the run with.
  const void* options() const { return options_; }
  /// To be called after the run: hands the file over. Returns whether there was a profile.
  bool end(OrtSession& session);

 private:
  const void* options_ = nullptr;
  void* own_options_ = nullptr;       // made for this run
  void* borrowed_options_ = nullptr;  // the program's, changed for this run
  uint64_t named_realtime_ = 0;       // in the file's name, for what is left by a process that was killed
  uint64_t began_realtime_ = 0;
};

/// Counts a run that took this long, and changes a session from its own profile to profiles of its runs if these are
/// long enough.
void ort_run_took(OrtSession& session, const void* address, uint64_t nanoseconds, bool was_profiled);

/// The program has switched its own profile of runs on or off; we keep away from those.
void users_run_profile(const void* run_options, bool on);
bool is_users_run_profile(const void* run_options);

/// Whether the program profiles runs itself, which ONNX Runtime refuses while a session's profile is on.
bool user_profiles_runs();

}  // namespace xsp::guest
