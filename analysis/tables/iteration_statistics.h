#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table iteration_statistics(const Study& study);

struct IterationStatisticsTable : TableDefinition {
  ColumnDefinition loop{this, columns::kLoop};
  ColumnDefinition avg_interval{
      this,
      {"avg_interval", "ms", "Time from the end of an iteration to the begin of the next one of its loop",
       "mean; 0 where they overlap", needs::kOperations, "DeepProf, Table III"}};
  ColumnDefinition max_interval{
      this, {"max_interval", "ms", "The longest interval", "", needs::kOperations, "DeepProf, Table III"}};
  ColumnDefinition avg_overlap{
      this,
      {"avg_overlap", "", "Share of the interval in which data is copied to the device, 0 to 1",
       "mean of union of copies in the interval / interval", "G", "DeepProf, Table III"}};
  ColumnDefinition avg_operation{
      this,
      {"avg_operation", "ms", "Time in which nothing runs between two operations of an iteration",
       "Σ gaps / Σ (operations inside − 1)", needs::kOperations, "DeepProf, Table III"}};
  ColumnDefinition avg_size{
      this, {"avg_size", "B", "Bytes copied to the device for an iteration", "mean", "G", "DeepProf, Table III"}};
  ColumnDefinition iterations{
      this, {"iterations", "", "Iterations of the loop", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition avg_iteration{
      this, {"avg_iteration", "ms", "How long an iteration runs", "mean", needs::kOperations, sources::kIterations}};
  ColumnDefinition avg_period{this,
                              {"avg_period", "ms", "Time from the begin of an iteration to the begin of the next",
                               "mean", needs::kOperations, sources::kIterations}};
  ColumnDefinition compute_pct{
      this,
      {"compute_pct", "%", "Kernels, memsets and copies within the device run",
       "unions inside iterations / all iterations and intervals · 100", needs::kOperations, sources::kIterations}};
  ColumnDefinition copy_pct{
      this, {"copy_pct", "%", "Copies from and to the host run", "likewise", needs::kOperations, sources::kIterations}};
  ColumnDefinition both_pct{
      this, {"both_pct", "%", "Both at the same time", "likewise", needs::kOperations, sources::kIterations}};
  ColumnDefinition idle_pct{this,
                            {"idle_pct", "%", "Nothing runs", "likewise", needs::kOperations, sources::kIterations}};
  ColumnDefinition interval_pct{this,
                                {"interval_pct", "%", "Intervals", "Σ intervals / all iterations and intervals · 100",
                                 needs::kOperations, sources::kIterations}};

  constexpr IterationStatisticsTable()
      : TableDefinition({.id = "D2",
                         .title = "iteration statistics",
                         .meaning = "What happens between and inside the iterations of each loop",
                         .level = "G, else L or C",
                         .source = "DeepProf, Table III",
                         .compute = xsp::analysis::iteration_statistics}) {}
};
inline constexpr IterationStatisticsTable kD2;

struct MetricsOfIterationsTable : TableDefinition {
  ColumnDefinition loop{this, columns::kLoop};
  ColumnDefinition iteration{
      this, {"iteration", "", "Number of the iteration in D1", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition interval{this,
                            {"interval", "ms", "Interval before it; null where another loop ran before", "",
                             needs::kOperations, "DeepProf, IV-C"}};
  ColumnDefinition overlap{
      this, {"overlap", "", "Share of it in which data is copied to the device, 0 to 1", "", "G", "DeepProf, IV-C"}};
  ColumnDefinition operation{this,
                             {"operation", "ms", "Time in which nothing runs between two of its operations",
                              "Σ gaps / (operations inside − 1)", needs::kOperations, "DeepProf, Table III"}};
  ColumnDefinition size{
      this,
      {"size", "B", "Bytes copied to the device in it and in the interval before it", "", "G", "DeepProf, Table III"}};
  ColumnDefinition iteration_ms{
      this,
      {"iteration_ms", "ms", "How long it runs", "end_ms − start_ms of D1", needs::kOperations, sources::kIterations}};
  ColumnDefinition compute_pct{
      this,
      {"compute_pct", "%", "Share of it in which kernels, memsets, copies within the device run",
       "union / iteration_ms · 100", needs::kOperations, sources::kIterations}};
  ColumnDefinition copy_pct{this,
                            {"copy_pct", "%", "Share in which copies from and to the host run", "likewise",
                             needs::kOperations, sources::kIterations}};
  ColumnDefinition both_pct{
      this, {"both_pct", "%", "Share in which both run", "likewise", needs::kOperations, sources::kIterations}};
  ColumnDefinition idle_pct{
      this, {"idle_pct", "%", "Share in which nothing runs", "likewise", needs::kOperations, sources::kIterations}};

  constexpr MetricsOfIterationsTable()
      : TableDefinition({.id = "D2.iterations",
                         .title = "the metrics of each iteration",
                         .meaning = "The same of each iteration of the outermost loop",
                         .level = "G, else L or C",
                         .source = "DeepProf, IV-D"}) {
    rank_by = &iteration_ms;
    selects = "iteration";
  }
};
inline constexpr MetricsOfIterationsTable kD2Iterations;

struct StateGraphTable : TableDefinition {
  ColumnDefinition loop{this, columns::kLoop};
  ColumnDefinition state{
      this,
      {"state", "", "CPU: the interval without copies; copy: copies in the interval; GPU: the iteration", "", "G",
       "DeepProf, Figure 5"}};
  ColumnDefinition mean_ms{
      this,
      {"mean_ms", "ms", "Its time per iteration", "mean of iterations with an interval", "G", sources::kIterations}};
  ColumnDefinition share_pct{this,
                             {"share_pct", "%", "Its share of interval and iteration", "", "G", sources::kIterations}};
  ColumnDefinition operations{this,
                              {"operations", "", "Operations per iteration that it starts, copies, executes", "mean",
                               "G", sources::kIterations}};

  constexpr StateGraphTable()
      : TableDefinition({.id = "D2.states",
                         .title = "the state graph",
                         .meaning = "What an iteration waits for and does",
                         .level = "G",
                         .source = "DeepProf, Figure 5"}) {}
};
inline constexpr StateGraphTable kD2States;

}  // namespace xsp::analysis
