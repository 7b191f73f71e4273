#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace xsp::analysis {

/// Where an export goes: a file or standard output, in large writes. After an error further output is discarded and
/// finish() reports the error, so writers need not check.
class ByteSink {
 public:
  /// Standard output if `path` is "-". A file is written under another name and renamed by finish(), so that a failed
  /// export leaves the old file in place.
  explicit ByteSink(std::string path);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) flush();
    buffer_.append(bytes);
    written_ += bytes.size();
  }

  /// Writes the rest and closes; returns what went wrong before or now, if anything.
  Status finish();

  /// The writer failed for a reason of its own: nothing is left of the file.
  void abandon();

  uint64_t written() const { return written_; }
  bool failed() const { return !status_.ok(); }
  bool broken_pipe() const { return broken_pipe_; }  // the reader of standard output went away

 private:
  static constexpr size_t kBufferBytes = 1 << 20;

  void flush();
  void fail(const char* doing);

  std::string path_;
  std::string file_;     // the one that path_ leads to
  std::string partial_;  // empty: standard output, or nothing is open
  int descriptor_ = -1;
  std::string buffer_;
  uint64_t written_ = 0;
  Status status_;
  bool broken_pipe_ = false;
};

}  // namespace xsp::analysis
