#include "analysis/render/text_encoding.h"

#include <cstdint>

namespace xsp::analysis {
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
  if (sequence.starts_with("\xe2\x80")) {
    const auto last = static_cast<unsigned char>(sequence[2]);
    return last >= 0xa8 && last <= 0xae;
  }
  return sequence.starts_with("\xe2\x81") && static_cast<unsigned char>(sequence[2]) >= 0xa6 &&
         static_cast<unsigned char>(sequence[2]) <= 0xa9;
}

void append_escaped(std::string_view bytes, std::string* to) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        *to += "\\n";
        break;
      case '\t':
        *to += "\\t";
        break;
      case '\r':
        *to += "\\r";
        break;
      default:
        *to += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      append_escaped(sequence, &result);
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    result += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += continues(c) ? 0 : 1;
  return width;
}

std::string shorten(std::string_view text, size_t width) {
  const size_t whole = display_width(text);
  if (whole <= width || width == 0) return std::string(text);
  const size_t head = width / 2;
  const size_t tail = width - head - 1;
  std::string result;
  size_t column = 0;
  bool cut = false;
  for (size_t i = 0; i < text.size();) {
    size_t next = i + 1;
    while (next < text.size() && continues(text[next])) ++next;
    if (column < head || column >= whole - tail) {
      result += text.substr(i, next - i);
    } else if (!cut) {
      result += "…";
      cut = true;
    }
    ++column;
    i = next;
  }
  return result;
}

}  // namespace xsp::analysis
