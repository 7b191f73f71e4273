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
  /// For a file, the path that its links lead to (the links stay); for a stream, the path as it was named.
  std::string path;
  bool exists = false;
  /// A descriptor of this process by name (/dev/stdout, /proc/self/fd/3), which another process would not find.
  bool is_descriptor = false;
};

/// Finds it. Refuses, whatever else the user asked for: a folder, a socket, a block device (what it holds would be
/// lost), and a link that somebody else put into a folder that others can write.
Status find_output_target(const std::string& path, OutputTarget* target);

/// What to do where a file cannot be made under this name. `may_replace`: the program has -f, --force. `option`: how
/// the user names such a file, up to the name.
std::string output_hint(const std::string& path, bool may_replace, const std::string& option = "-o ");

}  // namespace xsp
