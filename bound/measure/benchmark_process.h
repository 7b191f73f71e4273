#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/owned_fd.h"
#include "base/status.h"
#include "bound/backends/private_folder.h"
#include "bound/measure/line_buffer.h"

namespace xsp::bound {

/// A child process that measures, seen from the run. It is killed with its owner, and by the kernel with this process,
/// provided that the thread which started it lives as long.
class BenchmarkProcess {
 public:
  /// `command`: of a program that calls serve_benchmarks() with its standard input and output.
  static Status start(const std::vector<std::string>& command, std::unique_ptr<BenchmarkProcess>* process);
  ~BenchmarkProcess();
  BenchmarkProcess(const BenchmarkProcess&) = delete;
  BenchmarkProcess& operator=(const BenchmarkProcess&) = delete;

  /// For files of the child; empty where none could be made.
  const std::string& folder() const { return folder_.path(); }

  /// Is sent while wait() waits.
  void send(std::string_view line) { unsent_ += line; }

  enum class Said {
    kLine,
    kNothing,   // for the given time
    kStop,      // `stop` can be read
    kEnd,       // it has ended
    kNonsense,  // a line without an end
  };
  Said wait(int timeout_ms, int stop, std::string* line);

  /// Kills it if it still runs. Returns how it ended: "killed by SIGSEGV", "ended with exit code 3", with the last line
  /// that it wrote to its standard error behind kWordsMark.
  std::string end();
  /// The last line, with ": " before it; empty where there is none.
  std::string last_words() const;

 private:
  BenchmarkProcess() = default;
  void write_unsent();
  /// False: at its end.
  bool read_lines();
  void read_words();
  bool has_ended();

  pid_t pid_ = -1;
  PrivateFolder folder_;  // goes behind the child, however that has ended
  OwnedFd input_;         // of the child
  OwnedFd output_;
  OwnedFd errors_;
  std::string unsent_;
  LineBuffer lines_;
  std::string words_;
};

}  // namespace xsp::bound
