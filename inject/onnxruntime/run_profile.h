#pragma once

#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// The profile of one run, which versions from 1.25 on can write (doc/onnxruntime.md). It costs a file, so that short
/// runs have one now and then only.
class OrtRunProfile {
 public:
  /// Switches it on for a run with these options, if it is to have one. Not for hot runs: makes options.
  void begin(OrtSession& session, const void* run_options);
  /// It is to have none.
  void pass(const void* run_options) { options_ = run_options; }
  /// What the run is to be called with.
  const void* options() const { return options_; }
  /// Behind the run: hands the file over. Whether there was a profile.
  bool end(OrtSession& session);

 private:
  const void* options_ = nullptr;
  void* own_options_ = nullptr;       // made for this run
  void* borrowed_options_ = nullptr;  // the program's, changed for this run
  uint64_t start_realtime_ = 0;
};

/// A run took so long: counts it, and changes a session from its own profile to those of its runs when they are long
/// enough to bear it.
void ort_run_took(OrtSession& session, const void* address, uint64_t nanoseconds, bool was_profiled);

/// The program's own profiles of runs stay its own.
void users_run_profile(const void* run_options, bool on);
bool is_users_run_profile(const void* run_options);

/// Whether the program profiles runs itself: ONNX Runtime would not, where a session's profile is on.
bool user_profiles_runs();

}  // namespace xsp::guest
