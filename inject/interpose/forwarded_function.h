#pragma once

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/objects/loaded_library.h"

namespace xsp::guest {

/// The real function behind one that the guest exports under the same name, found once: the definition in the caller or
/// in what the caller needs, else that of the first of these libraries that is loaded and has it. For functions without
/// a description (inject/library), which have a wrapper that finds its own.
template <typename Function>
class ForwardedFunction {
 public:
  template <typename... Libraries>
  explicit constexpr ForwardedFunction(const char* name, Libraries... libraries)
      : name_(name), libraries_{libraries...} {}

  /// Null only for a caller that got our address although no such library is loaded.
  Function get(const void* caller) {
    const Function known = found_.load(std::memory_order_relaxed);
    return __builtin_expect(known != nullptr, 1) ? known : find(caller);
  }

 private:
  Function find(const void* caller) {
    const ErrnoGuard errno_guard;
    void* found = symbol_beside(caller, name_);
    for (const char* library : libraries_) {
      if (found == nullptr && library != nullptr) found = symbol_in_loaded_library(library, name_);
    }
    found_.store(reinterpret_cast<Function>(found), std::memory_order_relaxed);
    return reinterpret_cast<Function>(found);
  }

  const char* name_;
  const char* libraries_[3];
  std::atomic<Function> found_{nullptr};
};

}  // namespace xsp::guest
