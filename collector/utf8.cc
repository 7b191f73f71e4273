#include "collector/utf8.h"

#include <cstddef>
#include <cstdint>

namespace xsp {
namespace {

/// Length of the well-formed sequence at the start of `text`, 0: none.
size_t sequence_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const auto continues = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && at(1) < 0xA0;
    const bool surrogate = first == 0xED && at(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && at(1) < 0x90;
    const bool too_large = first == 0xF4 && at(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

/// C0, DEL, C1, separators of lines, marks and controls of direction.
bool is_control(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  const auto last = static_cast<uint8_t>(character.back());
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2) return (first == 0xC2 && last < 0xA0) || character == "\xD8\x9C";
  if (character.starts_with("\xE2\x80")) return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  return character.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    if (length == 0) {
      valid += '?';
      text.remove_prefix(1);
    } else {
      valid.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return valid;
}

std::string printable_text(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string shown;
  shown.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character = rest.substr(0, sequence_length(rest));
    if (is_control(character)) {
      shown += '?';
    } else {
      shown.append(character);
    }
    rest.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace xsp
