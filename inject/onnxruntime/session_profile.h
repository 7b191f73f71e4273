#pragma once

#include "inject/guard/fixed_text.h"
#include "inject/guard/settings.h"
#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// ONNX Runtime's own profile of a session (doc/onnxruntime.md): announced to the collector when it begins, handed over
/// when it is whole.

using OrtPath = FixedText<1100>;

/// The beginning of the paths of a session's profiles: "SCRATCH/ort-c-PID-NUMBER".
OrtPath ort_profile_prefix(const Settings& settings, int pid, uint32_t number);

/// Announces the profile of a session that was just made with one.
void announce_session_profile(const OrtSession& session, const void* address);

/// Ends a profile that we or the program have switched on, unless runs other than `own` are open. The file of a profile
/// of the program's stays where it is.
void end_session_profile(OrtSession& session, const void* address, uint32_t own);

/// The program has ended its own profile. It may move or remove the file, so the collector gets a link or a copy.
void hand_over_users_profile(OrtSession& session, const void* address, const char* path);

/// Ends the profiles that are open in this process; called at exit.
void end_ort_profiles();

/// CLOCK_REALTIME of a time that ONNX Runtime gave: which clock it reads depends on its standard library.
uint64_t to_realtime(uint64_t time);

/// Text of the scope that ties a session's nodes to its runs.
FixedText<64> ort_scope(uint32_t number);

}  // namespace xsp::guest
