#pragma once

#include <cstdint>
#include <string>

namespace xsp {

/// One line on standard error that says how much of an input has been read. On a terminal immediately; elsewhere only
/// for long reads, a line now and then.
class ImportProgressLine {
 public:
  ImportProgressLine(const std::string& input, bool quiet);
  ~ImportProgressLine() { clear(); }
  ImportProgressLine(const ImportProgressLine&) = delete;
  ImportProgressLine& operator=(const ImportProgressLine&) = delete;

  /// See ImportProgress.
  void update(uint64_t read, uint64_t size);
  /// Clears the line, so that something else can be printed.
  void clear();

 private:
  std::string input_;
  bool quiet_;
  bool is_terminal_;
  bool is_shown_ = false;
  uint64_t begin_ns_;
  uint64_t next_ns_;
};

}  // namespace xsp
