#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table metrics_by_layer(const Study& study);

struct MetricsByLayerTable : TableDefinition {
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition gflops{this, columns::kGflops};
  ColumnDefinition dram_read_mib{this, columns::kDramReadMib};
  ColumnDefinition dram_write_mib{this, columns::kDramWriteMib};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition stage{this, columns::kStage};
  ColumnDefinition source{this, columns::kSource};
  ColumnDefinition metrics_pct{this, columns::kMetricsPct};

  constexpr MetricsByLayerTable()
      : TableDefinition({.id = "A12",
                         .title = "metrics by layer",
                         .meaning = "What each layer computes and moves",
                         .level = "L, G+metrics",
                         .source = "XSP, III-D3, Figure 7",
                         .compute = xsp::analysis::metrics_by_layer}) {
    rank_by = &gflops;
    measure = &gflops;
    selects = "layer";
  }
};
inline constexpr MetricsByLayerTable kA12;

}  // namespace xsp::analysis
