#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table layer_information(const Study& study);

struct LayerInformationTable : TableDefinition {
  ColumnDefinition index{this, columns::kLayerPlace};
  ColumnDefinition name{this, columns::kLayer};
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition shape{
      this,
      {"shape", "", "Shape of the output (in PyTorch profiles, shapes of the inputs); null if unknown or varying", "",
       "L", "the framework"}};
  ColumnDefinition latency_ms{this, columns::kLayerLatencyOfCall};
  ColumnDefinition alloc_mb{this, columns::kAllocatedByLayer};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};
  ColumnDefinition library_calls{
      this,
      {"library_calls", "", "Library calls of the layer, including nested ones, without its backward work", "", "C",
       sources::kOurs}};
  ColumnDefinition library_ms{
      this, {"library_ms", "ms", "Time in libraries", "length of the union of outermost calls", "C", sources::kOurs}};
  ColumnDefinition library{this,
                           {"library", "", "The outermost function that takes most time", "", "C", sources::kOurs}};
  ColumnDefinition host_ms{this, columns::kHostMs.only_if(layers_outlast_calls)};
  ColumnDefinition gpu_ms{this, columns::kGpuMs.only_if(layers_outlast_calls)};
  ColumnDefinition backward_ms{
      this, ColumnFacts{"backward_ms", "ms",
                        "Backward work for the layer's gradients: time of its kernels, or CPU time if there are none",
                        "statistic over n", "L", "doc/frameworks.md"}
                .only_if(has_backward_work)};
  ColumnDefinition wait_ms{this, columns::kWaitMs.only_if(knows_waits)};
  ColumnDefinition ci_low_ms{this, columns::kCiLowMs.only_if(has_intervals)};
  ColumnDefinition ci_high_ms{this, columns::kCiHighMs.only_if(has_intervals)};

  constexpr LayerInformationTable()
      : TableDefinition({.id = "A2",
                         .title = "layer information",
                         .meaning = "Each layer in execution order: its time and memory",
                         .level = "L",
                         .source = "XSP, III-D2",
                         .compute = xsp::analysis::layer_information}) {
    rank_by = &latency_ms;
    show_ranked = true;
    measure = &latency_ms;
    overview_place = 5;
    important_ = {&index, &name, &type, &latency_ms, &gpu_ms, &shape, &library_ms, &library};
    selects = "layer";
  }
};
inline constexpr LayerInformationTable kA2;

}  // namespace xsp::analysis
