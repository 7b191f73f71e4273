#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table spans_by_name(const Study& study);
/// Whether the trace counts by name what happened (Aggregates of trace.proto): Q2 and Q3 are there.
bool has_aggregates(const Study& study);

struct SpansByNameTable : TableDefinition {
  ColumnDefinition name{
      this, ColumnFacts{"name", "", "Name of the spans; none: no name, or no room for it", "", "any", sources::kCounts}
                .cut_to(60)};
  ColumnDefinition level{
      this, {"level", "", "Level of the spans; levels lie inside one another", "", "any", sources::kCounts}};
  ColumnDefinition type{
      this, ColumnFacts{"type", "", "Type of layers, library of calls", "", "any", sources::kCounts}.cut_to(40)};
  ColumnDefinition count{this, {"count", "", "How often it happened", "", "any", sources::kCounts}};
  ColumnDefinition stored_pct{this,
                              {"stored_pct", "%", "Share of these stored as spans, also in removed parts",
                               "stored / count", "any", sources::kCounts}};
  ColumnDefinition total_ms{this, {"total_ms", "ms", "Total time", "", "any", sources::kCounts}};
  ColumnDefinition mean_ms{this, {"mean_ms", "ms", "Time of one", "total_ms / count", "any", sources::kCounts}};
  ColumnDefinition min_ms{this, {"min_ms", "ms", "The shortest", "", "any", sources::kCounts}};
  ColumnDefinition max_ms{this, columns::kMaxMs};
  ColumnDefinition p50_ms{this, columns::kP50Ms};
  ColumnDefinition p90_ms{this,
                          {"p90_ms", "ms", "90 % take at most this long; within 3.2 %",
                           "nearest rank in 16 buckets an octave", "any", sources::kCounts}};
  ColumnDefinition p99_ms{this, columns::kP99Ms};
  ColumnDefinition failed{this, columns::kFailed};
  ColumnDefinition kind{
      this, {"kind", "", "What made the spans: torch_module, library_call, kernel, …", "", "any", sources::kCounts}};

  constexpr SpansByNameTable()
      : TableDefinition({.id = "Q2",
                         .title = "all spans by name",
                         .meaning = "All spans by name, whether stored or only counted",
                         .level = "xsp-run --continuous",
                         .source = "doc/continuous.md",
                         .compute = xsp::analysis::spans_by_name,
                         .has_several = xsp::analysis::has_aggregates}) {
    rank_by = &total_ms;
  }
};
inline constexpr SpansByNameTable kQ2;

}  // namespace xsp::analysis
