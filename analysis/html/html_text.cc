#include "analysis/html/html_text.h"

#include <fmt/format.h>

#include "analysis/figures/svg_text.h"
#include "analysis/render/render.h"
#include "base/text_encoding.h"

namespace xsp::analysis {

std::string html_text(std::string_view recorded) { return svg_text(printable(recorded)); }

std::string cell_text(const Cell& value, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, column);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  return "–";
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace xsp::analysis
