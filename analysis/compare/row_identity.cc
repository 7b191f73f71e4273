#include "analysis/compare/row_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/compare/comparison_tables.h"
#include "analysis/tables/kernel_information.h"
#include "analysis/tables/kernels_by_layer.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/levels.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/table_cells.h"
#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {
namespace {

/// Columns, by their names in whatever table.
constexpr std::array<const ColumnFacts*, 7> kLabels = {
    &kA2.name,        &columns::kKernelName, &columns::kFunction, &columns::kLayerName,
    &columns::kModel, &kQ1.quantity,         &columns::kType};

/// Numbers of layers, which differ between the inputs.
constexpr std::array<const ColumnFacts*, 2> kLayerIndices = {&kA2.index, &columns::kLayerIndex};

/// What tells rows apart besides.
constexpr std::array<const ColumnFacts*, 10> kIdentities = {
    &columns::kKernelName, &columns::kLibrary, &columns::kFunction, &kQ1.quantity,  &kQ1.level,
    &columns::kModel,      &columns::kInput,   &kL1.event_level,    &kL1.level_set, &columns::kBatchSize};
/// Names of layers, of what is in no numbered layer, and of rows that are of no layer.
constexpr std::array<const ColumnFacts*, 3> kNames = {&kA2.name, &columns::kLayerName, &columns::kType};

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  return {};
}

/// Whether a whole text matches a pattern with * and ?.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// `partner_of` gives what a layer's number stands for on both sides.
template <typename PartnerOf>
std::vector<std::string> identities(const Table& table, PartnerOf&& partner_of) {
  std::vector<std::string> keys(table.rows.size());
  const auto append = [&](size_t row, std::string_view text) { (keys[row] += text) += '\n'; };
  std::optional<size_t> index;
  for (const ColumnFacts* known : kLayerIndices) {
    if (!index) index = find_column(table, *known);
  }
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto* layer = index ? std::get_if<int64_t>(&table.rows[row][*index]) : nullptr;
    if (layer != nullptr) append(row, partner_of(static_cast<uint32_t>(*layer)));
    for (const ColumnFacts* known : kNames) {
      const auto column = find_column(table, *known);
      if (layer == nullptr && column) append(row, text_of(table.rows[row][*column]));
    }
    for (const ColumnFacts* known : kIdentities) {
      if (const auto column = find_column(table, *known)) append(row, text_of(table.rows[row][*column]));
    }
  }
  return keys;
}

std::vector<uint32_t> rows_by_places(const std::vector<AlignedPlace>& places, size_t rows) {
  std::vector<uint32_t> of_fresh(rows, kNoPlace);
  for (const AlignedPlace& place : places) {
    if (place.b < rows) of_fresh[place.b] = place.a;
  }
  return of_fresh;
}

/// The n-th row of an identity in one table meets the n-th in the other.
std::vector<uint32_t> rows_by_identity(const Comparison& comparison, const Table& base, const Table& fresh) {
  std::vector<uint32_t> partner(comparison.base.joined.layers.size(), kNoPlace);
  for (const AlignedPlace& layer : comparison.layers) {
    if (layer.a != kNoPlace) partner[layer.a] = layer.b;
  }
  const auto in_base = identities(base, [&](uint32_t layer) {
    const uint32_t other = layer < partner.size() ? partner[layer] : layer;
    return other == kNoPlace ? fmt::format("only in BASE {}", layer) : std::to_string(other);
  });
  const auto in_fresh = identities(fresh, [](uint32_t layer) { return std::to_string(layer); });
  std::map<std::string_view, std::vector<uint32_t>> rows;  // of base, the first at the back
  for (size_t row = in_base.size(); row-- > 0;) rows[in_base[row]].push_back(static_cast<uint32_t>(row));
  std::vector<uint32_t> of_fresh(in_fresh.size(), kNoPlace);
  for (size_t row = 0; row < in_fresh.size(); ++row) {
    const auto found = rows.find(in_fresh[row]);
    if (found == rows.end() || found->second.empty()) continue;
    of_fresh[row] = found->second.back();
    found->second.pop_back();
  }
  return of_fresh;
}

bool has_a_row_each(const Table& table, const std::vector<uint32_t>& groups) {
  return table.rows.size() == groups.size();
}

}  // namespace

std::string label_of(const Table& table, size_t row) {
  for (const ColumnFacts* known : kLabels) {
    const auto column = find_column(table, *known);
    if (column && !is_null(table.rows[row][*column])) return text_of(table.rows[row][*column]);
  }
  return table.rows[row].empty() ? "" : text_of(table.rows[row].front());
}

std::vector<size_t> select_rows(const Table& table, const std::string& selector) {
  const size_t equals = selector.find('=');
  std::optional<size_t> column;
  if (equals != std::string::npos) column = find_column(table, std::string_view(selector).substr(0, equals));
  const std::string_view pattern = std::string_view(selector).substr(column ? equals + 1 : 0);
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (matches(pattern, column ? text_of(table.rows[row][*column]) : label_of(table, row))) rows.push_back(row);
  }
  return rows;
}

std::vector<uint32_t> match_rows(const Comparison& comparison, const Table& base, const Table& fresh) {
  if ((fresh.id == kA1.id || fresh.id == kA15.id) && has_a_row_each(fresh, comparison.fresh.groups) &&
      has_a_row_each(base, comparison.base.groups)) {
    return rows_by_places(comparison.models, fresh.rows.size());
  }
  if (fresh.id == kA8.id && fresh.rows.size() == comparison.fresh.kernels.kernels.size() &&
      base.rows.size() == comparison.base.kernels.kernels.size()) {
    return rows_by_places(match_kernels(comparison), fresh.rows.size());
  }
  return rows_by_identity(comparison, base, fresh);
}

std::vector<uint32_t> rows_of_comparison(const Comparison& comparison, const Table& compared, const Table& fresh) {
  std::vector<uint32_t> rows(fresh.rows.size(), kNoPlace);
  const auto by_place = [&](const std::vector<AlignedPlace>& places) {
    for (uint32_t i = 0; i < places.size() && i < compared.rows.size(); ++i) {
      if (places[i].b < rows.size()) rows[places[i].b] = i;
    }
  };
  if (compared.id == kA1.id) {
    by_place(comparison.models);
  } else if (compared.id == kA2.id) {
    by_place(comparison.layers);
  } else if (compared.id == kA8.id) {
    by_place(match_kernels(comparison));
  } else {
    if (compared.id == kA11.id) by_place(comparison.layers);
    std::map<std::string, uint32_t> by_name;
    for (uint32_t i = 0; i < compared.rows.size(); ++i) {
      by_name.emplace(text_of(compared_cell(compared.rows[i], kCompared.what)), i);
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto found = by_name.find(label_of(fresh, row));
      if (rows[row] == kNoPlace && found != by_name.end()) rows[row] = found->second;
    }
  }
  return rows;
}

}  // namespace xsp::analysis
