#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table library_calls(const Study& study);

struct LibraryCallTable : TableDefinition {
  ColumnDefinition call_index{
      this,
      ColumnFacts{"call_index", "", "Position of the call in the step or model call, from 0", "", "C", sources::kOurs}
          .of_facet("call")};
  ColumnDefinition library{this, columns::kLibrary};
  ColumnDefinition function{this, columns::kFunction};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition thread{this, {"thread", "", "Thread that made the call", "", "C", "the recording"}};
  ColumnDefinition arguments{
      this, {"arguments", "", "Its arguments: sizes, types, layouts, algorithm, plan", "", "C", "doc/library.md"}};
  ColumnDefinition status{this, {"status", "", "What it returned, as the library names it", "", "C", "the recording"}};
  ColumnDefinition host_ms{this, columns::kHostMs};
  ColumnDefinition kernel_ms{this, columns::kKernelMs};
  ColumnDefinition kernel_count{this, columns::kKernelCount};
  ColumnDefinition nested_in{this, {"nested_in", "", "call_index of the call around it", "", "C", sources::kOurs}};
  ColumnDefinition self_ms{this, columns::kSelfMs};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};

  constexpr LibraryCallTable()
      : TableDefinition({.id = "C1",
                         .title = "library calls",
                         .meaning = "Each call into a compute library, with its arguments",
                         .level = "C",
                         .source = sources::kOurs,
                         .compute = xsp::analysis::library_calls}) {
    rank_by = &host_ms;
    measure = &host_ms;
    overview_place = 9;
    important_ = {&call_index, &function, &layer_name, &host_ms, &arguments};
    selects = "call";
  }
};
inline constexpr LibraryCallTable kC1;

}  // namespace xsp::analysis
