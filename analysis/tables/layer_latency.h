#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table layer_latency(const Study& study);

struct LayerLatencyTable : TableDefinition {
  ColumnDefinition index{this, columns::kLayerPlace};
  ColumnDefinition name{this, columns::kLayer};
  ColumnDefinition latency_ms{this, columns::kLayerLatencyOfCall};
  ColumnDefinition stage{this, columns::kStage};

  constexpr LayerLatencyTable()
      : TableDefinition({.id = "A3",
                         .title = "layer latency in execution order",
                         .meaning = "Latency of the layers in execution order, with their third of the model",
                         .level = "L",
                         .source = "XSP, III-D2, Figure 5",
                         .compute = xsp::analysis::layer_latency}) {
    rank_by = &latency_ms;
    course = &latency_ms;
    course_over = &index;
    selects = "layer";
  }
};
inline constexpr LayerLatencyTable kA3;

}  // namespace xsp::analysis
