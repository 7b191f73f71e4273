#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "bound/backends/onednn_api.h"
#include "bound/backends/shared_library.h"
#include "bound/records/measurement.h"

namespace xsp::bound::onednn {

/// A function that is looked for by name.
struct WantedFunction {
  template <typename Function>
  WantedFunction(const char* named, Function** to, bool may_lack = false)
      : name(named), slot(to), may_be_missing(may_lack) {}

  const char* name;
  void* slot;  // a pointer to a function; null if it is not found
  bool may_be_missing;
};

/// A loaded oneDNN with an engine for the processor.
class LoadedLibrary {
 public:
  /// Libraries that the file needs are also looked for beside it, as Python wheels do not say where theirs lie.
  static Status open(const std::string& path, std::shared_ptr<const LoadedLibrary>* library);
  ~LoadedLibrary();
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  const Library& facts() const { return facts_; }
  int major_version() const { return version_.major; }
  unsigned cpu_runtime() const { return version_.cpu_runtime; }
  const Functions& functions() const { return functions_; }
  EngineObject* engine() const { return engine_; }
  StreamObject* stream() const { return stream_; }

  /// An error: the first that is not there. Also finds what the library itself is linked to.
  Status find(std::span<const WantedFunction> wanted) const;

  /// Threads of the library's primitives, before any is made.
  Status set_threads(int threads) const;

 private:
  LoadedLibrary() = default;
  Status find_functions();
  Status start();

  SharedLibrary file_;
  Library facts_;
  VersionFacts version_{};
  Functions functions_{};
  EngineObject* engine_ = nullptr;
  StreamObject* stream_ = nullptr;
};

}  // namespace xsp::bound::onednn
