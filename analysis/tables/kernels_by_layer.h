#pragma once

#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table kernels_by_layer(const Study& study);

struct KernelsByLayerTable : TableDefinition {
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition layer_latency_ms{this, columns::kLayerLatencyMs};
  ColumnDefinition kernel_latency_ms{this, columns::kKernelLatencyMs};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  MetricColumns metrics{this};
  ColumnDefinition algorithmic_gflops{this, columns::kAlgorithmicGflops};
  ColumnDefinition data_type{this, columns::kDataType};
  ColumnDefinition metrics_pct{this, columns::kMetricsPct};
  ColumnDefinition stage{this, columns::kStage};
  ColumnDefinition flags{this, columns::kFlags};

  constexpr KernelsByLayerTable()
      : TableDefinition({.id = "A11",
                         .title = "kernels by layer",
                         .meaning = "Kernels by layer",
                         .level = "L, G",
                         .source = "XSP, III-D3, Table V",
                         .compute = xsp::analysis::kernels_by_layer}) {
    rank_by = &kernel_latency_ms;
    selects = "layer";
  }
};
inline constexpr KernelsByLayerTable kA11;

}  // namespace xsp::analysis
