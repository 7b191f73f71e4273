#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"
#include "proto/report_columns.h"

namespace xsp::analysis {

Table kernels_by_model(const Study& study);

struct KernelsByModelTable : TableDefinition {
  ColumnDefinition batch_size{this, columns::kBatchSize};
  ColumnDefinition model_latency_ms{this, columns::kModelLatencyMs};
  ColumnDefinition kernel_latency_ms{this, columns::kKernelLatencyMs};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  ColumnDefinition gpu_latency_pct{this, columns::kGpuLatencyPct};
  MetricColumns metrics{this};
  ColumnDefinition gpu_busy_ms{
      this,
      {"gpu_busy_ms", "ms", "Part of step_ms in which any kernel runs, also kernels of other steps",
       "gpu_busy_pct · step_ms", "M, G", sources::kSteps}};
  ColumnDefinition gpu_busy_pct{
      this,
      {"gpu_busy_pct", "%", "Share of the time of the used steps in which any kernel runs on the GPU",
       "union of kernels / union of windows · 100", "M, G", sources::kSteps}};
  ColumnDefinition launches{this,
                            {"launches", "", "Calls of the CUDA API that launched them", "", "G", sources::kCupti}};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition model{this, columns::kModel};
  ColumnDefinition input{this, columns::kInput};
  ColumnDefinition process{this, columns::kProcess};
  RoofColumns roof{this};
  ColumnDefinition algorithmic_gflops{this, columns::kAlgorithmicGflops};
  ColumnDefinition metrics_pct{this, columns::kMetricsPct};
  ColumnDefinition own_kernel_ms{this,
                                 {"own_kernel_ms", "ms", "Time in which any kernel of the step or call itself runs",
                                  "length of the union of its kernels", "M, G", sources::kSteps}};
  ColumnDefinition step_ms{this,
                           {"step_ms", "ms", "Time of one step; the columns after it are parts of it",
                            "period_ms of A1 if throughput_of is period, else latency_ms", "M", sources::kSteps}};
  ColumnDefinition communication_ms{
      this,
      {"communication_ms", "ms", "Time in which the step's own communication kernels (between ranks) run",
       "union of these kernels, statistic over n", "M, G", sources::kSteps}};
  ColumnDefinition exposed_communication_ms{
      this,
      {"exposed_communication_ms", "ms", "Part of communication_ms in which no other kernel runs", "", "M, G",
       sources::kSteps}};
  ColumnDefinition copy_only_ms{
      this,
      {"copy_only_ms", "ms", "Part of step_ms in which copies run and no kernel does", "", "M, G", sources::kSteps}};
  ColumnDefinition unowned_kernel_ms{
      this,
      {"unowned_kernel_ms", "ms", "Part of step_ms in which kernels run that belong to no step or call", "", "M, G",
       sources::kSteps}};
  ColumnDefinition idle_ms{
      this,
      {"idle_ms", "ms", "Part of step_ms in which no kernel runs", "step_ms − gpu_busy_ms", "M, G", sources::kSteps}};
  ColumnDefinition idle_input_ms{
      this, {"idle_input_ms", "ms", "Part of idle_ms in which the CPU waits for input", "", "M, G", sources::kSteps}};
  ColumnDefinition idle_sync_ms{
      this, {"idle_sync_ms", "ms", "Part of idle_ms in which the CPU waits for the GPU", "", "M, G", sources::kSteps}};
  ColumnDefinition idle_sync_copy_ms{
      this,
      {"idle_sync_copy_ms", "ms", "Part of idle_sync_ms in which copies or memsets run", "", "M, G", sources::kSteps}};
  ColumnDefinition idle_copy_ms{
      this,
      {"idle_copy_ms", "ms",
       "Part of idle_ms in which copies or memsets run, the CPU does not wait, and the next kernel is already launched",
       "", "M, G", sources::kSteps}};
  ColumnDefinition idle_host_ms{
      this,
      {"idle_host_ms", "ms",
       "Part of idle_ms in which the CPU neither waits nor has launched the next kernel, or nothing runs",
       "idle_ms − idle_input_ms − idle_sync_ms − idle_copy_ms", "M, G", sources::kSteps}};
  ColumnDefinition long_gap_ms{
      this,
      {"long_gap_ms", "ms", "Part of idle_host_ms in long gaps: at least 2 % of a step and 0.1 ms, or 1 ms", "", "M, G",
       sources::kSteps}};
  ColumnDefinition launch_gap_ms{
      this,
      {"launch_gap_ms", "ms", "Part of idle_host_ms inside the call that launches the kernel that ends the gap", "",
       "M, G", sources::kSteps}};
  ColumnDefinition input_wait_ms{this,
                                 {"input_wait_ms", "ms", "Time the CPU waits for input, also while kernels run",
                                  "statistic over n, the mean where it is more", "M", sources::kSteps}};
  ColumnDefinition sync_wait_ms{this,
                                {"sync_wait_ms", "ms", "Time the CPU waits for the GPU, also while kernels run",
                                 "statistic over n", "M, G", sources::kSteps}};
  ColumnDefinition step_kernels{
      this, {"step_kernels", "", "Kernels that begin in a used step", "count / n", "M, G", sources::kSteps}};
  ColumnDefinition step_kernel_ms{
      this, {"step_kernel_ms", "ms", "Sum of the times of these kernels", "Σ duration / n", "M, G", sources::kSteps}};
  ColumnDefinition devices{
      this, {"devices", "", "Number of GPUs that the times are averaged over", "", "M, G", sources::kSteps}};
  ColumnDefinition gpu{this, columns::kGpu.only_if(has_devices)};

  constexpr KernelsByModelTable()
      : TableDefinition({.id = report_columns::gpu_latency::kTable,
                         .title = "kernels by model",
                         .meaning = "The kernels of a whole model, over batch sizes",
                         .level = "M, G",
                         .source = "XSP, III-D3, Table VI, Figure 10",
                         .compute = xsp::analysis::kernels_by_model}) {
    measure = &kernel_latency_ms;
    overview_place = 7;
    important_ = {&model,        &model_latency_ms, &gpu_busy_pct,     &kernel_latency_ms,
                  &kernel_count, &roof.bound,       &roof.pct_of_roof, &metrics.throughput_tflops};
  }
};
inline constexpr KernelsByModelTable kA15;

}  // namespace xsp::analysis
