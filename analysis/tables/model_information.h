#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"
#include "proto/report_columns.h"

namespace xsp::analysis {

Table model_information(const Study& study);

struct ModelInformationTable : TableDefinition {
  ColumnDefinition batch_size{this, columns::kBatchSize};
  ColumnDefinition latency_ms{this,
                              {report_columns::models::kLatencyMs, "ms",
                               "Time of one step or call, from its start to the end of its last kernel",
                               "statistic over n (--stat)", "M", sources::kPaper}};
  ColumnDefinition latency_per_input_ms{
      this,
      {"latency_per_input_ms", "ms", "Latency per input of the batch", "latency_ms / batch_size", "M", sources::kOurs}};
  ColumnDefinition throughput_per_s{
      this,
      {report_columns::models::kThroughput, "1/s", "Inputs per second",
       "batch_size / period_ms or latency_ms, whichever throughput_of says", "M", sources::kPaper}};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};
  ColumnDefinition model{this, columns::kModel};
  ColumnDefinition input{this, columns::kInput};
  ColumnDefinition process{this, columns::kProcess};
  ColumnDefinition period_ms{
      this,
      {"period_ms", "ms", "Time from the begin of one step to the begin of the next",
       "median of the differences in one process, or from end to end where calls are made much faster than they are "
       "done; null for fewer than two",
       "M", sources::kSteps}};
  ColumnDefinition throughput_of{
      this,
      {"throughput_of", "",
       "What throughput_per_s is based on: period for steps, where the CPU may run ahead of the GPU, else latency", "",
       "M", sources::kSteps}};
  ColumnDefinition host_ms{this, columns::kHostMs.only_if(models_outlast_calls)};
  ColumnDefinition gpu{this, columns::kGpu.only_if(has_devices)};
  ColumnDefinition mode{
      this, ColumnFacts{"mode", "", "training or inference, judged by backward work and optimizer steps", "", "L",
                        "doc/frameworks.md"}
                .only_if(knows_modes)};
  ColumnDefinition forward_ms{
      this, ColumnFacts{"forward_ms", "ms",
                        "Training: the model's call and the loss; in steps of a profile, all up to the backward work",
                        "host time, statistic over n", "L", "doc/frameworks.md"}
                .only_if(knows_modes)};
  ColumnDefinition backward_ms{this, ColumnFacts{"backward_ms", "ms", "Training: the backward work",
                                                 "host time, statistic over n", "L", "doc/frameworks.md"}
                                         .only_if(knows_modes)};
  ColumnDefinition optimizer_ms{this, ColumnFacts{"optimizer_ms", "ms",
                                                  "Training: from the end of the backward work to the end of the step; "
                                                  "in steps of a profile, optimizer and zero_grad",
                                                  "host time, statistic over n", "L", "doc/frameworks.md"}
                                          .only_if(knows_modes)};
  ColumnDefinition alloc_mb{
      this, ColumnFacts{"alloc_mb", "MB", "Bytes allocated during the call, CPU and GPUs; frees are not subtracted",
                        "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"}
                .unless_empty()};
  ColumnDefinition peak_mb{this, ColumnFacts{"peak_mb", "MB", "Peak memory of the process during the call",
                                             "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"}
                                     .unless_empty()};
  ColumnDefinition live_mb{
      this, ColumnFacts{"live_mb", "MB", "Memory of the process at the end of the call, weights included",
                        "bytes / 10^6, statistic over n", "M", "doc/frameworks.md"}
                .unless_empty()};
  ColumnDefinition memory_of{
      this,
      ColumnFacts{"memory_of", "", "Whether peak_mb and live_mb count GPU or CPU memory: GPU if the process used any",
                  "", "M", "doc/frameworks.md"}
          .unless_empty()};
  ColumnDefinition ci_low_ms{this, columns::kCiLowMs.only_if(has_intervals)};
  ColumnDefinition ci_high_ms{this, columns::kCiHighMs.only_if(has_intervals)};
  ColumnDefinition threads{
      this,
      ColumnFacts{"threads", "", "Threads of the framework as the call began", "", "M", "doc/concurrency.md"}.only_if(
          has_thread_settings)};
  ColumnDefinition setting{
      this, ColumnFacts{"setting", "",
                        "Whose number of threads that is: the program's own, a probe's (xsp-run --concurrency "
                        "measure), or what was advised, by layer or for the whole model (apply)",
                        "", "M", "doc/concurrency.md"}
                .only_if(has_thread_settings)};

  constexpr ModelInformationTable()
      : TableDefinition({.id = report_columns::models::kTable,
                         .title = "model information",
                         .meaning = "Each model with each input: latency, throughput, and the best batch size",
                         .level = "M",
                         .source = "XSP, III-D1",
                         .compute = xsp::analysis::model_information}) {
    rank_by = &n;
    measure = &latency_ms;
    overview_place = 1;
    important_ = {&batch_size, &latency_ms, &period_ms, &throughput_per_s, &model, &input, &n, &ci_low_ms, &ci_high_ms};
  }
};
inline constexpr ModelInformationTable kA1;

}  // namespace xsp::analysis
