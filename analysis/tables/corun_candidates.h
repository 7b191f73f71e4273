#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table corun_candidates(const Study& study);

/// Names of E3's extra and of its fields, for those who read them.
namespace corun_extras {
inline constexpr std::string_view kSchedule = "schedule";
inline constexpr std::string_view kAverage = "average_corunning";
inline constexpr std::string_view kMakespanMs = "makespan_ms";
inline constexpr std::string_view kSerialMs = "serial_ms";
}  // namespace corun_extras

inline constexpr std::string_view kCoRunSource = "Liu et al., IPDPS 2019, III-D; doc/concurrency.md";

struct CoRunCandidatesTable : TableDefinition {
  ColumnDefinition layer_a{this,
                           ColumnFacts{"layer_a", "", "The layer that runs", "", "L", "the framework"}.cut_to(60)};
  ColumnDefinition layer_b{
      this,
      ColumnFacts{"layer_b", "", "The layer that could run at the same time", "", "L", "the framework"}.cut_to(60)};
  ColumnDefinition threads_a{this, {"threads_a", "", "Threads of layer_a", "", "L", kCoRunSource}};
  ColumnDefinition threads_b{this, {"threads_b", "", "Threads of layer_b", "", "L", kCoRunSource}};
  ColumnDefinition idle_cores{
      this,
      {"idle_cores", "", "Cores that are idle as layer_b begins", "cores − threads of what runs", "L", kCoRunSource}};
  ColumnDefinition remaining_a_ms{
      this, {"remaining_a_ms", "ms", "How long layer_a still runs as layer_b begins", "", "L", kCoRunSource}};
  ColumnDefinition latency_b_ms{
      this, {"latency_b_ms", "ms", "Latency of layer_b alone with threads_b", "statistic over n", "L", kCoRunSource}};
  ColumnDefinition strategy{this,
                            {"strategy", "",
                             "3: layer_b takes cores of its own; 4: it shares cores with layer_a, by their second "
                             "hardware threads",
                             "", "L", kCoRunSource}};
  ColumnDefinition serial_ms{
      this,
      {"serial_ms", "ms", "What is left of layer_a, then layer_b, each with its best number of threads for its type",
       "remaining_a + latency of b, both with their own numbers of threads", "L", kCoRunSource}};
  ColumnDefinition corun_ms{this,
                            {"corun_ms", "ms", "Until both have ended, if they do not slow each other down",
                             "max(remaining_a, latency_b)", "L", kCoRunSource}};
  ColumnDefinition gain_ms{this,
                           {"gain_ms", "ms", "What running both at once gains", "serial − corun", "L", kCoRunSource}};
  ColumnDefinition gain_pct{
      this, {"gain_pct", "%", "The same as a speed-up", "(serial / corun − 1) · 100", "L", kCoRunSource}};
  ColumnDefinition graph{
      this,
      {"graph", "", "How it is known that neither waits for the other: onnx (--graph), none", "", "L", sources::kOurs}};

  constexpr CoRunCandidatesTable()
      : TableDefinition({.id = "E3",
                         .title = "layers that could run together",
                         .meaning = "Which layers do not wait for one another, and what running them at the same time "
                                    "would gain",
                         .level = "L",
                         .source = kCoRunSource,
                         .compute = xsp::analysis::corun_candidates,
                         .has_several = has_co_run_input}) {
    rank_by = &gain_ms;
    measure = &gain_ms;
    important_ = {&layer_a, &layer_b, &threads_a, &threads_b, &serial_ms, &corun_ms, &gain_ms, &strategy};
  }
};
inline constexpr CoRunCandidatesTable kE3;

}  // namespace xsp::analysis
