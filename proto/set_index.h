#pragma once

/// set.json, the index of a set of runs (doc/experiments.md): the launcher writes it, xsp-report reads it. And how the
/// launcher tells its collector which run of a set it records. Names of the members of JSON objects; reading and
/// writing JSON is each side's own.

#include <cstdint>

namespace xsp::set_index {

inline constexpr const char* kFileName = "set.json";
/// The value of kFormat: a reader refuses higher ones.
inline constexpr int64_t kFormatVersion = 1;

inline constexpr const char* kFormat = "format";
inline constexpr const char* kSet = "set";  // 16 hexadecimal digits
inline constexpr const char* kProgram = "program";
inline constexpr const char* kCommand = "command";
inline constexpr const char* kBegan = "began";  // UTC, ISO 8601
inline constexpr const char* kState = "state";  // of the set below; of a run likewise
inline constexpr const char* kStoppedBy = "stopped_by";
inline constexpr const char* kWarmUpLog = "warm_up_log";
inline constexpr const char* kRuns = "runs";  // an array of objects

/// Of a run; kState too.
inline constexpr const char* kIndex = "index";  // from 1, in order of execution
inline constexpr const char* kTrace = "trace";  // names of files in the folder
inline constexpr const char* kLog = "log";
inline constexpr const char* kLevel = "level";
inline constexpr const char* kRepetition = "repetition";
inline constexpr const char* kPurpose = "purpose";        // a word
inline constexpr const char* kParameters = "parameters";  // an object
inline constexpr const char* kVariables = "variables";    // likewise: of the environment, where the set sets some
inline constexpr const char* kSignal = "signal";          // one of these two
inline constexpr const char* kExitStatus = "exit_status";
inline constexpr const char* kSeconds = "seconds";
inline constexpr const char* kWhy = "why";  // it was dropped

/// What kState of the set may be.
inline constexpr const char* kSetIsRunning = "running";
inline constexpr const char* kSetIsComplete = "complete";
inline constexpr const char* kSetIsStopped = "stopped";

/// What kState of a run may be.
inline constexpr const char* kRunIsPlanned = "planned";
inline constexpr const char* kRunIsRunning = "running";
inline constexpr const char* kRunIsDone = "done";
inline constexpr const char* kRunHasFailed = "failed";
inline constexpr const char* kRunWasOutOfMemory = "out of memory";
inline constexpr const char* kRunIsDropped = "dropped";

}  // namespace xsp::set_index

/// The object that xsp-collector's --run-json takes, all members of it needed: ExperimentRun of trace.proto.
///
///     {"set": "…", "index": 3, "repetition": 1, "purpose": 0, "parameters": [["batch", "4"]], "inputs": 4}
namespace xsp::run_object {

inline constexpr const char* kOption = "--run-json";

inline constexpr const char* kSet = "set";
inline constexpr const char* kIndex = "index";
inline constexpr const char* kRepetition = "repetition";
inline constexpr const char* kPurpose = "purpose";        // its number
inline constexpr const char* kParameters = "parameters";  // an array of pairs of strings
inline constexpr const char* kInputs = "inputs";

}  // namespace xsp::run_object
