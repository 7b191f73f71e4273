#include "analysis/html/facets.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

constexpr std::array<std::string_view, 5> kFacets = {"layer", "type", "kernel", "call", "function"};

/// An iteration is told by its loop and its number in it.
struct IterationTable {
  const TableDefinition& of;
  const ColumnDefinition& loop;
  const ColumnDefinition& iteration;
};
constexpr std::array kIterationTables = {
    IterationTable{kD1, kD1.loop, kD1.iteration},
    IterationTable{kD2Iterations, kD2Iterations.loop, kD2Iterations.iteration},
};

}  // namespace

TableFacets facets_of(std::string_view id, const Table& table) {
  TableFacets found;
  const TableDefinition* definition = table_definition(id);
  if (definition == nullptr) return found;
  for (const std::string_view facet : kFacets) {
    for (const ColumnDefinition* column : definition->columns()) {
      if (column->facet != facet) continue;
      if (const auto place = find_column(table, *column)) found.facets.push_back({facet, {*place}});
    }
  }
  for (const IterationTable& iterations : kIterationTables) {
    const auto loop = find_column(table, iterations.loop);
    const auto iteration = find_column(table, iterations.iteration);
    if (definition == &iterations.of && loop && iteration) found.facets.push_back({"iteration", {*loop, *iteration}});
  }
  if (definition->is_of_executions) found.facets.push_back({"execution", {}});
  const bool has = std::any_of(found.facets.begin(), found.facets.end(),
                               [&](const TableFacets::Facet& facet) { return facet.name == definition->selects; });
  if (has) found.selects = definition->selects;
  return found;
}

}  // namespace xsp::analysis
