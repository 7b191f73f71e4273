#pragma once

#include <string_view>

#include "base/json_pieces.h"
#include "base/status.h"
#include "import/frame/profile_input.h"
#include "import/frame/profile_timeline.h"

namespace xsp {

/// Whether the text contains `"key": "value"`, with any whitespace.
bool has_member(std::string_view text, std::string_view key, std::string_view value);
/// Where a JSON document begins: its first non-blank byte, after any byte order mark; 0 at the end.
char first_character(std::string_view text);

/// Adds to the notes why a document ended early; an error if none of it was `usable`.
Status finish_document(const ProfileInput& input, const JsonPieces& pieces, JsonPieces::Piece last, bool usable,
                       std::string_view format, ProfileTimeline* timeline);

}  // namespace xsp
