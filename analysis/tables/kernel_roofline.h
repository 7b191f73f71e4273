#pragma once

#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table kernel_roofline(const Study& study);

struct KernelRooflineTable : TableDefinition {
  ColumnDefinition kernel_name{this, columns::kKernelName};
  ColumnDefinition latency_ms{this, columns::kLatencyOfKernel};
  ColumnDefinition arithmetic_intensity{this, columns::kArithmeticIntensity};
  ColumnDefinition throughput_tflops{this, columns::kThroughputTflops};
  RoofColumns roof{this};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition source{this, columns::kSource};
  ColumnDefinition flags{this, columns::kFlags};
  ColumnDefinition device{this, columns::kDevice};

  constexpr KernelRooflineTable()
      : TableDefinition({.id = "A9",
                         .title = "kernel roofline",
                         .meaning = "How close each kernel comes to the roofs of its GPU",
                         .level = "G+metrics",
                         .source = "XSP, III-D3, Figure 6",
                         .compute = xsp::analysis::kernel_roofline}) {
    rank_by = &latency_ms;
    measure = &throughput_tflops;
    selects = "execution";
    is_of_executions = true;
  }
};
inline constexpr KernelRooflineTable kA9;

}  // namespace xsp::analysis
