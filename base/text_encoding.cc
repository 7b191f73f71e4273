#include "base/text_encoding.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cstdint>

namespace xsp {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Length in bytes of the well-formed UTF-8 sequence at the start of `text` (no overlong form, no surrogate); 0: none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  const unsigned char second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

/// C0, DEL and C1 control characters, and the marks that turn the direction of text.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  if (first == 0xc2) return static_cast<unsigned char>(sequence[1]) < 0xa0;
  if (sequence == "\xd8\x9c") return true;
  if (sequence.starts_with("\xe2\x80")) {
    const auto last = static_cast<unsigned char>(sequence[2]);
    return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  }
  return sequence.starts_with("\xe2\x81") && static_cast<unsigned char>(sequence[2]) >= 0xa6 &&
         static_cast<unsigned char>(sequence[2]) <= 0xa9;
}

/// Bytes of the first character, whatever follows it that is not well formed.
size_t character_length(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && continues(text[length])) ++length;
  return length;
}

/// The locale whose wcwidth() knows all of Unicode; null where the machine has none.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

size_t character_width(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x80) return 1;
  const locale_t locale = unicode_locale();
  if (locale == nullptr) return 1;
  wchar_t code = first & (0x7f >> character.size());
  for (size_t i = 1; i < character.size(); ++i) code = (code << 6) | (static_cast<unsigned char>(character[i]) & 0x3f);
  const locale_t before = uselocale(locale);
  const int width = wcwidth(code);
  uselocale(before);
  // What is not assigned yet, terminals show in one column.
  return width < 0 ? 1 : static_cast<size_t>(width);
}

enum class Escape : bool { kNames, kBytes };

void append_escaped(std::string_view bytes, Escape escape, std::string* to) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kNamed = "\n\t\r";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const size_t named = escape == Escape::kNames ? kNamed.find(c) : std::string_view::npos;
    if (named == std::string_view::npos) {
      *to += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      *to += {'\\', "ntr"[named]};
    }
  }
}

/// `text` with each byte that is not part of a well-formed sequence replaced.
std::string with_replaced_bytes(std::string_view text, std::string_view replacement) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    result += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string escaped(std::string_view text, Escape escape) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      append_escaped(sequence, escape, &result);
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, Escape::kNames); }

std::string terminal_text(std::string_view text) { return escaped(text, Escape::kBytes); }

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines += printable(line);
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string message_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    result += length == 0 || is_control(sequence) ? std::string_view("?") : sequence;
    text.remove_prefix(sequence.size());
  }
  return result;
}

std::string valid_utf8(std::string_view text) { return with_replaced_bytes(text, "\xef\xbf\xbd"); }

std::string trace_text(std::string_view text) { return with_replaced_bytes(text, "?"); }

size_t display_width(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) return text.size();
  size_t width = 0;
  while (!text.empty()) {
    const size_t length = character_length(text);
    width += character_width(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width;
}

std::string shorten(std::string_view text, size_t width, std::string_view ellipsis) {
  if (width == 0 || display_width(text) <= width) return std::string(text);
  if (display_width(ellipsis) > width) ellipsis = "";
  const size_t room = width - std::min(width, display_width(ellipsis));
  const size_t head = (room + 1) / 2;
  // From the front as long as it fits, then from the back: a wide character may leave a column free.
  size_t begin = 0;
  size_t column = 0;
  while (begin < text.size()) {
    const size_t length = character_length(text.substr(begin));
    const size_t own = character_width(text.substr(begin, length));
    if (column + own > head) break;
    column += own;
    begin += length;
  }
  size_t end = text.size();
  while (end > begin) {
    size_t start = end - 1;
    while (start > begin && continues(text[start])) --start;
    const size_t own = character_width(text.substr(start, end - start));
    if (column + own > room) break;
    column += own;
    end = start;
  }
  // A mark that combines with what is cut off would stand on the ellipsis.
  while (end < text.size()) {
    const size_t length = character_length(text.substr(end));
    if (character_width(text.substr(end, length)) != 0) break;
    end += length;
  }
  return std::string(text.substr(0, begin)) + std::string(ellipsis) + std::string(text.substr(end));
}

}  // namespace xsp
