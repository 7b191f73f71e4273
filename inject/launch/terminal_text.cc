#include "inject/launch/terminal_text.h"

#include <fmt/format.h>

#include <cstddef>

namespace xsp::launch {
namespace {

bool starts(std::string_view text, std::string_view lead, unsigned char first, unsigned char last) {
  if (!text.starts_with(lead) || text.size() <= lead.size()) return false;
  const auto byte = static_cast<unsigned char>(text[lead.size()]);
  return byte >= first && byte <= last;
}

/// Bytes at the beginning of `text` that control something; 0: none. C1 characters are taken by terminals as escapes
/// are, in UTF-8 and as single bytes.
size_t control_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x20 || byte == 0x7f) return 1;
  if (starts(text, "\xc2", 0x80, 0x9f)) return 2;
  if (starts(text, "\xd8", 0x9c, 0x9c)) return 2;
  if (starts(text, "\xe2\x80", 0x8e, 0x8f) || starts(text, "\xe2\x80", 0xa8, 0xae)) return 3;
  return starts(text, "\xe2\x81", 0xa6, 0xa9) ? 3 : 0;
}

/// Bytes of the well-formed character at the beginning; 0: it is none.
size_t character_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t length = byte < 0x80 ? 1 : byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
  if (length == 0 || byte > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t control = control_length(text);
    const size_t length = control != 0 ? 0 : character_length(text);
    if (length != 0) {
      shown.append(text.substr(0, length));
      text.remove_prefix(length);
      continue;
    }
    for (size_t i = 0; i < (control != 0 ? control : 1); ++i) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    text.remove_prefix(control != 0 ? control : 1);
  }
  return shown;
}

}  // namespace xsp::launch
