#pragma once

#include "analysis/tables/kernel_work.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

struct KernelSum;

/// What kernels compute and move: columns of A8, A10, A11, A15 and M1.
struct MetricColumns {
  ColumnDefinition gflops;
  ColumnDefinition dram_read_mib;
  ColumnDefinition dram_write_mib;
  ColumnDefinition occupancy_pct;
  ColumnDefinition arithmetic_intensity;
  ColumnDefinition throughput_tflops;
  ColumnDefinition memory_bound;
  ColumnDefinition source;

  constexpr explicit MetricColumns(TableDefinition* table)
      : gflops{table, columns::kGflops},
        dram_read_mib{table, columns::kDramReadMib},
        dram_write_mib{table, columns::kDramWriteMib},
        occupancy_pct{table, columns::kOccupancyPct},
        arithmetic_intensity{table, columns::kArithmeticIntensity},
        throughput_tflops{table, columns::kThroughputTflops},
        memory_bound{table, columns::kMemoryBound},
        source{table, columns::kSource} {}
};

/// Where kernels or sums of them lie under the roofs of their device: columns of A9, A14, A15 and M1.
struct RoofColumns {
  ColumnDefinition data_type;
  ColumnDefinition peak_tflops;
  ColumnDefinition bandwidth_gbs;
  ColumnDefinition bound;
  ColumnDefinition pct_of_roof;

  constexpr explicit RoofColumns(TableDefinition* table)
      : data_type{table, columns::kDataType},
        peak_tflops{table, columns::kPeakTflops},
        bandwidth_gbs{table, columns::kBandwidthGbs},
        bound{table, columns::kBound},
        pct_of_roof{table, columns::kPctOfRoof} {}
};

void set_metrics(const MetricColumns& columns, const KernelSum& sum, TableRow* row);
void set_roof(const RoofColumns& columns, const RooflinePoint& point, TableRow* row);

}  // namespace xsp::analysis
