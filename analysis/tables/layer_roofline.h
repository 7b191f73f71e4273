#pragma once

#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table layer_roofline(const Study& study);

struct LayerRooflineTable : TableDefinition {
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition latency_ms{this,
                              {"latency_ms", "ms", "Time of the layer's kernels, one after another",
                               "Σ latency of kernels", "L, G", sources::kPaper}};
  ColumnDefinition arithmetic_intensity{this, columns::kArithmeticIntensity};
  ColumnDefinition throughput_tflops{this, columns::kThroughputTflops};
  RoofColumns roof{this};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  ColumnDefinition stage{this, columns::kStage};
  ColumnDefinition source{this, columns::kSource};
  ColumnDefinition metrics_pct{this, columns::kMetricsPct};
  ColumnDefinition flags{this, columns::kFlags};

  constexpr LayerRooflineTable()
      : TableDefinition({.id = "A14",
                         .title = "layer roofline",
                         .meaning = "How close each layer comes to the roofs of its GPU",
                         .level = "L, G+metrics",
                         .source = "XSP, III-D3, Figure 9",
                         .compute = xsp::analysis::layer_roofline}) {
    rank_by = &latency_ms;
    measure = &throughput_tflops;
    selects = "layer";
  }
};
inline constexpr LayerRooflineTable kA14;

}  // namespace xsp::analysis
