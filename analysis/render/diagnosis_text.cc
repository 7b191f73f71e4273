#include "analysis/render/diagnosis_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Columns of D4 by name.
struct Places {
  size_t diagnosis = 0;
  size_t found = 0;
  size_t value = 0;
  size_t threshold = 0;
  size_t unit = 0;
  size_t evidence = 0;
  size_t advice = 0;
  size_t loop = 0;
};

std::optional<Places> places_of(const Table& table) {
  bool is_whole = true;
  const auto place = [&](std::string_view name) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& candidate) { return candidate.name == name; });
    is_whole &= column != table.columns.end();
    return static_cast<size_t>(column - table.columns.begin());
  };
  const Places places{.diagnosis = place("diagnosis"),
                      .found = place("found"),
                      .value = place("value"),
                      .threshold = place("threshold"),
                      .unit = place("unit"),
                      .evidence = place("evidence"),
                      .advice = place("advice"),
                      .loop = place("loop")};
  return table.id == "D4" && is_whole ? std::optional(places) : std::nullopt;
}

std::string text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : printable(*text);
}

DiagnosisLine line_of(const std::vector<Cell>& row, const Places& places) {
  DiagnosisLine check;
  const auto* found = std::get_if<bool>(&row[places.found]);
  const auto* value = std::get_if<double>(&row[places.value]);
  const auto* threshold = std::get_if<double>(&row[places.threshold]);
  const std::string unit = text_of(row[places.unit]);
  check.name = text_of(row[places.diagnosis]);
  check.evidence = text_of(row[places.evidence]);
  check.advice = text_of(row[places.advice]);
  check.found = found != nullptr && *found;
  check.is_known = found != nullptr;
  check.is_large = value != nullptr && threshold != nullptr && *value >= *threshold;
  check.value = value == nullptr ? "–" : fmt::format("{} {}", four_digits(*value), unit);
  check.threshold = threshold == nullptr ? "–" : fmt::format("{:g} {}", *threshold, unit);
  return check;
}

class Lines {
 public:
  Lines(const std::vector<DiagnosisLine>& checks, const ReportOptions& options)
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
    // One line says all of it: nothing to look at, or nothing to be told.
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
  // At least what the heads take.
  size_t name_ = std::string_view("diagnosis").size();
  size_t value_ = std::string_view("value").size();
  size_t threshold_ = std::string_view("threshold").size();
};

}  // namespace

std::vector<DiagnosisLine> diagnosis_lines(const Table& table) {
  std::vector<DiagnosisLine> lines;
  const auto places = places_of(table);
  if (!places || table.rows.empty()) return lines;
  const bool has_several = table.rows.front()[places->loop] != table.rows.back()[places->loop];
  for (const auto& row : table.rows) {
    lines.push_back(line_of(row, *places));
    const auto* loop = std::get_if<int64_t>(&row[places->loop]);
    if (has_several && loop != nullptr) lines.back().loop = std::to_string(*loop);
  }
  return lines;
}

void append_diagnosis(const std::vector<DiagnosisLine>& checks, const ReportOptions& options, std::string* out) {
  const Lines lines(checks, options);
  *out += lines.head();
  for (size_t i = 0; i < checks.size();) {
    const std::string& loop = checks[i].loop;
    if (!loop.empty()) *out += "loop " + loop + "\n";
    size_t end = i;
    while (end < checks.size() && checks[end].loop == loop) ++end;
    // One reason is told once.
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
