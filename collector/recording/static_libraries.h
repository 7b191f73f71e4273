#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/pbf.h"

namespace xsp {

/// Compute libraries that were linked into other files: no symbol shows them, but each contains the name of an
/// environment variable that nothing else has a reason to contain.
///
/// Searches the read-only data of the files in slices, so that peers get their turns in between; each file once per
/// trace, within limits on bytes and time. A file that is the library itself, or exports its functions, does not count.
class StaticLibraries {
 public:
  struct Limits {
    uint64_t bytes = uint64_t{512} << 20;  // read, over all files
    uint64_t nanoseconds = 2'000'000'000;
  };

  StaticLibraries();
  explicit StaticLibraries(Limits limits);
  ~StaticLibraries();

  /// Queues files. Only regular ones are read.
  void add(const std::vector<std::string>& paths);
  /// Searches one slice. Returns whether there is more to do.
  bool work();
  /// Libraries found in the file ("onednn"); empty until it has been searched.
  std::vector<std::string> found_in(const std::string& path) const;

 private:
  class File;

  Limits limits_;
  uint64_t bytes_read_ = 0;
  uint64_t time_used_ns_ = 0;
  std::deque<std::string> queue_;
  std::unique_ptr<File> file_;                             // the first of the queue
  std::map<std::string, std::vector<std::string>> found_;  // of every path that was ever queued
};

/// Decodes a LoadedFiles. An error when it breaks a limit. Throws protozero::exception on broken protobuf.
Status read_loaded_files(protozero::data_view bytes, std::vector<std::string>* paths);

}  // namespace xsp
