#include "analysis/render/text_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// What texts of XSP have beyond ASCII.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAscii = {{{"–", "-"},
                                                                                   {"—", "-"},
                                                                                   {"…", "..."},
                                                                                   {"→", "->"},
                                                                                   {"×", "x"},
                                                                                   {"±", "+/-"},
                                                                                   {"µ", "u"},
                                                                                   {"≤", "<="},
                                                                                   {"≥", ">="},
                                                                                   {"·", "|"},
                                                                                   {"σ", "sigma"},
                                                                                   {"Σ", "sum"},
                                                                                   {"“", "\""},
                                                                                   {"”", "\""},
                                                                                   {"’", "'"},
                                                                                   {"²", "^2"}}};

constexpr std::array<std::string_view, 9> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kPlainLevels = {"_", ".", ":", "-", "=", "+", "*", "#"};

}  // namespace

std::string TextStyle::text(std::string_view printable_text) const {
  if (!plain) return std::string(printable_text);
  std::string result;
  while (!printable_text.empty()) {
    size_t length = 1;
    while (length < printable_text.size() && (static_cast<unsigned char>(printable_text[length]) & 0xc0) == 0x80) {
      ++length;
    }
    const std::string_view character = printable_text.substr(0, length);
    printable_text.remove_prefix(length);
    if (static_cast<unsigned char>(character[0]) < 0x80) {
      result += character;
      continue;
    }
    const auto* const known =
        std::find_if(kAscii.begin(), kAscii.end(), [&](const auto& entry) { return entry.first == character; });
    result += known == kAscii.end() ? "?" : known->second;
  }
  return result;
}

std::string TextStyle::cut(std::string_view text, size_t width) const {
  return shorten(text, width, plain ? "..." : "…");
}

std::string TextStyle::wrapped(const char* code, const std::string& text) const {
  return color && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string TextStyle::bold(const std::string& text) const { return wrapped("1", text); }
std::string TextStyle::dim(const std::string& text) const { return wrapped("2", text); }
std::string TextStyle::warning(const std::string& text) const { return wrapped("1;33", text); }
std::string TextStyle::accent(const std::string& text) const { return wrapped("1;36", text); }

std::string TextStyle::bar(double share, size_t width) const {
  const double length = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  if (!std::isfinite(length)) return {};
  if (plain) return std::string(static_cast<size_t>(std::lround(length)), '#');
  const auto eighths = static_cast<size_t>(std::lround(8 * length));
  std::string result;
  for (size_t i = 0; i < eighths / 8; ++i) result += kEighths[8];
  return result.append(kEighths[eighths % 8]);
}

std::string_view TextStyle::level(double share) const {
  constexpr double kHighest = kLevels.size() - 1;
  const double at = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * kHighest : 0;
  const auto index = static_cast<size_t>(std::lround(at));
  return plain ? kPlainLevels[index] : kLevels[index];
}

std::string wrap(std::string_view text, size_t width, size_t indent, size_t at, const TextStyle& style) {
  if (width == 0) return std::string(text);
  // Terminals that are narrower than this break lines by themselves.
  constexpr size_t kNarrowest = 20;
  const size_t room = std::max(width, indent + kNarrowest);
  std::string result;
  size_t column = at;
  bool begins = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string word = style.cut(text.substr(0, end), room - indent);
    const size_t length = display_width(word);
    if (!begins && column + 1 + length > room) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) {
      result += ' ';
      ++column;
    }
    result += word;
    column += length;
    begins = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace xsp::analysis
