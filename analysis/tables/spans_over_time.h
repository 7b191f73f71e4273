#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/spans_by_name.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table spans_over_time(const Study& study);

struct SpansOverTimeTable : TableDefinition {
  ColumnDefinition minute{
      this, {"minute", "", "Minutes since the begin of the first part in the trace", "", "any", sources::kCounts}};
  ColumnDefinition spans{this,
                         {"spans", "", "Spans of all levels that ended in this minute", "", "any", sources::kCounts}};
  ColumnDefinition spans_per_s{
      this, {"spans_per_s", "1/s", "Their rate", "spans / time that was counted", "any", sources::kCounts}};
  ColumnDefinition stored_pct{
      this, {"stored_pct", "%", "Share of these that was stored", "stored / spans", "any", sources::kCounts}};
  ColumnDefinition model_calls{
      this, {"model_calls", "", "Spans of level model that ended in this minute", "", "M", sources::kCounts}};
  ColumnDefinition calls_per_s{
      this, {"calls_per_s", "1/s", "Their rate", "model_calls / time that was counted", "M", sources::kCounts}};
  ColumnDefinition p50_ms{this, columns::kP50Ms};
  ColumnDefinition p99_ms{this, columns::kP99Ms};
  ColumnDefinition max_ms{this, columns::kMaxMs};
  ColumnDefinition failed{this, columns::kFailed};

  constexpr SpansOverTimeTable()
      : TableDefinition({.id = "Q3",
                         .title = "spans over time",
                         .meaning = "What happened in each minute: rates, and latencies of model calls",
                         .level = "xsp-run --continuous",
                         .source = "doc/continuous.md",
                         .compute = xsp::analysis::spans_over_time,
                         .has_several = xsp::analysis::has_aggregates}) {
    course = &spans_per_s;
    course_over = &minute;
  }
};
inline constexpr SpansOverTimeTable kQ3;

}  // namespace xsp::analysis
