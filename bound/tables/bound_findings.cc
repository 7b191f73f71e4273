#include "bound/tables/bound_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/doubt_findings.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/time_findings.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

/// The model that findings are about.
const Bounds* largest(const BoundSubject& subject) {
  const auto found =
      std::max_element(subject.bounds.begin(), subject.bounds.end(),
                       [](const Bounds& a, const Bounds& b) { return a.sequential.bound_ms < b.sequential.bound_ms; });
  return found == subject.bounds.end() ? nullptr : &*found;
}

/// The first row of its table that has the finding's key.
void find_row(const std::vector<analysis::Table>& tables, Finding* finding) {
  const auto table =
      std::find_if(tables.begin(), tables.end(), [&](const analysis::Table& one) { return one.id == finding->table; });
  if (table == tables.end() || finding->column.empty()) return;
  const auto column = analysis::find_column(*table, finding->column);
  for (size_t row = 0; column && row < table->rows.size() && !finding->row; ++row) {
    if (analysis::words_of(table->rows[row][*column]) == finding->key) finding->row = row;
  }
}

/// The first ones, and behind them the first notes.
void keep_most(std::vector<Finding>* found) {
  size_t findings = 0, notes = 0;
  std::erase_if(*found, [&](const Finding& finding) {
    return finding.is_note ? ++notes > analysis::kMostNotes : ++findings > analysis::kMostFindings;
  });
}

std::string verdict_of(const TimesSource& source, const Bounds& bounds) {
  const SequentialBound& bound = bounds.sequential;
  const std::string& name = bounds.model->name;
  if (bound.layers != 0 && bound.missing == bound.layers) {
    return fmt::format("{}: no bound, none of its {} has a time", name, plural(bound.layers, "layer"));
  }
  const std::string threads = source.is_given ? "" : " on " + plural(static_cast<size_t>(source.threads), "thread");
  std::string text;
  const Trust trust = trust_in(source, bounds);
  if (trust == Trust::kUnusable) {
    text = fmt::format("{}: no usable bound: most of the {}{} was measured while something disturbed it", name,
                       duration(bound.bound_ms), threads);
  } else {
    text = fmt::format("{}: layer by layer {} {} a call{}", name, trust == Trust::kBound ? "at least" : "about",
                       duration(bound.bound_ms), threads);
    if (bound.expected_ms) text += fmt::format(" · about {} with operands from memory", duration(*bound.expected_ms));
  }
  if (bound.missing != 0) {
    text += fmt::format(" · {} of {} without a time", bound.missing, plural(bound.layers, "layer"));
  }
  return text;
}

}  // namespace

std::vector<Finding> bound_findings(const BoundSubject& subject, const std::vector<analysis::Table>& tables) {
  const Bounds* const main = largest(subject);
  std::vector<Finding> found;
  for (const Bounds& bounds : subject.bounds) {
    std::vector<Finding> of_model;
    find_doubts(subject.source, bounds, &of_model);
    if (&bounds == main && bounds.sequential.bound_ms > 0 && trust_in(subject.source, bounds) != Trust::kUnusable) {
      find_times(subject.source, bounds, &of_model);
    }
    for (Finding& finding : of_model) {
      if (subject.has_several()) finding.text = bounds.model->name + ": " + finding.text;
      found.push_back(std::move(finding));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    const auto place = [](const Finding& one) { return one.is_note ? 2 : one.share_pct ? 1 : 0; };
    return place(a) < place(b);
  });
  keep_most(&found);
  for (Finding& finding : found) find_row(tables, &finding);
  return found;
}

std::string bound_verdict(const BoundSubject& subject) {
  std::string text;
  for (const Bounds& bounds : subject.bounds) {
    text += (text.empty() ? "" : "; ") + verdict_of(subject.source, bounds);
  }
  return text;
}

}  // namespace xsp::bound
