#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/import/profile_input.h"

namespace xsp {

/// Cuts a JSON document into pieces while its text comes in, so that memory does not grow with it: the elements of the
/// arrays at `paths` come one by one, everything else on the way to them as whole values. Only brackets and strings
/// are followed; pieces are not parsed.
///
///     {"schemaVersion": 1, "traceEvents": [{…}, {…}]}       paths {"traceEvents[]"}
///       kValue "schemaVersion" 1, kValue "traceEvents[]" {…}, kValue "traceEvents[]" {…}, kEnd
///     {"data": [{"spans": [{…}], "processes": {…}}]}        paths {"data[].spans[]"}
///       kOpen "data[]", kValue "data[].spans[]" {…}, kValue "data[].processes" {…}, kClose "data[]", kEnd
///     [{…}, {…}]                                            paths {"[]"}
class JsonPieces {
 public:
  /// A larger value ends the document as malformed.
  static constexpr size_t kMaxValueBytes = size_t{64} << 20;
  /// Bytes behind text() that may be read (simdjson's padding).
  static constexpr size_t kPadding = 64;

  enum class Piece {
    kValue,      // path() and text()
    kOpen,       // an element of an array on a path, which is an object
    kClose,      // its end
    kEnd,        // the document was closed
    kTruncated,  // the input ends before the document does, or cannot be read on (ProfileInput::error)
    kMalformed,  // no JSON, nested other than the paths say, or a value that is too large
  };

  JsonPieces(ProfileInput& input, std::vector<std::string> paths);

  /// Reads on. Anything of kEnd, kTruncated and kMalformed is returned ever after.
  Piece next();
  /// Where the piece lies, as in the example; a view of one text per path, so that addresses may be compared.
  std::string_view path() const { return path_; }
  /// The value's text, padded, valid until the next call.
  std::string_view text() const { return text_; }
  /// Byte of the decompressed input at which the piece, or what is malformed, begins.
  uint64_t position() const { return position_; }

 private:
  std::string_view path_;
  std::string_view text_;
  uint64_t position_ = 0;
};

}  // namespace xsp
