#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/swept_curves.h"
#include "analysis/tables/table.h"
#include "analysis/tables/table_definition.h"
#include "proto/report_columns.h"

namespace xsp::analysis {

Table concurrency_advice(const Study& study);
/// Of curves that are there already.
Table concurrency_advice(const SweptCurves& swept, const Statistic& statistic);

struct ConcurrencyAdviceTable : TableDefinition {
  static constexpr std::string_view kPaper = "Liu et al., IPDPS 2019, III-D";

  ColumnDefinition layer_index{
      this,
      ColumnFacts{"layer_index", "", "Position of the layer in execution order, from 0; null: the whole run, or a type",
                  "", "L", sources::kOurs}
          .of_facet("layer")};
  ColumnDefinition name{
      this, {report_columns::thread_advice::kName, "", "Name of the layer, or of the model", "", "M", "the framework"}};
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition threads_now{this,
                               {report_columns::thread_advice::kThreadsNow, "",
                                "Threads that the program computes with by itself", "", "M", sources::kOurs}};
  ColumnDefinition threads_best{this,
                                {report_columns::thread_advice::kThreadsBest, "",
                                 "The number of threads that is best; of a type, for its layer with the largest input",
                                 "the number before the time rises", "M", kPaper}};
  ColumnDefinition latency_now_ms{
      this, {"latency_now_ms", "ms", "Time with threads_now; of a type, of all its layers", "", "M", sources::kOurs}};
  ColumnDefinition latency_best_ms{this, {"latency_best_ms", "ms", "Time with threads_best", "", "M", sources::kOurs}};
  ColumnDefinition gain_pct{this,
                            {"gain_pct", "%", "How much faster it is with threads_best, without switches",
                             "(latency_now_ms / latency_best_ms − 1) · 100", "M", "Liu et al., IPDPS 2019, Table II"}};
  ColumnDefinition gain_ms{this,
                           {report_columns::thread_advice::kGainMs, "ms", "Time that threads_best saves",
                            "latency_now_ms − latency_best_ms", "M", sources::kOurs}};
  ColumnDefinition ci_low_ms{this,
                             {"ci_low_ms", "ms", "Low end of the 95 % confidence interval of gain_ms",
                              "Yuen's test, or bootstrap of runs", "M", "doc/experiments.md"}};
  ColumnDefinition ci_high_ms{this,
                              {"ci_high_ms", "ms", "High end of the 95 % confidence interval of gain_ms",
                               "Yuen's test, or bootstrap of runs", "M", "doc/experiments.md"}};
  ColumnDefinition rule{
      this,
      {report_columns::thread_advice::kRule, "",
       "What gets threads_best: whole_run; layer (strategy 1); type: all layers of it (strategy 2)", "", "M", kPaper}};
  ColumnDefinition switches{this,
                            {"switches", "",
                             "Changes of the number of threads in a model call if only this row is followed, back to "
                             "threads_now included",
                             "", "L", sources::kOurs}};
  ColumnDefinition switch_ms{this,
                             {"switch_ms", "ms", "What these changes cost; null where nobody measured it",
                              "Σ measured cost of the pair, else of the nearest pair", "L", sources::kOurs}};
  ColumnDefinition net_gain_ms{this,
                               {report_columns::thread_advice::kNetGainMs, "ms", "What remains of the gain",
                                "gain_ms − switch_ms", "L", sources::kOurs}};
  ColumnDefinition measured_gain_pct{
      this, ColumnFacts{report_columns::thread_advice::kMeasuredGainPct, "%",
                        "What following advice gained in this run: blocks of calls with and without it took turns",
                        "(own / advised − 1) · 100, middle of all pairs of blocks", "M", sources::kOurs}};
  ColumnDefinition verdict{
      this,
      {report_columns::thread_advice::kVerdict, "",
       "change; keep; within noise: the interval of the gain reaches 0; machine busy: nothing is advised; null: "
       "threads_now or what switches cost is not known",
       "", "M", sources::kOurs}};

  constexpr ConcurrencyAdviceTable()
      : TableDefinition({.id = "E2",
                         .title = "concurrency advice",
                         .meaning = "The best number of threads: for the whole run, each layer, each type of layer",
                         .level = "L",
                         .source = "Liu et al., IPDPS 2019, III-D",
                         .compute = xsp::analysis::concurrency_advice,
                         .has_several = has_thread_curves}) {
    measure = &latency_now_ms;
    important_ = {&verdict, &threads_best, &name, &type, &rule, &threads_now, &gain_pct, &net_gain_ms, &layer_index};
    selects = "layer";
  }
};
inline constexpr ConcurrencyAdviceTable kE2;

}  // namespace xsp::analysis
