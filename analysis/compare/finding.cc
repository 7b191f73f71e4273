#include "analysis/compare/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/compare/circumstances.h"
#include "analysis/tables/layer_tables.h"

namespace xsp::analysis {
namespace {

double number_of(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? NAN : *number;
}

/// The row of A1 that A2 is of; SIZE_MAX: none.
size_t row_of_subject(const Comparison& comparison) {
  if (!comparison.base.subject || !comparison.fresh.subject) return SIZE_MAX;
  for (size_t i = 0; i < comparison.models.size(); ++i) {
    const AlignedPlace& model = comparison.models[i];
    if (model.a == kNoPlace || model.b == kNoPlace) continue;
    if (comparison.base.groups[model.a] == *comparison.base.subject &&
        comparison.fresh.groups[model.b] == *comparison.fresh.subject) {
      return i;
    }
  }
  return SIZE_MAX;
}

/// "3 layers account for 80 % of the difference: conv1 +1.2 ms, …"; empty where no layer is known to differ.
std::string contributors(const Table& layers, double difference) {
  constexpr double kMost = 0.8;
  constexpr double kLeast = 0.2;
  constexpr size_t kNamed = 5;
  struct Contributor {
    std::string name;
    double difference;
  };
  std::vector<Contributor> all;
  for (const auto& row : layers.rows) {
    const double own = number_of(row[ComparisonColumn::kDifference]);
    const Cell& significant = row[ComparisonColumn::kSignificant];
    if (significant == Cell(false) || std::isnan(own) || own * difference <= 0) continue;
    all.push_back({std::get<std::string>(row[ComparisonColumn::kWhat]), own});
  }
  if (all.empty()) return {};
  std::stable_sort(all.begin(), all.end(), [](const Contributor& a, const Contributor& b) {
    return std::fabs(a.difference) > std::fabs(b.difference);
  });
  double sum = 0;
  size_t count = 0;
  while (count < all.size() && sum / difference < kMost) sum += all[count++].difference;
  if (sum / difference < kLeast) {
    return fmt::format("layers account for {:.0f} % of the difference only", 100 * sum / difference);
  }
  std::string names;
  for (size_t i = 0; i < std::min(count, kNamed); ++i) {
    names += fmt::format("{}{} {:+.4g} ms", i == 0 ? "" : ", ", all[i].name, all[i].difference);
  }
  if (count > kNamed) names += ", …";
  return fmt::format("{} layer{} account{} for {:.0f} % of the difference: {}", count, count == 1 ? "" : "s",
                     count == 1 ? "s" : "", 100 * sum / difference, names);
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

}  // namespace

std::string finding_of(ComparisonTables& tables) {
  const Comparison& comparison = tables.comparison();
  const Table& models = tables.of("A1");
  const Table& layers = tables.of("A2");
  const std::string changes = totals_note(comparison).empty() ? changes_of(comparison) : "";
  const std::string also = changes.empty() || comparison.layers.empty() ? "" : "; " + changes;
  const size_t subject = row_of_subject(comparison);
  if (subject == SIZE_MAX) return "BASE and NEW have no common model under study" + also;
  const auto& row = models.rows[subject];
  const double pct = number_of(row[ComparisonColumn::kDifferencePct]);
  const double difference = number_of(row[ComparisonColumn::kDifference]);
  const std::string name = std::get<std::string>(row[ComparisonColumn::kWhat]);
  if (std::isnan(pct)) return name + ": nothing to compare" + also;
  if (difference == 0) return name + ": NEW is as fast as BASE" + also;
  const std::string verdict =
      fmt::format("{}: NEW is {:.1f} % {} than BASE", name, std::fabs(pct), difference > 0 ? "slower" : "faster");
  const Cell& significant = row[ComparisonColumn::kSignificant];
  if (significant == Cell(false)) return verdict + " (not significant: as much comes by chance)" + also;
  const std::string known =
      is_null(significant) ? " (too few evaluations to tell whether by chance)" : " (significant)";
  std::string layers_text = contributors(layers, difference);
  const auto is_forward_only = [](const Study& study) {
    return has_backward_work(study) && !study.latencies.has_kernels;
  };
  if (!layers_text.empty() && (is_forward_only(comparison.base) || is_forward_only(comparison.fresh))) {
    layers_text += " (time of their forward calls, without backward work)";
  }
  return verdict + known + (layers_text.empty() ? "" : ": " + layers_text) + also;
}

}  // namespace xsp::analysis
