#pragma once

/// Members of the line of JSON that the collector writes at its end and xsp-run reads (doc/collector.md).

namespace xsp::collector_status {

inline constexpr const char* kOutput = "output";
inline constexpr const char* kSpans = "spans";
inline constexpr const char* kByLevel = "by_level";
inline constexpr const char* kExecutions = "executions";
inline constexpr const char* kUnmatchedExecutions = "unmatched_executions";
inline constexpr const char* kDropped = "dropped";
inline constexpr const char* kProcesses = "processes";
inline constexpr const char* kKilled = "killed";
inline constexpr const char* kBytes = "bytes";
inline constexpr const char* kComplete = "complete";
inline constexpr const char* kNotices = "notices";
inline constexpr const char* kLosses = "losses";
inline constexpr const char* kError = "error";
// Processes that could not be recorded, with the reasons of proto/unrecorded.h.
inline constexpr const char* kUnrecorded = "unrecorded";
// Of a trace that keeps to a budget.
inline constexpr const char* kNotStored = "not_stored";
// Where the processes told it: XSP's share of their CPU time.
inline constexpr const char* kOverhead = "overhead";
// Of a recording in parts.
inline constexpr const char* kParts = "parts";
inline constexpr const char* kRemovedParts = "removed_parts";

// Of a notice.
inline constexpr const char* kSeverity = "severity";
inline constexpr const char* kComponent = "component";
inline constexpr const char* kText = "text";

// Of a loss, and of processes that could not be recorded.
inline constexpr const char* kReason = "reason";
inline constexpr const char* kCount = "count";
inline constexpr const char* kUser = "user";
inline constexpr const char* kDetail = "detail";

}  // namespace xsp::collector_status
