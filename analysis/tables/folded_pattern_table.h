#pragma once

#include "analysis/iterations/found_iterations.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table.h"
#include "analysis/tables/table_definition.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// D1's part `folded`: the patterns of the outermost loops, with what repeats in them folded. A row a line: depth,
/// repeats, operations (of one repeat), what (of an operation; of several loops the first line of each names it). What
/// a row consists of follows it, one deeper.
struct FoldedPatternTable : TableDefinition {
  ColumnDefinition depth{
      this, {"depth", "", "Depth: number of enclosing blocks", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition repeats{
      this, {"repeats", "", "How often it repeats in a row", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition operations{
      this, {"operations", "", "Operations of one repeat", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition what{
      this, ColumnFacts{"what", "", "Name of the operation; null: a block, whose operations follow at the next depth",
                        "", needs::kOperations, sources::kIterations}
                .cut_to(100)};

  constexpr FoldedPatternTable()
      : TableDefinition({.id = "D1.folded",
                         .title = "pattern of an iteration, repeats folded",
                         .meaning = "The operations of one iteration of each outermost loop, with repeats folded",
                         .level = "G, else L or C",
                         .source = "doc/iterations.md"}) {}
};
inline constexpr FoldedPatternTable kD1Folded;

Table folded_pattern_table(const Trace& trace, const FoundIterations& found);

}  // namespace xsp::analysis
