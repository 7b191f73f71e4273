#include "analysis/html/facets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace xsp::analysis {
namespace {

struct FacetColumn {
  std::string_view facet;
  std::string_view column;
  std::string_view tables;  // between blanks; empty: all
};

constexpr std::array kFacetColumns = {
    FacetColumn{"layer", "layer_index", ""},      FacetColumn{"layer", "index", " A2 A3 A4 "},
    FacetColumn{"type", "type", " A2 A5 A6 A7 "}, FacetColumn{"kernel", "kernel_name", ""},
    FacetColumn{"call", "call_index", " C1 "},    FacetColumn{"function", "function", " C1 C2 "},
};

/// An iteration is told by its loop and its number in it.
constexpr std::array<std::string_view, 2> kIteration = {"loop", "iteration"};
constexpr std::string_view kIterationTables = " D1 D2.iterations ";

struct Selecting {
  std::string_view table;
  std::string_view facet;
};

constexpr std::array kSelecting = {
    Selecting{"A2", "layer"},     Selecting{"A3", "layer"},     Selecting{"A4", "layer"},
    Selecting{"A5", "type"},      Selecting{"A6", "type"},      Selecting{"A7", "type"},
    Selecting{"A8", "execution"}, Selecting{"A9", "execution"}, Selecting{"A10", "kernel"},
    Selecting{"A11", "layer"},    Selecting{"A12", "layer"},    Selecting{"A13", "layer"},
    Selecting{"A14", "layer"},    Selecting{"C1", "call"},      Selecting{"C2", "function"},
    Selecting{"L1", "layer"},     Selecting{"D1", "iteration"}, Selecting{"D2.iterations", "iteration"},
};

bool is_among(std::string_view id, std::string_view tables) {
  return tables.empty() || tables.find(fmt::format(" {} ", id)) != std::string_view::npos;
}

}  // namespace

TableFacets facets_of(std::string_view id, const Table& table) {
  TableFacets found;
  const auto column_named = [&](std::string_view name) -> std::optional<size_t> {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& candidate) { return candidate.name == name; });
    if (column == table.columns.end()) return {};
    return static_cast<size_t>(column - table.columns.begin());
  };
  for (const FacetColumn& facet : kFacetColumns) {
    if (!is_among(id, facet.tables)) continue;
    if (const auto column = column_named(facet.column)) found.facets.push_back({facet.facet, {*column}});
  }
  if (is_among(id, kIterationTables)) {
    std::vector<size_t> columns;
    for (const std::string_view name : kIteration) {
      if (const auto column = column_named(name)) columns.push_back(*column);
    }
    if (columns.size() == kIteration.size()) found.facets.push_back({"iteration", std::move(columns)});
  }
  if (id == "A8" || id == "A9") found.facets.push_back({"execution", {}});
  const auto selecting =
      std::find_if(kSelecting.begin(), kSelecting.end(), [&](const Selecting& known) { return known.table == id; });
  if (selecting == kSelecting.end()) return found;
  const bool has = std::any_of(found.facets.begin(), found.facets.end(),
                               [&](const TableFacets::Facet& facet) { return facet.name == selecting->facet; });
  if (has) found.selects = selecting->facet;
  return found;
}

}  // namespace xsp::analysis
