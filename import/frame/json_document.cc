#include "import/frame/json_document.h"

#include <algorithm>
#include <string>

namespace xsp {
namespace {

size_t skip_blanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

std::string place(uint64_t byte) { return "at byte " + std::to_string(byte); }

}  // namespace

bool has_member(std::string_view text, std::string_view key, std::string_view value) {
  const std::string quoted_key = '"' + std::string(key) + '"';
  const std::string quoted_value = '"' + std::string(value) + '"';
  for (size_t at = text.find(quoted_key); at != std::string_view::npos; at = text.find(quoted_key, at + 1)) {
    size_t behind = skip_blanks(text, at + quoted_key.size());
    if (behind == text.size() || text[behind] != ':') continue;
    behind = skip_blanks(text, behind + 1);
    if (text.substr(behind).starts_with(quoted_value)) return true;
  }
  return false;
}

char first_character(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t first = skip_blanks(text, 0);
  return first == text.size() ? '\0' : text[first];
}

Status finish_document(const ProfileInput& input, const JsonPieces& pieces, JsonPieces::Piece last, bool usable,
                       std::string_view format, ProfileTimeline* timeline) {
  std::string why;
  if (last == JsonPieces::Piece::kTruncated) {
    why = "the input ends early, " + place(input.position());
    if (!input.error().ok()) why += ": " + input.error().error;
  } else if (last == JsonPieces::Piece::kMalformed) {
    why = "malformed JSON " + place(pieces.position());
  }
  if (!usable) {
    return Status{"no event of " + std::string(format) + " in it" + (why.empty() ? "" : " (" + why + ")")};
  }
  if (!why.empty()) timeline->note(why + "; what stands before was read");
  return Status();
}

}  // namespace xsp
