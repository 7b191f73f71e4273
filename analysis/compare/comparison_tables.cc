#include "analysis/compare/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/compare/circumstances.h"
#include "analysis/tables/kernel_information.h"
#include "analysis/tables/kernels_by_layer.h"
#include "analysis/tables/kernels_by_name.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/model_information.h"

namespace xsp::analysis {
namespace {

struct Comparable {
  const TableDefinition& of;
  Table (*compute)(const Comparison& comparison);
};

constexpr std::array kComparable = {
    Comparable{kA1, compare_models},           Comparable{kA2, compare_layers},
    Comparable{kA6, compare_layer_types},      Comparable{kA8, compare_kernels},
    Comparable{kA10, compare_kernels_by_name}, Comparable{kA11, compare_kernels_by_layer},
};

const Comparable* find(std::string_view id) {
  const auto* found =
      std::find_if(kComparable.begin(), kComparable.end(), [&](const Comparable& one) { return one.of.id == id; });
  return found == kComparable.end() ? nullptr : found;
}

}  // namespace

bool can_be_compared(std::string_view id) { return find(id) != nullptr; }

std::string comparable_ids() {
  std::string ids;
  for (const Comparable& one : kComparable) {
    if (!ids.empty()) ids += &one == &kComparable.back() ? " and " : ", ";
    ids += one.of.id;
  }
  return ids;
}

const Table& ComparisonTables::of(std::string_view id) {
  const auto [found, added] = tables_.try_emplace(std::string(id));
  Table& table = found->second;
  if (!added) return table;
  const Comparable& comparable = *find(id);
  table = comparable.compute(comparison_);
  std::string uncomparable = id == kA1.id ? "" : totals_note(comparison_);
  if (id != kA1.id && uncomparable.empty()) uncomparable = unlike_note(comparison_);
  if (!uncomparable.empty()) {
    table.rows.clear();
    table.notes = {uncomparable};
    table.lacks_data = true;
  }
  table.id = id;
  table.title = std::string(comparable.of.title) + ", BASE and NEW compared";
  std::vector<std::string> circumstances = circumstance_notes(comparison_);
  table.notes.insert(table.notes.begin(), circumstances.begin(), circumstances.end());
  return table;
}

Table ComparisonTables::ranked(std::string_view id) {
  Table table = of(id);
  if (id == kA1.id) return table;
  const auto magnitude = [](const std::vector<Cell>& row) {
    const auto* difference = std::get_if<double>(&compared_cell(row, kCompared.difference));
    return difference == nullptr ? -1 : std::fabs(*difference);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return magnitude(a) > magnitude(b); });
  return table;
}

}  // namespace xsp::analysis
