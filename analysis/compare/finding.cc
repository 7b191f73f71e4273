#include "analysis/compare/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/compare/circumstances.h"
#include "analysis/tables/column_conditions.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

double number_or_nan(const Cell& cell) { return number_of(cell).value_or(NAN); }

/// How many rows are named of each kind.
constexpr size_t kNamed = 4;

/// A row of A2 or A10 that may explain a difference.
struct Contributor {
  std::string name;
  double difference = 0;  // ms
  bool judged = false;    // known to be significant; else one side alone has it, or there are too few evaluations
};

/// Rows not known to be noise, the largest first. Layers that share a name are told apart by index.
std::vector<Contributor> contributors_of(const Table& table) {
  std::map<std::string, size_t> named;
  for (const auto& row : table.rows) ++named[std::get<std::string>(compared_cell(row, kCompared.what))];
  const auto base_index = find_column(table, columns::kBaseIndex);
  const auto new_index = find_column(table, columns::kNewIndex);
  const auto index_of = [&](const std::vector<Cell>& row) {
    if (table.id != kA2.id || !base_index || !new_index) return std::string();
    const auto* fresh = std::get_if<int64_t>(&row[*new_index]);
    if (fresh != nullptr) return fmt::format(" (index {})", *fresh);
    const auto* base = std::get_if<int64_t>(&row[*base_index]);
    return base == nullptr ? std::string() : fmt::format(" (was index {})", *base);
  };
  std::vector<Contributor> all;
  for (const auto& row : table.rows) {
    const double difference = number_or_nan(compared_cell(row, kCompared.difference));
    const Cell& significant = compared_cell(row, kCompared.significant);
    if (significant == Cell(false) || std::isnan(difference) || difference == 0) continue;
    const auto& name = std::get<std::string>(compared_cell(row, kCompared.what));
    all.push_back({named[name] > 1 ? name + index_of(row) : name, difference, significant == Cell(true)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Contributor& a, const Contributor& b) {
    return std::fabs(a.difference) > std::fabs(b.difference);
  });
  return all;
}

/// "conv1 +1.2 ms, conv2 +0.8 ms, …".
std::string list_of(const std::vector<Contributor>& all) {
  constexpr size_t kNameWidth = 60;
  std::string list;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    list += fmt::format("{}{} {:+.4g} ms", i == 0 ? "" : ", ", shorten(all[i].name, kNameWidth), all[i].difference);
  }
  return all.size() > kNamed ? list + ", …" : list;
}

/// "3 layers account for 80 % of the difference: conv1 +1.2 ms, …"; empty where none is known to differ.
std::string explanation(const Table& table, double difference, std::string_view noun) {
  constexpr double kMost = 0.8;
  constexpr double kLeast = 0.2;
  std::vector<Contributor> with;     // of the sign of the difference
  std::vector<Contributor> against;  // of the other one, and worth a word
  for (Contributor& one : contributors_of(table)) {
    const bool counts = one.difference * difference > 0 || std::fabs(one.difference) >= kLeast * std::fabs(difference);
    if (counts) (one.difference * difference > 0 ? with : against).push_back(std::move(one));
  }
  if (with.empty()) return {};
  double sum = 0;
  size_t count = 0;
  while (count < with.size() && sum / difference < kMost) sum += with[count++].difference;
  if (sum / difference < kLeast) {
    return fmt::format("{}s account for only {:.0f} % of the difference", noun, 100 * sum / difference);
  }
  with.resize(count);
  std::string text = fmt::format("{} {}{} account{} for {:.0f} % of the difference: {}", count, noun,
                                 count == 1 ? "" : "s", count == 1 ? "s" : "", 100 * sum / difference, list_of(with));
  return against.empty() ? text : text + "; in the other direction " + list_of(against);
}

/// "; significant: DataLoader -69 ms, …": what differs although the whole may not.
std::string significant_rows(const Table& table) {
  std::vector<Contributor> all = contributors_of(table);
  std::erase_if(all, [](const Contributor& one) { return !one.judged; });
  return all.empty() ? std::string() : "; significant: " + list_of(all);
}

