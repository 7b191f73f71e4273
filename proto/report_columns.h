#pragma once

/// What other programs read back from `xsp-report --format json`: xsp-run says what recording costs (L1) and applies
/// advice on threads (E2), xsp-bench says when a batch does not pay any more (A1), when no further threads do (E1) and
/// whether there were kernels (A15); and from xsp-bound's. Ids of tables and names of columns.

namespace xsp::report_columns {

/// Members of a table's object; an element of kColumns is an object with kName.
inline constexpr const char* kColumns = "columns";
inline constexpr const char* kRows = "rows";
inline constexpr const char* kName = "name";

namespace levels {
inline constexpr const char* kTable = "L1";
inline constexpr const char* kLevelSet = "level_set";
inline constexpr const char* kEventLevel = "event_level";
inline constexpr const char* kLatencyMs = "latency_ms";
inline constexpr const char* kOverheadMs = "overhead_ms";
inline constexpr const char* kOverheadPct = "overhead_pct";
inline constexpr const char* kSignificant = "significant";
}  // namespace levels

namespace models {
inline constexpr const char* kTable = "A1";
inline constexpr const char* kModel = "model";
inline constexpr const char* kLatencyMs = "latency_ms";
inline constexpr const char* kThroughput = "throughput_per_s";
inline constexpr const char* kEvaluations = "n";
/// Prefix of a sweep parameter whose name the table has as a column, too.
inline constexpr const char* kParameterPrefix = "parameter_";
}  // namespace models

namespace gpu_latency {
inline constexpr const char* kTable = "A15";
inline constexpr const char* kKernelCount = "kernel_count";
}  // namespace gpu_latency

/// How far the curves over numbers of threads have been climbed.
namespace thread_curves {
inline constexpr const char* kTable = "E1";
inline constexpr const char* kLayerIndex = "layer_index";  // null: the model
// Beside the rows.
inline constexpr const char* kEnded = "ended";
inline constexpr const char* kNext = "next";
}  // namespace thread_curves

/// What to do about the number of threads.
namespace thread_advice {
inline constexpr const char* kTable = "E2";
inline constexpr const char* kName = "name";
inline constexpr const char* kType = "type";
inline constexpr const char* kThreadsNow = "threads_now";
inline constexpr const char* kThreadsBest = "threads_best";
inline constexpr const char* kGainMs = "gain_ms";
inline constexpr const char* kNetGainMs = "net_gain_ms";
inline constexpr const char* kMeasuredGainPct = "measured_gain_pct";
inline constexpr const char* kRule = "rule";  // of a row, and of the policy
inline constexpr const char* kOfType = "type";
inline constexpr const char* kOfWholeRun = "whole_run";
inline constexpr const char* kVerdict = "verdict";
inline constexpr const char* kChange = "change";
inline constexpr const char* kWithinNoise = "within noise";
inline constexpr const char* kMachineBusy = "machine busy";
// Beside the rows.
inline constexpr const char* kCores = "cores";
inline constexpr const char* kOwn = "own";
inline constexpr const char* kPolicy = "policy";  // with kRule
inline constexpr const char* kPolicyThreads = "threads";
inline constexpr const char* kPolicyTypes = "policy_types";  // by type, the number of threads
inline constexpr const char* kMeasuredLowPct = "measured_low_pct";
inline constexpr const char* kMeasuredHighPct = "measured_high_pct";
inline constexpr const char* kIsSwitchedOff = "is_switched_off";
}  // namespace thread_advice

/// Of `xsp-bound --format json`: xsp-report puts them beside what was measured.
namespace sequential_bounds {
inline constexpr const char* kTable = "B3";
inline constexpr const char* kMode = "mode";
inline constexpr const char* kLayers = "layers";
inline constexpr const char* kFused = "fused";
inline constexpr const char* kBoundMs = "bound_ms";
}  // namespace sequential_bounds

namespace measured_layers {
inline constexpr const char* kTable = "B3.layers";
inline constexpr const char* kTraceIndex = "trace_index";
inline constexpr const char* kName = "name";
inline constexpr const char* kMeasuredMs = "measured_ms";
inline constexpr const char* kBoundMs = "bound_ms";
inline constexpr const char* kFusedMs = "fused_ms";
}  // namespace measured_layers

}  // namespace xsp::report_columns
