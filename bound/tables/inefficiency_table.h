#pragma once

#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {

struct InefficiencyTable : TableDefinition {
  ColumnDefinition kind{
      this,
      {"kind", "",
       "missing_call: not by the library; other_arguments: not as the layer needs it; extra_call: only changes a "
       "layout; "
       "repeated_setup: needed once; order: before what it reads; between_kernels: kernels outside library calls; "
       "between_calls: the host waits; host_gap: nothing happens",
       "", needs::kTrace, sources::kPaper}};
  ColumnDefinition layer_index{
      this, {"layer_index", "", "The layer in A2, of several the first one", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition layer_name{
      this, ColumnFacts{"layer_name", "", "Its name, or how many there are", "", needs::kTrace, sources::kTrace}
                .cut_to(40)
                .of_facet("layer")};
  ColumnDefinition expected{
      this, ColumnFacts{"expected", "", "What would be enough", "", needs::kTrace, sources::kPaper}.cut_to(60)};
  ColumnDefinition seen{this,
                        ColumnFacts{"seen", "", "What ran instead", "", needs::kTrace, sources::kTrace}.cut_to(70)};
  ColumnDefinition count{this, {"count", "", "How often in a call of the model", "", needs::kTrace, sources::kTrace}};
  ColumnDefinition time_ms{
      this,
      {"time_ms", "ms",
       "What all of them take in a call of the model: kernels on the device, calls on the host; of "
       "missing_call on a processor the layers, of between_calls what the device then stands still",
       "", needs::kTrace, sources::kTrace}};
  ColumnDefinition time_pct{
      this,
      {"time_pct", "%", "The same as a share of the model", "100 · time_ms / latency_ms (A1)", needs::kTrace, "XSP"}};
  ColumnDefinition evidence{
      this, ColumnFacts{"evidence", "", "Where it is seen first: the call in C1 by its call_index, or the kernel", "",
                        needs::kTrace, sources::kTrace}
                .cut_to(80)};
  ColumnDefinition model{this, columns::kModelName};

  constexpr InefficiencyTable()
      : TableDefinition({.id = "B6",
                         .title = "framework inefficiency",
                         .meaning = "What a framework does that the model does not ask for",
                         .level = needs::kTrace,
                         .source = sources::kPaper}) {
    measure = &kind;
    rank_by = &time_ms;
    show_ranked = false;
    overview_place = 6;
    important_ = {&kind, &layer_name, &count, &time_ms, &time_pct, &seen, &expected, &model, &evidence};
  }
};
inline constexpr InefficiencyTable kB6;

analysis::Table inefficiency_table(const BoundSubject& subject);  // B6

}  // namespace xsp::bound
