#pragma once

#include <string>

#include "base/status.h"

namespace xsp::bound {

/// A library that was loaded by name. It stays loaded until the process ends: threads of its own may run in it.
class SharedLibrary {
 public:
  /// `path`: a file, or a name that the dynamic linker looks for. What a file needs is also looked for beside it, as
  /// libraries of Python wheels do not say where theirs lie. An error: the linker's word.
  static Status open(const std::string& path, bool bind_now, SharedLibrary* library);

  /// Null where the library, and what it needs, has no such symbol.
  void* symbol(const std::string& name) const;
  template <typename Function>
  Function function(const std::string& name) const {
    return reinterpret_cast<Function>(symbol(name));
  }
  /// The file that was loaded.
  const std::string& path() const { return path_; }

 private:
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace xsp::bound
