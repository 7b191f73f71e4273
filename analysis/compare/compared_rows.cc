#include "analysis/compare/compared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/samples.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// A row on one side only changes the total by all of its time.
double difference_ns(const ComparedRow& row) {
  return (std::isnan(row.fresh_ns) ? 0 : row.fresh_ns) - (std::isnan(row.base_ns) ? 0 : row.base_ns);
}

/// In percent of BASE; nothing for a row on one side only, or beyond a factor of 100: compared with next to nothing,
/// everything is many thousand percent.
Cell percent_cell(const ComparedRow& row) {
  constexpr double kMostFactor = 100;
  if (std::isnan(row.base_ns) || std::isnan(row.fresh_ns)) return {};
  if (row.fresh_ns > kMostFactor * row.base_ns) return {};
  return cell(100 * (row.fresh_ns - row.base_ns) / row.base_ns);
}

bool is_one_run(const RunValues& values) { return values.size() == 1; }

void append_notes(const Comparison& comparison, const std::vector<Compared>& compared,
                  const std::vector<Judgement>& judgements, Table* table) {
  size_t judged = 0;
  size_t one_sided = 0;
  size_t too_few = 0;
  size_t beyond = 0;
  bool one_run = false;
  for (size_t i = 0; i < compared.size(); ++i) {
    const Compared& row = compared[i];
    if (judgements[i].significant) {
      ++judged;
      one_run |= is_one_run(row.base) || is_one_run(row.fresh);
    } else if (row.base.empty() || row.fresh.empty()) {
      ++one_sided;
    } else if (compared.size() > kMostJudged && count_of(row.base) > 2 && count_of(row.fresh) > 2) {
      ++beyond;
    } else {
      ++too_few;
    }
  }
  if (judged != 0) {
    table->notes.push_back(
        fmt::format("ci_low and ci_high: 95 % confidence interval of the difference; significant: among {} row{}, at "
                    "a false discovery rate of {:.0f} %",
                    judged, judged == 1 ? "" : "s", 100 * kFalseDiscoveryRate));
  }
  const bool imported = has_imports(comparison.base.trace) || has_imports(comparison.fresh.trace);
  const std::string more = imported ? "profile more iterations" : "xsp-run --runs 5 -o FOLDER -- COMMAND";
  if (one_run) {
    table->notes.push_back("intervals do not include run-to-run variation, as there is only one run" +
                           (imported ? "" : ": " + more));
  }
  if (too_few != 0) {
    const Statistic::Kind kind = comparison.base.options.statistic.kind;
    const bool extreme = kind == Statistic::Kind::kMin || kind == Statistic::Kind::kMax;
    const std::string statistic = comparison.base.options.statistic.description();
    table->notes.push_back(extreme ? fmt::format("significant is unknown: resampling cannot judge --stat {}", statistic)
                                   : fmt::format("significant is unknown for {} of {} rows: too few calls for {} ({})",
                                                 too_few, compared.size(), statistic, more));
  }
  if (beyond != 0) {
    table->notes.push_back(fmt::format("significant is judged for the {} rows with the largest differences", judged));
  }
}

}  // namespace

std::string renamed_text(std::string_view base, std::string_view fresh) {
  return base == fresh ? std::string(base) : std::string(base).append(" → ").append(fresh);
}

std::vector<std::string> notes_of_both(const std::vector<std::string>& base, const std::vector<std::string>& fresh) {
  std::vector<std::string> notes;
  const auto has = [](const std::vector<std::string>& all, const std::string& note) {
    return std::find(all.begin(), all.end(), note) != all.end();
  };
  for (const std::string& note : base) notes.push_back((has(fresh, note) ? "" : "BASE: ") + note);
  for (const std::string& note : fresh) {
    if (!has(base, note)) notes.push_back("NEW: " + note);
  }
  return notes;
}

Table comparison_table(const Comparison& comparison, const ComparisonTable& definition, std::vector<ComparedRow> rows) {
  Table table = make_table(definition);
  std::vector<Compared> compared;
  compared.reserve(rows.size());
  for (ComparedRow& row : rows) {
    compared.push_back({difference_ns(row), known_of(std::move(row.base)), known_of(std::move(row.fresh))});
    if (std::isnan(row.base_ns) || std::isnan(row.fresh_ns)) {
      (std::isnan(row.base_ns) ? compared.back().base : compared.back().fresh).clear();
    }
  }
  const std::vector<Judgement> judgements = judge(comparison.base.options.statistic, compared);
  for (size_t i = 0; i < rows.size(); ++i) {
    const ComparedRow& row = rows[i];
    const double difference = compared[i].difference;
    const Judgement& judgement = judgements[i];
    const auto count = [&](double ns, const RunValues& values) {
      return std::isnan(ns) || values.empty() ? Cell() : count_cell(count_of(values));
    };
    TableRow cells = table.add_row();
    cells.set(definition.what, row.what);
    cells.set(definition.base, cell(row.base_ns / kNsPerMs));
    cells.set(definition.fresh, cell(row.fresh_ns / kNsPerMs));
    cells.set(definition.difference, cell(difference / kNsPerMs));
    cells.set(definition.difference_pct, percent_cell(row));
    cells.set(definition.ci_low, cell(judgement.interval.low / kNsPerMs));
    cells.set(definition.ci_high, cell(judgement.interval.high / kNsPerMs));
    cells.set(definition.significant, cell(judgement.significant));
    cells.set(definition.n_base, count(row.base_ns, compared[i].base));
    cells.set(definition.n_new, count(row.fresh_ns, compared[i].fresh));
    cells.set(definition.change, std::string(name_of(row.how)));
    for (const auto& [column, value] : row.further) cells.set(*column, value);
  }
  table.rank_by_magnitude = true;
  table.lacks_data = table.rows.empty();
  append_notes(comparison, compared, judgements, &table);
  return table;
}

}  // namespace xsp::analysis
