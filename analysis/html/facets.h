#pragma once

#include <string_view>
#include <vector>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What the rows of a table are of, so that rows, points and slices select one another (doc/html.md).
struct TableFacets {
  struct Facet {
    std::string_view name;        // "layer"
    std::vector<size_t> columns;  // several: their values joined; none: it is the row's number in the table
  };
  std::vector<Facet> facets;
  std::string_view selects;  // empty: its rows select nothing
};

/// `id` names the analysis, also for tables with columns of their own; of a part "D2.iterations".
TableFacets facets_of(std::string_view id, const Table& table);

}  // namespace xsp::analysis
