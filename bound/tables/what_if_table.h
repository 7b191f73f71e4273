#pragma once

#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {

struct WhatIfTable : TableDefinition {
  ColumnDefinition what{
      this,
      {"what", "",
       "fuse: layers at once; parallel: independent branches at the same time; implementations: the fastest one in "
       "each library call; a type: all that can compute in it does; all: what gains of these together",
       "", needs::kTimes, sources::kPaper}};
  ColumnDefinition rule{this, ColumnFacts{"rule", "",
                                          "Of fuse the rule, of a type the layers that compute in it, of all what it "
                                          "is made of",
                                          "", needs::kTimes, sources::kPaper}
                                  .cut_to(32)};
  ColumnDefinition count{this, {"count", "", "Groups, layers or calls that change", "", needs::kTimes, "XSP"}};
  ColumnDefinition before_ms{
      this,
      {"before_ms", "ms",
       "The bound of the whole model before: of fuse and all layer by layer, of parallel and of types fused; of "
       "implementations the benchmarks of the calls that ran",
       "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition after_ms{
      this, {"after_ms", "ms", "The bound of the same afterwards", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition profit_ms{this,
                             {"profit_ms", "ms", "What it saves at most; negative: it loses", "before_ms − after_ms",
                              needs::kTimes, sources::kPaper}};
  ColumnDefinition profit_pct{this,
                              {"profit_pct", "%", "The same as a share of before_ms", "100 · profit_ms / before_ms",
                               needs::kTimes, sources::kPaper}};
  ColumnDefinition coverage_pct{
      this,
      {"coverage_pct", "%", "Layers that have a time afterwards; of implementations calls that have both times", "",
       needs::kTimes, "XSP"}};
  ColumnDefinition caveat{
      this, ColumnFacts{"caveat", "", "What the number does not tell", "", needs::kTimes, "XSP"}.cut_to(130)};
  ColumnDefinition model{this, columns::kModelName};

  constexpr WhatIfTable()
      : TableDefinition({.id = "B7",
                         .title = "what if",
                         .meaning = "What a change could save, by bounds before and after it",
                         .level = needs::kTimes,
                         .source = sources::kPaper}) {
    measure = &profit_ms;
    overview_place = 5;
    important_ = {&what, &rule, &before_ms, &after_ms, &profit_ms, &profit_pct, &caveat, &model, &count};
  }
};
inline constexpr WhatIfTable kB7;

analysis::Table what_if_table(const BoundSubject& subject);  // B7

}  // namespace xsp::bound
