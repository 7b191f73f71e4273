#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"
#include "proto/report_columns.h"

namespace xsp::analysis {

Table levels(const Study& study);
/// Whether the subject was recorded down to several levels.
bool has_several_level_sets(const Study& study);

struct LevelsTable : TableDefinition {
  ColumnDefinition level_set{this, columns::kLevelSet};
  ColumnDefinition event_level{this, columns::kEventLevel};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition latency_ms{this,
                              {report_columns::levels::kLatencyMs, "ms",
                               "Latency of the event while that set was recorded", "", "a leveled set", "XSP, III-C"}};
  ColumnDefinition overhead_ms{
      this,
      {report_columns::levels::kOverheadMs, "ms", "What this set's deepest level costs the event",
       "latency with it − latency with the set before", "a leveled set", "XSP, III-C"}};
  ColumnDefinition overhead_pct{this,
                                {report_columns::levels::kOverheadPct, "%", "The same as a share",
                                 "overhead_ms / latency with the set before · 100", "a leveled set", "XSP, III-C"}};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition overhead_low_ms{this,
                                   {"overhead_low_ms", "ms", "Low end of its 95 % confidence interval", "bootstrap",
                                    "a leveled set", "doc/experiments.md"}};
  ColumnDefinition overhead_high_ms{this,
                                    {"overhead_high_ms", "ms", "High end of its 95 % confidence interval", "bootstrap",
                                     "a leveled set", "doc/experiments.md"}};
  ColumnDefinition significant{this,
                               {report_columns::levels::kSignificant, "", "Whether the interval excludes zero", "",
                                "a leveled set", "doc/experiments.md"}};
  ColumnDefinition runs{this, {"runs", "", "Runs of this level set", "", "a leveled set", sources::kOurs}};

  constexpr LevelsTable()
      : TableDefinition({.id = report_columns::levels::kTable,
                         .title = "levels",
                         .meaning = "What each level of profiling costs the events of the levels above",
                         .level = "a leveled set",
                         .source = "XSP, III-C, Figure 2",
                         .compute = xsp::analysis::levels,
                         .has_several = xsp::analysis::has_several_level_sets}) {
    rank_by = &overhead_ms;
    measure = &overhead_ms;
    overview_place = 2;
    important_ = {&level_set, &event_level, &layer_name, &latency_ms, &overhead_pct, &significant};
    selects = "layer";
  }
};
inline constexpr LevelsTable kL1;

}  // namespace xsp::analysis
