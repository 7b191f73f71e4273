#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/frame/profile_input.h"

namespace xsp::nvprof {

/// The lines of an input, without their ends (LF or CRLF) and without a byte order mark.
class Lines {
 public:
  /// Longer ones end the input: nvprof never writes them.
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  explicit Lines(ProfileInput& input) : input_(input) {}

  bool next();
  /// Valid until the next call.
  std::string_view line() const { return line_; }
  /// Counts from 1.
  uint64_t number() const { return number_; }
  /// Whether the line ended at the end of the input, without an end of line.
  bool is_cut() const { return is_cut_; }
  /// next() stopped because of a line that is too long.
  bool is_too_long() const { return is_too_long_; }

 private:
  bool fill();

  ProfileInput& input_;
  std::string buffer_;
  size_t at_ = 0;  // in buffer_
  std::string_view line_;
  uint64_t number_ = 0;
  bool at_end_ = false;
  bool is_cut_ = false;
  bool is_too_long_ = false;
};

/// Splits a line of CSV into fields (RFC 4180): a quoted field may contain commas, and doubled quotes. False if quotes
/// are not closed, or something follows them.
bool split_fields(std::string_view line, std::vector<std::string>* fields);

}  // namespace xsp::nvprof
