#pragma once

#include "analysis/tables/column_conditions.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/swept_curves.h"
#include "analysis/tables/table.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

namespace sources {
inline constexpr std::string_view kConcurrencyPaper = "Liu et al., IPDPS 2019, III-C";
}  // namespace sources

Table concurrency_curves(const Study& study);
/// Of curves that are there already.
Table concurrency_curves(const SweptCurves& swept);

struct ConcurrencyCurvesTable : TableDefinition {
  ColumnDefinition layer_index{
      this,
      ColumnFacts{"layer_index", "", "Position of the layer in execution order, from 0; null: the model as a whole", "",
                  "L", sources::kOurs}
          .of_facet("layer")};
  ColumnDefinition name{this, {"name", "", "Name of the layer, or of the model", "", "M", "the framework"}};
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition shape{this, {"shape", "", "Shape of the output, as in A2", "", "L", "the framework"}};
  ColumnDefinition threads{this, {"threads", "", "Threads that it was computed with", "", "M", sources::kOurs}};
  ColumnDefinition latency_ms{this,
                              {"latency_ms", "ms", "Its time with that many threads",
                               "statistic over n; between probes linear", "M", sources::kConcurrencyPaper}};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};
  ColumnDefinition source{
      this, {"source", "", "measured, or interpolated between the nearest probes", "", "M", sources::kOurs}};
  ColumnDefinition predicted_ms{
      this,
      {"predicted_ms", "ms", "What the other probes predict of a time that was measured",
       "linear between the nearest probes, itself left out", "M", sources::kConcurrencyPaper}};
  ColumnDefinition error_pct{this,
                             {"error_pct", "%", "How far the prediction is off",
                              "(predicted_ms / latency_ms − 1) · 100", "M", sources::kOurs}};
  ColumnDefinition speedup{this,
                           {"speedup", "", "How many times as fast as with one thread",
                            "latency_ms at 1 thread / latency_ms", "M", sources::kOurs}};
  ColumnDefinition probe{
      this,
      {"probe", "", "Whether the search for the best number of threads tried it", "", "M", sources::kConcurrencyPaper}};

  constexpr ConcurrencyCurvesTable()
      : TableDefinition({.id = "E1",
                         .title = "concurrency curve",
                         .meaning = "Time by number of threads, of the model and of each layer",
                         .level = "L",
                         .source = "Liu et al., IPDPS 2019, Figure 1",
                         .compute = xsp::analysis::concurrency_curves,
                         .has_several = has_thread_curves}) {
    measure = &latency_ms;
    important_ = {&layer_index, &name, &threads, &latency_ms, &speedup, &source, &type};
    selects = "layer";
  }
};
inline constexpr ConcurrencyCurvesTable kE1;

}  // namespace xsp::analysis
