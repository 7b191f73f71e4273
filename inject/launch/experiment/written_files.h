#pragma once

#include <ctime>
#include <string>
#include <vector>

namespace xsp::launch {

/// Looks at the files that a command's arguments name (`out.npy`, `--out=out.npy`), before it runs and after: which of
/// them it has written. Every run of the same command writes over them.
class WrittenFiles {
 public:
  /// Before it runs.
  explicit WrittenFiles(const std::vector<std::string>& command);

  /// After it has run: those that it has made or changed.
  std::vector<std::string> found() const;

 private:
  struct Candidate {
    std::string path;
    bool existed;
    timespec modified;
  };
  std::vector<Candidate> candidates_;
};

}  // namespace xsp::launch
