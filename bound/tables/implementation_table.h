#pragma once

#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {

/// B5.
Table implementation_table(const BoundSubject& subject);

struct ImplementationTable : TableDefinition {
  ColumnDefinition layer_index{
      this, {"layer_index", "", "Layer of the trace that made the call (A2)", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition layer_name{this, ColumnFacts{"layer_name", "", "Its name; in the last row Σ, the sum of all rows",
                                                "", needs::kTrace, sources::kTrace}
                                        .cut_to(40)
                                        .of_facet("layer")};
  ColumnDefinition call_index{
      this,
      {"call_index", "", "Position of the call among the library calls (C1)", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition used{
      this, ColumnFacts{"used", "", "What the library used, as the trace names it", "", needs::kTrace, sources::kTrace}
                .cut_to(60)};
  ColumnDefinition benchmark{
      this, ColumnFacts{"benchmark", "",
                        "Whose benchmark of the implementation with that name stands for it: an installed version of "
                        "the library, which need not be the version that ran, and the layout of the tensors",
                        "", needs::kTimes, sources::kDatabase}
                .cut_to(60)};
  ColumnDefinition used_ms{
      this,
      {"used_ms", "ms", "That benchmark, not what was measured in the trace",
       "least CPU time of a call with one thread, else least wall time", needs::kTimes, sources::kDatabase}};
  ColumnDefinition heuristic{
      this,
      ColumnFacts{"heuristic", "", "What the library itself proposes first", "", needs::kTimes, sources::kPaper}.cut_to(
          60)};
  ColumnDefinition heuristic_ms{this, {"heuristic_ms", "ms", "Its benchmark", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition best{this, ColumnFacts{"best", "",
                                          "The fastest implementation of all libraries that were measured; other "
                                          "rounding: it rounds otherwise than the plain algorithm (Winograd, FFT)",
                                          "", needs::kTimes, sources::kPaper}
                                  .cut_to(60)};
  ColumnDefinition best_ms{this, {"best_ms", "ms", "Its benchmark", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition loss_ms{
      this,
      {"loss_ms", "ms", "What another implementation could save", "used_ms − best_ms", needs::kTimes, sources::kPaper}};
  ColumnDefinition loss_pct{this,
                            {"loss_pct", "%", "The same as a share of the latency of a call of the model (A1)",
                             "100 · loss_ms / measured_ms", needs::kTimes, sources::kPaper}};
  ColumnDefinition reason{
      this, ColumnFacts{"reason", "", "Why there are no times", "", needs::kTimes, sources::kDatabase}.cut_to(60)};
  ColumnDefinition model{this, columns::kModelName};

  constexpr ImplementationTable()
      : TableDefinition({.id = "B5",
                         .title = "implementation choice",
                         .meaning = "What products and convolutions that ran used, against what would be fastest",
                         .level = needs::kTrace,
                         .source = sources::kPaper}) {
    rank_by = &loss_ms;
    show_ranked = false;
    measure = &loss_ms;
    important_ = {&layer_name, &used, &benchmark, &used_ms, &best, &best_ms, &loss_ms, &loss_pct, &reason};
  }
};
inline constexpr ImplementationTable kB5;

}  // namespace xsp::bound
