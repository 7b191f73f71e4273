#include "analysis/figures/figure_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text_encoding.h"

namespace xsp::analysis {

std::string figure_label(std::string_view name) {
  constexpr size_t kMostLetters = 160;
  constexpr size_t kMostBytes = 4096;  // a name may be 100 kB long, and there may be 20,000 of them
  if (name.size() > kMostBytes) {
    const size_t half = kMostBytes / 2;
    return shorten(printable(std::string(name.substr(0, half)) + std::string(name.substr(name.size() - half))),
                   kMostLetters);
  }
  return shorten(printable(name), kMostLetters);
}

std::string kernel_label(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  if (name.ends_with(')')) {
    size_t open = name.size();
    for (size_t depth = 0; open-- != 0;) {
      depth += name[open] == ')' ? 1 : 0;
      if (name[open] == '(' && --depth == 0) break;
    }
    if (open != 0 && open < name.size()) name = name.substr(0, open);
  }
  return figure_label(name);
}

std::string figure_name(std::string_view name) {
  constexpr size_t kMostLetters = 60;
  return shorten(figure_label(name), kMostLetters);
}

std::string figure_number(double value) {
  if (value == 0) return "0";  // also of -0
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string figure_quantity(double value, std::string_view unit) {
  if (unit == "%") return figure_percent(value);
  std::string text = figure_number(value);
  if (!unit.empty()) (text += ' ') += unit;
  return text;
}

std::string figure_percent(double percent) { return fmt::format("{:.3g} %", percent == 0 ? 0 : percent); }

std::string figure_count(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sentences(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += ' ';
    text += part;
    if (part.back() != '.') text += '.';
  }
  return text;
}

}  // namespace xsp::analysis
