#include "analysis/render/diagnosis_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/tables/diagnosis_table.h"
#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// A table without these columns cannot be shown this way.
bool is_whole(const Table& table) {
  const auto has = [&](const ColumnDefinition* column) { return find_column(table, *column).has_value(); };
  return table.id == kD4.id &&
         std::all_of(kD4.columns().begin(), kD4.columns().end(),
                     [&](const ColumnDefinition* column) { return column == &kD4.iterations || has(column); });
}

DiagnosisLine line_of(const TableCells& cells, size_t row) {
  DiagnosisLine check;
  const auto found = cells.truth(row, kD4.found);
  const auto value = cells.number(row, kD4.value);
  const auto threshold = cells.number(row, kD4.threshold);
  const std::string unit = printable(cells.text(row, kD4.unit));
  check.name = printable(cells.text(row, kD4.diagnosis));
  check.evidence = printable(cells.text(row, kD4.evidence));
  check.advice = printable(cells.text(row, kD4.advice));
  check.found = found.value_or(false);
  check.is_known = found.has_value();
  check.is_large = value && threshold && *value >= *threshold;
  check.value = value ? fmt::format("{} {}", four_digits(*value), unit) : "–";
  check.threshold = threshold ? fmt::format("{:g} {}", *threshold, unit) : "–";
  return check;
}

class DiagnosisLines {
 public:
  DiagnosisLines(const std::vector<DiagnosisLine>& checks, const ReportOptions& options)
      : options_(options), style_(options.style) {
    for (const DiagnosisLine& check : checks) {
      name_ = std::max(name_, display_width(check.name));
      value_ = std::max(value_, display_width(check.value));
      threshold_ = std::max(threshold_, display_width(check.threshold));
    }
  }

  std::string head() const { return style_.bold(line("found", "diagnosis", "value", "threshold")) + "\n"; }

  std::string of(const DiagnosisLine& check) const {
    const std::string_view mark = check.found ? "yes" : check.is_known ? "no" : "–";
    std::string text = style_.text(line(mark, check.name, check.value, check.threshold));
    const size_t at = display_width(text) + kGap;
    if (check.found) text = style_.warning(text);
    // One line says it all: nothing worth a look, or nothing to report.
    if (!check.is_known && !check.evidence.empty()) {
      return text + std::string(kGap, ' ') + style_.dim(wrapped(check.evidence, at)) + "\n";
    }
    text += "\n";
    if ((check.found || check.is_large) && !check.evidence.empty()) text += below(check.evidence);
    if (check.found && !check.advice.empty()) text += below("to do: " + check.advice);
    return text;
  }

 private:
  static constexpr size_t kGap = 2;
  static constexpr size_t kMark = 5;
  static constexpr size_t kIndent = kMark + kGap;

  static std::string padded(std::string_view text, size_t width, bool right) {
    const size_t used = std::min(width, display_width(text));
    const std::string blanks(width - used, ' ');
    return right ? blanks + std::string(text) : std::string(text) + blanks;
  }

  std::string line(std::string_view mark, std::string_view name, std::string_view value,
                   std::string_view threshold) const {
    const std::string gap(kGap, ' ');
    return padded(mark, kMark, false) + gap + padded(name, name_, false) + gap + padded(value, value_, true) + gap +
           padded(threshold, threshold_, true);
  }

  std::string wrapped(const std::string& text, size_t at) const {
    return wrap(style_.text(text), options_.width, kIndent, at, style_);
  }

  std::string below(const std::string& text) const { return std::string(kIndent, ' ') + wrapped(text, kIndent) + "\n"; }

  const ReportOptions& options_;
  const TextStyle& style_;
  // At least as wide as the heads.
  size_t name_ = std::string_view("diagnosis").size();
  size_t value_ = std::string_view("value").size();
  size_t threshold_ = std::string_view("threshold").size();
};

}  // namespace

std::vector<DiagnosisLine> diagnosis_lines(const Table& table) {
  std::vector<DiagnosisLine> lines;
  if (!is_whole(table) || table.rows.empty()) return lines;
  const TableCells cells(table);
  const auto loop_of = [&](size_t row) { return cells.number(row, kD4.loop); };
  const bool has_several = loop_of(0) != loop_of(cells.rows() - 1);
  for (size_t row = 0; row < cells.rows(); ++row) {
    lines.push_back(line_of(cells, row));
    if (has_several) lines.back().loop = cells.words(row, kD4.loop);
  }
  return lines;
}

void append_diagnosis(const std::vector<DiagnosisLine>& checks, const ReportOptions& options, std::string* out) {
  const DiagnosisLines lines(checks, options);
  *out += lines.head();
  for (size_t i = 0; i < checks.size();) {
    const std::string& loop = checks[i].loop;
    if (!loop.empty()) *out += "loop " + loop + "\n";
    size_t end = i;
    while (end < checks.size() && checks[end].loop == loop) ++end;
    // A reason is given only once.
    const bool is_one = std::all_of(&checks[i], &checks[i] + (end - i), [&](const DiagnosisLine& check) {
      return !check.is_known && check.evidence == checks[i].evidence;
    });
    if (is_one && end - i > 1) {
      DiagnosisLine all = checks[i];
      all.name = "all";
      all.threshold = "–";
      *out += lines.of(all);
    } else {
      for (size_t line = i; line < end; ++line) *out += lines.of(checks[line]);
    }
    i = end;
  }
}

}  // namespace xsp::analysis
