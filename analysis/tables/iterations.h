#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table iterations(const Study& study);

struct IterationsTable : TableDefinition {
  ColumnDefinition iteration{
      this,
      {"iteration", "", "Number of the iteration in its loop, from 0", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition start_ms{
      this, ColumnFacts{"start_ms", "ms", "Begin of its first operation that is not a copy from or to the host",
                        "time since the first operation of the process", needs::kOperations, sources::kIterations}
                .with_decimals(3)};
  ColumnDefinition end_ms{this, ColumnFacts{"end_ms", "ms", "End of the last such operation", "likewise",
                                            needs::kOperations, sources::kIterations}
                                    .with_decimals(3)};
  ColumnDefinition operations{
      this, {"operations", "", "Operations of the iteration", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition deviations{this,
                              {"deviations", "", "Number of operations that differ from the pattern",
                               "inserted + missing", needs::kOperations, sources::kIterations}};
  ColumnDefinition level{this,
                         {"level", "", "0: the outermost loop; 1: a loop within one of level 0, …", "",
                          needs::kOperations, sources::kIterations}};
  ColumnDefinition loop{
      this,
      {"loop", "", "Number of the loop, from 0: those of level 0 first", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition parent{
      this, {"parent", "", "The iteration of the enclosing loop", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition inserted{
      this, {"inserted", "", "Operations that are not in the pattern", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition missing{
      this,
      {"missing", "", "Operations of the pattern that are missing here", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition duration_ms{
      this, {"duration_ms", "ms", "How long it runs", "end_ms − start_ms", needs::kOperations, sources::kIterations}};
  ColumnDefinition period_ms{this,
                             {"period_ms", "ms", "Until the next iteration begins; null where another loop comes first",
                              "start_ms of the next − start_ms", needs::kOperations, sources::kIterations}};

  constexpr IterationsTable()
      : TableDefinition({.id = "D1",
                         .title = "iterations",
                         .meaning = "The iterations of the loops in which the busiest process repeats its operations",
                         .level = "G, else L or C",
                         .source = "DeepProf, IV-B; doc/iterations.md",
                         .compute = xsp::analysis::iterations}) {
    course = &duration_ms;
    course_over = &iteration;
    selects = "iteration";
  }
};
inline constexpr IterationsTable kD1;

/// Rows are meant to be read: inner loops may have a million iterations.
inline constexpr size_t kMostIterations = 200'000;

}  // namespace xsp::analysis