std::string changes_of(const Comparison& comparison) {
  constexpr std::array kChanges = {Alignment::kRemoved, Alignment::kAdded, Alignment::kRenamed, Alignment::kMoved};
  std::string text;
  for (const Alignment change : kChanges) {
    const auto count = std::count_if(comparison.layers.begin(), comparison.layers.end(),
                                     [&](const AlignedPlace& layer) { return layer.how == change; });
    if (count == 0) continue;
    text += fmt::format("{}{} layer{} {}", text.empty() ? "" : ", ", count, count == 1 ? "" : "s", name_of(change));
  }
  return text;
}

/// "4.2 % slower than BASE (48.1 → 50.1 ms", to be closed.
std::string verdict_of(const std::vector<Cell>& row) {
  const double base = number_or_nan(compared_cell(row, kCompared.base));
  const double fresh = number_or_nan(compared_cell(row, kCompared.fresh));
  const double pct = number_or_nan(compared_cell(row, kCompared.difference_pct));
  const std::string_view direction = fresh > base ? "slower" : "faster";
  const std::string from_to = fmt::format("({} → {} ms", four_digits(base), four_digits(fresh));
  if (std::isnan(pct)) return fmt::format("{:.0f} times as slow as BASE {}", fresh / base, from_to);
  constexpr double kShown = 0.1;  // with one decimal place
  const std::string percent =
      std::fabs(pct) < kShown ? fmt::format("{:.1g}", std::fabs(pct)) : fmt::format("{:.1f}", std::fabs(pct));
  return fmt::format("{} % {} than BASE {}", percent, direction, from_to);
}

/// What is said where there is no model that both have.
std::string without_subject(ComparisonTables& tables) {
  const Comparison& comparison = tables.comparison();
  if (const std::string totals = totals_note(comparison); !totals.empty()) return "BASE and NEW are " + totals;
  const std::string difference = subject_difference(comparison);
  if (!difference.empty()) {
    const std::string unlike = unlike_note(comparison);
    return "BASE and NEW have no model in common: they differ in " + difference +
           (unlike.empty() ? "" : "; layers and kernels are " + unlike);
  }
  if (const std::string unlike = unlike_note(comparison); !unlike.empty()) return "BASE and NEW are " + unlike;
  const std::string text = "BASE and NEW have no steps or model calls: totals of the recordings are compared";
  const Table& layers = tables.of("A2");
  const std::string list = list_of(contributors_of(layers.rows.empty() ? tables.of("A10") : layers));
  return list.empty() ? text : text + ": " + list;
}

}  // namespace

std::string finding_of(ComparisonTables& tables) {
  const Comparison& comparison = tables.comparison();
  const bool is_listed = totals_note(comparison).empty() && unlike_note(comparison).empty();
  const std::string changes = is_listed ? changes_of(comparison) : "";
  const std::string also = changes.empty() ? "" : "; " + changes;
  const size_t subject = subject_place(comparison);
  if (subject == SIZE_MAX) return without_subject(tables) + also;
  const auto& row = tables.of("A1").rows[subject];
  const double difference = number_or_nan(compared_cell(row, kCompared.difference));
  const std::string within = difference_within(comparison, comparison.models[subject]);
  const std::string name =
      std::get<std::string>(compared_cell(row, kCompared.what)) + (within.empty() ? "" : " (" + within + ")");
  if (!(number_or_nan(compared_cell(row, kCompared.base)) > 0) || is_null(compared_cell(row, kCompared.fresh))) {
    return name + ": nothing to compare" + also;
  }
  if (difference == 0) return name + ": NEW is as fast as BASE" + also;
  const bool by_layers = !comparison.layers.empty();
  const Table& parts = tables.of(by_layers ? "A2" : "A10");
  const std::string verdict = name + ": NEW is " + verdict_of(row);
  const Cell& significant = compared_cell(row, kCompared.significant);
  if (significant == Cell(false)) {
    return verdict + "; not significant: could be noise)" + significant_rows(parts) + also;
  }
  const std::string known = is_null(significant) ? "; too few calls to tell it from noise)" : ", significant)";
  std::string parts_text = explanation(parts, difference, by_layers ? "layer" : "kernel");
  const auto is_forward_only = [](const Study& study) {
    return has_backward_work(study) && !study.latencies.has_kernels;
  };
  const bool forward = by_layers && (is_forward_only(comparison.base) || is_forward_only(comparison.fresh));
  if (!parts_text.empty() && forward) parts_text += " (forward calls only, without backward work)";
  return verdict + known + (parts_text.empty() ? "" : ": " + parts_text) + also;
}

}  // namespace xsp::analysis
