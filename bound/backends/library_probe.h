#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// What loading a file told.
struct ProbedLibrary {
  Library library;          // without a name: the file cannot be used, or holds nothing of use
  std::string file;         // that was loaded; empty where none was
  std::string why;          // it cannot be used: the linker's word, the library's, or how the process ended
  bool is_missing = false;  // there is no such file
};

using LoadLibrary = std::function<Status(const std::string& path, std::unique_ptr<Backend>* backend)>;

/// Has a child process load a library: one that aborts, hangs or prints harms nobody. Only where this process has no
/// other threads. `path`: a file, or a name for the dynamic linker.
ProbedLibrary probe_library(const std::string& path, const LoadLibrary& load, std::chrono::milliseconds limit);

}  // namespace xsp::bound
