#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table gpu_latency(const Study& study);

struct GpuLatencyTable : TableDefinition {
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_latency_ms{this, columns::kLayerLatencyMs};
  ColumnDefinition gpu_ms{this, columns::kGpuMs};
  ColumnDefinition non_gpu_ms{this,
                              {"non_gpu_ms", "ms", "The rest of the layer's latency: host work, copies, waiting",
                               "layer_latency_ms − gpu_ms", "L, G", "XSP, III-D3"}};
  ColumnDefinition gpu_pct{this,
                           {"gpu_pct", "%", "Share of the layer's latency in which a kernel runs",
                            "gpu_ms / layer_latency_ms · 100", "L, G", sources::kOurs}};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition kernel_ms{this, columns::kKernelMs};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  ColumnDefinition stage{this, columns::kStage};
  ColumnDefinition wait_ms{this, columns::kWaitMs};
  ColumnDefinition leveled_latency_ms{
      this, ColumnFacts{"leveled_latency_ms", "ms", "Latency of the layer without the cost of recording kernels", "",
                        "a leveled set", "XSP, III-C"}
                .only_if(is_leveled)};
  ColumnDefinition leveled_difference_ms{
      this, ColumnFacts{"leveled_difference_ms", "ms", "What recording kernels costs the layer; may be negative",
                        "layer_latency_ms − leveled_latency_ms", "a leveled set", "XSP, III-C"}
                .only_if(is_leveled)};

  constexpr GpuLatencyTable()
      : TableDefinition({.id = "A13",
                         .title = "GPU and non-GPU latency by layer",
                         .meaning = "How much of each layer's time the GPU works, and how much it does not",
                         .level = "L, G",
                         .source = "XSP, III-D3, Figure 8",
                         .compute = xsp::analysis::gpu_latency}) {
    rank_by = &layer_latency_ms;
    measure = &gpu_ms;
    selects = "layer";
  }
};
inline constexpr GpuLatencyTable kA13;

}  // namespace xsp::analysis
