#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/owned_fd.h"
#include "base/status.h"

namespace xsp {

/// The records of a CSV file (RFC 4180): fields in quotes may hold commas, ends of lines and doubled quotes; lines end
/// in LF or CRLF; a byte order mark is skipped, and so are empty lines. Reads on as it goes: what is kept is one
/// record.
class CsvRecords {
 public:
  static constexpr size_t kMostRecordBytes = 16 << 20;
  static constexpr size_t kMostFields = 4096;

  /// `exit_code`: of the errors.
  explicit CsvRecords(int exit_code = 0) : exit_code_(exit_code) {}

  Status open(const std::string& path);
  /// Reads this text instead of a file; `name` stands for it in errors.
  void take_text(std::string_view text, const std::string& name);

  /// False at the end, and where the file is no CSV: see status().
  bool next(std::vector<std::string>* fields);
  /// Errors name file and line.
  const Status& status() const { return status_; }
  /// In which the record begins, from 1.
  uint64_t line() const { return record_line_; }
  /// An error at the record's line.
  Status error_here(const std::string& why) const;

 private:
  static constexpr int kEnd = -1;

  int peek();
  int take();
  bool take_quoted(std::string* field);
  bool take_plain(std::string* field);
  bool add(char c, std::string* field);
  bool fail(const std::string& why);

  void skip_byte_order_mark();

  int exit_code_;
  std::string path_;
  OwnedFd file_;
  std::string buffer_;
  size_t at_ = 0;  // in buffer_
  uint64_t line_ = 1;
  uint64_t record_line_ = 1;
  size_t record_bytes_ = 0;
  Status status_;
};

}  // namespace xsp
