#pragma once

#include <cstdint>
#include <string>

namespace xsp {

/// One line on standard error that says how far an input was read. On a terminal at once, elsewhere only what takes
/// long, a line now and then.
class ImportProgressLine {
 public:
  ImportProgressLine(const std::string& input, bool quiet);
  ~ImportProgressLine() { clear(); }
  ImportProgressLine(const ImportProgressLine&) = delete;
  ImportProgressLine& operator=(const ImportProgressLine&) = delete;

  /// See ImportProgress.
  void update(uint64_t read, uint64_t size);
  /// Takes the line away, so that something else can be said.
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
