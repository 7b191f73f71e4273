#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table trace_quality(const Study& study);

struct TraceQualityTable : TableDefinition {
  ColumnDefinition quantity{this, {"quantity", "", "What is counted", "", "any", sources::kOurs}};
  ColumnDefinition level{this,
                         {"level", "", "Of which level; all: of the trace as a whole", "", "any", sources::kOurs}};
  ColumnDefinition value{this, {"value", "", "How many, or how much", "", "any", sources::kOurs}};
  ColumnDefinition note{this, {"note", "", "Why, and what would help", "", "any", sources::kOurs}};

  constexpr TraceQualityTable()
      : TableDefinition({.id = "Q1",
                         .title = "quality of the trace",
                         .meaning = "What the trace lacks, lost, or leaves in doubt",
                         .level = "any",
                         .source = sources::kOurs,
                         .compute = xsp::analysis::trace_quality}) {
    measure = &value;
    overview_place = 12;
    important_ = {&quantity, &level, &value, &note};
  }
};
inline constexpr TraceQualityTable kQ1;

}  // namespace xsp::analysis
