#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table latency_by_layer_type(const Study& study);

struct LatencyByLayerTypeTable : TableDefinition {
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition count{this, columns::kLayersOfType};
  ColumnDefinition latency_ms{
      this, {"latency_ms", "ms", "Time of the layers of this type", "Σ latency_ms of A2", "L", sources::kPaper}};
  ColumnDefinition latency_pct{this,
                               {"latency_pct", "%", "Their share of the time of all layers",
                                "latency_ms / Σ latency_ms · 100", "L", sources::kPaper}};
  ColumnDefinition backward_ms{this, ColumnFacts{"backward_ms", "ms", "Backward work of the layers of this type",
                                                 "Σ backward_ms of A2", "L", "doc/frameworks.md"}
                                         .only_if(has_backward_work)};
  ColumnDefinition wait_ms{this, ColumnFacts{"wait_ms", "ms", "Waiting of the layers of this type", "Σ wait_ms of A2",
                                             "L, G", sources::kSteps}
                                     .only_if(knows_waits)};

  constexpr LatencyByLayerTypeTable()
      : TableDefinition({.id = "A6",
                         .title = "latency by layer type",
                         .meaning = "Time by layer type",
                         .level = "L",
                         .source = "XSP, III-D2, Figure 4",
                         .compute = xsp::analysis::latency_by_layer_type}) {
    measure = &latency_ms;
    overview_place = 4;
    important_ = {&type, &latency_ms, &latency_pct, &count};
    selects = "type";
  }
};
inline constexpr LatencyByLayerTypeTable kA6;

}  // namespace xsp::analysis
