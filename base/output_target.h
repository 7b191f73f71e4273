#pragma once

#include <string>

#include "base/status.h"

namespace xsp {

/// What the path that a user names for an output leads to.
struct OutputTarget {
  enum class Kind {
    kFile,    // a file, there or not: made anew beside it and renamed, so that it is never half of one
    kStream,  // a pipe or a device: written as it is; nothing in it can be cut back, and nothing is there to be
              // replaced
  };
  Kind kind = Kind::kFile;
  /// Of a file the one that links lead to, which stay; of a stream as it was named.
  std::string path;
  bool exists = false;
  /// A descriptor of this process by name (/dev/stdout, /proc/self/fd/3), which another process would not find.
  bool is_descriptor = false;
};

/// Finds it. Refused, whatever else the user asked for: a folder, a socket, a block device (what it holds would be
/// lost), and in a folder that others can write a link that somebody else put there.
Status find_output_target(const std::string& path, OutputTarget* target);

/// What to do where a file cannot be made under this name. `may_replace`: the program has -f, --force.
std::string output_hint(const std::string& path, bool may_replace);

}  // namespace xsp
