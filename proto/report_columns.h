#pragma once

/// What other programs read back from `xsp-report --format json`: xsp-run says what recording costs (L1), xsp-bench
/// when a batch does not pay any more (A1) and whether there were kernels (A15). Ids of tables and names of columns.

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

}  // namespace xsp::report_columns
