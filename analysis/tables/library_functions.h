#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table library_functions(const Study& study);

struct LibraryFunctionsTable : TableDefinition {
  ColumnDefinition library{this, columns::kLibrary};
  ColumnDefinition function{this, columns::kFunction};
  ColumnDefinition count{this, {"count", "", "Calls per step or model call", "", "C", sources::kOurs}};
  ColumnDefinition host_ms{this, columns::kHostMs};
  ColumnDefinition kernel_ms{this, columns::kKernelMs};
  ColumnDefinition kernel_pct{this, columns::kKernelPct};
  ColumnDefinition failed{this, {"failed", "", "Calls that returned an error", "", "C", sources::kOurs}};
  ColumnDefinition self_ms{this, columns::kSelfMs};
  ColumnDefinition bytes{this, {"bytes", "B", "Bytes copied or set", "", "G", sources::kCupti}};
  ColumnDefinition gflops{
      this,
      {"gflops", "Gflop", "Work of its calls, computed from their arguments; null: unknown for some calls",
       "Σ flops by arguments / 10^9", "C", "doc/metrics.md"}};
  ColumnDefinition gflop_per_s{this,
                               {"gflop_per_s", "Gflop/s", "How fast it computes",
                                "gflops / kernel_ms, on the host gflops / host_ms, · 1000", "C", sources::kOurs}};
  ColumnDefinition file{this,
                        {"file", "", "The library file that received its calls; several are separated by commas", "",
                         "C", "the recording"}};

  constexpr LibraryFunctionsTable()
      : TableDefinition(
            {.id = "C2",
             .title = "library calls by function",
             .meaning = "Library calls by function; below them the calls of the CUDA API, copies and memsets",
             .level = "C",
             .source = sources::kOurs,
             .compute = xsp::analysis::library_functions}) {
    rank_by = &host_ms;
    show_ranked = true;
    measure = &count;
    overview_place = 8;
    important_ = {&function, &self_ms, &count, &gflop_per_s, &library, &kernel_ms, &kernel_pct, &host_ms};
    selects = "function";
  }
};
inline constexpr LibraryFunctionsTable kC2;

}  // namespace xsp::analysis
