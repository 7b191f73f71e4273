#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"

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
/// A null or a number in the place of something on the way is a whole value, too. Keys are compared as they are
/// written. A comma before a closing bracket is let through, what follows the document is not looked at.
class JsonPieces {
 public:
  struct Limits {
    size_t value_bytes = size_t{64} << 20;  ///< a larger value ends the document as malformed
    size_t buffer_bytes = size_t{1} << 20;  ///< memory that is taken for smaller ones
  };
  /// Bytes behind text() that may be read (simdjson's padding).
  static constexpr size_t kPadding = 64;
  /// Deepest nesting of brackets in one value; deeper ones are malformed.
  static constexpr size_t kMaxDepth = 1024;
  /// This many paths besides those given have a text of their own; views of further ones last until the next call.
  static constexpr size_t kMaxOtherPaths = 1024;

  enum class Piece {
    kValue,      // path() and text()
    kOpen,       // an element of an array on a path, which is an object
    kClose,      // its end
    kEnd,        // the document was closed
    kTruncated,  // the input ends before the document does, or cannot be read on
    kMalformed,  // no JSON, nested other than the paths say, or a value that is too large
  };

  /// `input` is not owned and must live as long.
  JsonPieces(ByteSource& input, const std::vector<std::string>& paths) : JsonPieces(input, paths, Limits()) {}
  JsonPieces(ByteSource& input, const std::vector<std::string>& paths, const Limits& limits);

  /// Reads on. Once kEnd, kTruncated or kMalformed is returned, it is returned ever after.
  Piece next();
  /// Where the piece lies, as in the example; a view of one text per path, so that addresses may be compared.
  std::string_view path() const { return path_; }
  /// The value's text, padded, valid until the next call.
  std::string_view text() const { return text_; }
  /// Byte of the input at which the piece, or what is malformed, begins.
  uint64_t position() const { return position_; }

 private:
  /// A place on the way to the arrays. It is an object if it has members, an array if it has elements, a value if it
  /// has neither.
  struct Place {
    std::string path;
    std::vector<std::pair<std::string, size_t>> members;  // key and place
    size_t element = 0;                                   // 0: none
    bool is_element = false;
  };
  /// A bracket that is open on the way.
  struct Level {
    size_t place;
    bool is_array;
    bool behind_value = false;  // a comma or the end comes next
  };
  enum class Step { kPiece, kOn, kStop };

  size_t member(size_t place, std::string_view key);
  size_t element(size_t place);
  bool fill();
  bool skip_space();
  Step start();
  Step in_array(Level& level);
  Step in_object(Level& level);
  Step close(bool is_array);
  Step value(size_t place, std::string_view path);
  Step whole_value(std::string_view path);
  Step container();
  Step string();
  Step scalar();
  Step stop(Piece how, size_t at);
  std::string_view other_path(size_t place, std::string_view key);

  ByteSource& input_;
  Limits limits_;
  std::deque<Place> places_;  // [0] is the document
  std::vector<Level> levels_;
  std::deque<std::string> other_paths_;
  std::string passing_path_;
  std::string key_;

  // The text from start_ on is kept; at_ is the next byte to look at.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_;
  size_t start_ = 0;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t begin_position_ = 0;  // of buffer_[0]

  bool started_ = false;
  Piece piece_ = Piece::kValue;
  std::string_view path_;
  std::string_view text_;
  uint64_t position_ = 0;
};

}  // namespace xsp
