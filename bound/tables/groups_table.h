#pragma once

#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {

struct GroupsTable : TableDefinition {
  ColumnDefinition rule{this, {"rule", "", "Rule that found the group", "", needs::kModel, "XSP"}};
  ColumnDefinition pattern{
      this, ColumnFacts{"pattern", "", "Its operators in order", "", needs::kModel, sources::kModel}.cut_to(60)};
  ColumnDefinition first{
      this, ColumnFacts{"first", "", "Name of its first layer", "", needs::kModel, sources::kModel}.cut_to(40).of_facet(
                "layer")};
  ColumnDefinition layers{
      this, ColumnFacts{"layers", "", "Its layers, by index (B1)", "", needs::kModel, sources::kModel}.cut_to(40)};
  ColumnDefinition problem{
      this,
      ColumnFacts{"problem", "", "What a benchmark computes (doc/xsp-bound.md)", "", needs::kModel, "XSP"}.cut_to(150)};
  ColumnDefinition parts_ms{this,
                            {"parts_ms", "ms", "Its layers one by one; those without a time count as nothing", "",
                             needs::kTimes, sources::kDatabase}};
  ColumnDefinition fused_ms{
      this, {"fused_ms", "ms", "The least time of all of them in one call", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition gain_ms{this, {"gain_ms", "ms", "What one call saves", "parts_ms − fused_ms", needs::kTimes, "XSP"}};
  ColumnDefinition taken{this,
                         {"taken", "", "Whether the mode fused counts it in one call (B3)", "", needs::kTimes, "XSP"}};
  ColumnDefinition reason{this, ColumnFacts{"reason", "", "Why it does not", "", needs::kTimes, "XSP"}.cut_to(80)};
  ColumnDefinition backend{
      this,
      {"backend", "", "Library and version of the fastest implementation", "", needs::kTimes, sources::kDatabase}};
  ColumnDefinition implementation{
      this,
      ColumnFacts{"implementation", "", "The library's own name of it", "", needs::kTimes, sources::kDatabase}.cut_to(
          40)};
  ColumnDefinition noisy{
      this, {"noisy", "", "Whether its benchmark was disturbed", "median > 1.2 · least", needs::kTimes, "XSP"}};
  ColumnDefinition model{this, columns::kModelName};

  constexpr GroupsTable()
      : TableDefinition(
            {.id = "B3.groups",
             .title = "layers that can be fused",
             .meaning = "Groups of layers that a library or a runtime computes in one call, and what that saves",
             .level = needs::kTimes,
             .source = "XSP"}) {
    rank_by = &gain_ms;
    show_ranked = true;
    measure = &gain_ms;
    important_ = {&pattern, &first, &parts_ms, &fused_ms, &gain_ms, &taken, &reason, &layers, &implementation};
    selects = "layer";
  }
};
inline constexpr GroupsTable kB3Groups;

/// B3.groups: each candidate, in the order of their last layers.
analysis::Table groups_table(const BoundSubject& subject);

}  // namespace xsp::bound
