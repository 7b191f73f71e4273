#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table models(const Study& study);
/// Whether there are several models, systems or ranks: more than the training and the evaluation of one model.
bool has_several_sweeps(const Study& study);

struct ModelsTable : TableDefinition {
  ColumnDefinition name{this, {"name", "", "Name of the model", "", "M", "XSP, Table VIII"}};
  ColumnDefinition task{this, {"task", "", "Task of the model; in no trace yet", "", "M", "XSP, Table VIII"}};
  ColumnDefinition online_latency_ms{
      this, {"online_latency_ms", "ms", "Latency at batch size 1", "", "M", "XSP, Table VIII"}};
  ColumnDefinition max_throughput_per_s{this,
                                        {"max_throughput_per_s", "1/s", "Largest throughput over the batch sizes",
                                         "max of throughput_per_s", "M", "XSP, Table VIII"}};
  ColumnDefinition optimal_batch{
      this,
      {"optimal_batch", "", "Best batch size by --optimal; by default the last that gains 5 %", "", "M",
       "XSP, III-D1"}};
  ColumnDefinition convolution_pct{
      this, {"convolution_pct", "%", "Share of convolutions in the time of layers", "", "L", "XSP, Table VIII"}};
  ColumnDefinition batch_size{this, columns::kBatchSize};
  ColumnDefinition model_latency_ms{this, columns::kModelLatencyMs};
  ColumnDefinition kernel_latency_ms{this, columns::kKernelLatencyMs};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  ColumnDefinition gpu_latency_pct{this, columns::kGpuLatencyPct};
  MetricColumns metrics{this};
  ColumnDefinition latency_stage{
      this, {"latency_stage", "", "Third of the model with most latency", "", "L", "XSP, Table IX"}};
  ColumnDefinition memory_stage{this, {"memory_stage", "", "Third that allocates most", "", "L", "XSP, Table IX"}};
  ColumnDefinition flops_stage{this, {"flops_stage", "", "Third with most flops", "", "L, G+metrics", "XSP, Table IX"}};
  ColumnDefinition memory_access_stage{
      this, {"memory_access_stage", "", "Third with most bytes of device memory", "", "L, G+metrics", "XSP, Table IX"}};
  ColumnDefinition system{this, {"system", "", "GPUs", "", "G", "XSP, Table X"}};
  ColumnDefinition rank{this, {"rank", "", "Rank of a distributed program", "", "M", "the recording"}};
  ColumnDefinition framework{
      this,
      {"framework", "", "The framework, or the source of an imported profile: PyTorch, kineto, …", "", "M",
       sources::kOurs}};
  ColumnDefinition input{this, columns::kInput};
  ColumnDefinition n{this, columns::kN};
  RoofColumns roof{this};
  ColumnDefinition mode{this, ColumnFacts{"mode", "", "training or inference: their batch sizes are not compared", "",
                                          "L", "doc/frameworks.md"}
                                  .only_if(knows_modes)};

  constexpr ModelsTable()
      : TableDefinition({.id = "M1",
                         .title = "models",
                         .meaning = "Models, systems, frameworks and ranks side by side",
                         .level = "M",
                         .source = "XSP, Tables VIII to X",
                         .compute = xsp::analysis::models,
                         .has_several = xsp::analysis::has_several_sweeps}) {
    measure = &model_latency_ms;
    overview_place = 3;
    important_ = {&name, &online_latency_ms, &max_throughput_per_s, &optimal_batch};
  }
};
inline constexpr ModelsTable kM1;

}  // namespace xsp::analysis
