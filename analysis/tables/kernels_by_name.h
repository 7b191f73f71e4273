#pragma once

#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table kernels_by_name(const Study& study);

struct KernelsByNameTable : TableDefinition {
  ColumnDefinition kernel_name{this, columns::kKernelName};
  ColumnDefinition count{this, {"count", "", "Kernels of this name per step or call", "", "G", sources::kPaper}};
  ColumnDefinition latency_ms{this, {"latency_ms", "ms", "Their time", "Σ latency_ms of A8", "G", sources::kPaper}};
  ColumnDefinition latency_pct{this,
                               {"latency_pct", "%", "Their share of the model's latency",
                                "latency_ms / model latency · 100", "M, G", sources::kPaper}};
  MetricColumns metrics{this};
  ColumnDefinition kernel_pct{this, columns::kKernelPct};
  ColumnDefinition algorithmic_gflops{this, columns::kAlgorithmicGflops};
  ColumnDefinition data_type{this, columns::kDataType};
  ColumnDefinition metrics_pct{this, columns::kMetricsPct};
  ColumnDefinition flags{this, columns::kFlags};

  constexpr KernelsByNameTable()
      : TableDefinition({.id = "A10",
                         .title = "kernels by name",
                         .meaning = "Kernels by name: which take the time",
                         .level = "G",
                         .source = "XSP, III-D3, Table IV",
                         .compute = xsp::analysis::kernels_by_name}) {
    rank_by = &latency_ms;
    show_ranked = true;
    measure = &latency_ms;
    overview_place = 6;
    important_ = {&kernel_name, &latency_ms, &kernel_pct, &count, &metrics.memory_bound, &metrics.throughput_tflops,
                  &data_type};
    selects = "kernel";
  }
};
inline constexpr KernelsByNameTable kA10;

}  // namespace xsp::analysis
