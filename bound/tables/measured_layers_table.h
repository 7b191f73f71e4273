#pragma once

#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {

struct MeasuredLayersTable : TableDefinition {
  ColumnDefinition trace_index{
      this, {"trace_index", "", "Number of the layer in the trace (A2)", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition name{this,
                        ColumnFacts{"name", "", "Name of the layer in the trace; of what did not run, in the model", "",
                                    needs::kTrace, sources::kTrace}
                            .cut_to(40)
                            .of_facet("layer")};
  ColumnDefinition type{this, ColumnFacts{"type", "", "Operator of the layer in the trace, else in the model", "",
                                          needs::kTrace, sources::kTrace}
                                  .of_facet("type")};
  ColumnDefinition layers{this, {"layers", "", "Layers of the model that it ran", "", needs::kTrace, "XSP"}};
  ColumnDefinition ran{
      this,
      ColumnFacts{"ran", "", "Their names, the first ones where they are many", "", needs::kTrace, "XSP"}.cut_to(60)};
  ColumnDefinition measured_ms{
      this, {"measured_ms", "ms", "Latency of the layer in the trace (A2)", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition least_ms{this,
                            {"least_ms", "ms", "Least latency of it in any call", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition bound_ms{
      this, {"bound_ms", "ms", "The least time of what it ran, layer by layer", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition fused_ms{
      this,
      {"fused_ms", "ms", "The same with groups of layers in one call each; of a group that it ran in part its share",
       "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition expected_ms{this,
                               {"expected_ms", "ms", "fused_ms with operands from memory; an estimate, not a bound", "",
                                needs::kTimes, sources::kDatabase}};
  ColumnDefinition normalized_pct{this,
                                  {"normalized_pct", "%", "The bound as a share of what was measured",
                                   "100 · fused_ms / measured_ms", needs::kTrace, sources::kPaper}};
  ColumnDefinition excess_ms{
      this, {"excess_ms", "ms", "What there is to win at most", "measured_ms − fused_ms", needs::kTrace, "XSP"}};
  ColumnDefinition joined_by{
      this, {"joined_by", "", "How it was found in the model: name or sequence", "", needs::kTrace, "XSP"}};
  ColumnDefinition reason{
      this,
      ColumnFacts{"reason", "", "Why there is no bound, or what is special about it", "", needs::kTrace, "XSP"}.cut_to(
          90)};
  ColumnDefinition model{this, columns::kModelName};

  constexpr MeasuredLayersTable()
      : TableDefinition(
            {.id = "B3.layers",
             .title = "measured against bound by layer",
             .meaning = "Each layer of the trace beside the least time of what it ran, by what there is to win",
             .level = needs::kTrace,
             .source = sources::kPaper}) {
    rank_by = &excess_ms;
    show_ranked = true;
    measure = &measured_ms;
    overview_place = 2;
    important_ = {&name, &type, &measured_ms, &fused_ms, &excess_ms, &normalized_pct, &layers, &least_ms, &reason};
    selects = "layer";
  }
};
inline constexpr MeasuredLayersTable kB3Layers;

/// B3.layers. What there is to win most first; behind it layers of the trace without a bound, those that are nothing in
/// the model, and layers of the model with work that did not run.
analysis::Table measured_layers_table(const BoundSubject& subject);

}  // namespace xsp::bound
