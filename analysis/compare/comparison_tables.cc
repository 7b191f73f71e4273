#include "analysis/compare/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/compare/circumstances.h"
#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

struct Comparable {
  std::string_view id;
  Table (*compute)(const Comparison& comparison);
};

constexpr std::array kComparable = {
    Comparable{"A1", compare_models},           Comparable{"A2", compare_layers},
    Comparable{"A6", compare_layer_types},      Comparable{"A8", compare_kernels},
    Comparable{"A10", compare_kernels_by_name}, Comparable{"A11", compare_kernels_by_layer},
};

const Comparable* find(std::string_view id) {
  const auto* found =
      std::find_if(kComparable.begin(), kComparable.end(), [&](const Comparable& one) { return one.id == id; });
  return found == kComparable.end() ? nullptr : found;
}

}  // namespace

const std::vector<std::string_view> kImportantColumns = {"what", "difference", "significant", "difference_pct", "base",
                                                         "new",  "change",     "ci_low",      "ci_high"};

bool can_be_compared(std::string_view id) { return find(id) != nullptr; }

std::string comparable_ids() {
  std::string ids;
  for (const Comparable& one : kComparable) {
    if (!ids.empty()) ids += &one == &kComparable.back() ? " and " : ", ";
    ids += one.id;
  }
  return ids;
}

const Table& ComparisonTables::of(std::string_view id) {
  const auto [found, added] = tables_.try_emplace(std::string(id));
  Table& table = found->second;
  if (!added) return table;
  table = find(id)->compute(comparison_);
  std::string uncomparable = id == "A1" ? "" : totals_note(comparison_);
  if (id != "A1" && uncomparable.empty()) uncomparable = unlike_note(comparison_);
  if (!uncomparable.empty()) {
    table.rows.clear();
    table.notes = {uncomparable};
    table.lacks_data = true;
  }
  const auto analysis =
      std::find_if(analyses().begin(), analyses().end(), [&](const Analysis& one) { return one.id == id; });
  table.id = id;
  table.title = std::string(analysis->title) + ", BASE and NEW compared";
  std::vector<std::string> circumstances = circumstance_notes(comparison_);
  table.notes.insert(table.notes.begin(), circumstances.begin(), circumstances.end());
  return table;
}

Table ComparisonTables::ranked(std::string_view id) {
  Table table = of(id);
  if (id == "A1") return table;
  const auto magnitude = [](const std::vector<Cell>& row) {
    const auto* difference = std::get_if<double>(&row[ComparisonColumn::kDifference]);
    return difference == nullptr ? -1 : std::fabs(*difference);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return magnitude(a) > magnitude(b); });
  return table;
}

}  // namespace xsp::analysis
