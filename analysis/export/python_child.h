#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/owned_fd.h"

namespace xsp::analysis {

/// A Python that runs a script of ours: it takes data on its standard input and answers in lines.
class PythonChild {
 public:
  PythonChild() = default;
  /// Kills it where finish() was not called.
  ~PythonChild();
  PythonChild(const PythonChild&) = delete;
  PythonChild& operator=(const PythonChild&) = delete;

  /// Starts `python -c script` and waits for its line "ready"; false: it cannot be started, or ended without saying so.
  bool start(const std::string& python, const char* script);

  /// False: it no longer reads.
  bool write(std::string_view bytes);

  /// Ends its input and waits for its end. The last line of its answer, empty when it did not end well.
  std::string finish();

  /// The end of what it wrote to standard error, once it has ended.
  const std::string& complaint() const { return complaint_; }

 private:
  void wait();
  std::string read_line();

  pid_t pid_ = -1;
  OwnedFd input_;
  OwnedFd output_;
  OwnedFd errors_;
  bool ended_well_ = false;
  std::string complaint_;
};

/// The Python to run: what XSP_PYTHON names, else python3 of PATH.
std::string chosen_python();

}  // namespace xsp::analysis
