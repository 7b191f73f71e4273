#pragma once

#include <exception>
#include <new>

#include "base/status.h"

namespace xsp {

/// Runs pieces of work so that one that fails, usually for lack of memory, does not take the others with it. Remembers
/// the latest failure.
class Attempts {
 public:
  /// Runs `work`; false if it threw. `what` describes the failure ("the event loop failed"). It must be a literal, as
  /// there may be no memory for a copy.
  template <typename Work>
  bool attempt(const char* what, Work&& work) {
    try {
      work();
      return true;
    } catch (const std::bad_alloc&) {
      remember(what, "out of memory");
    } catch (const std::exception& failure) {
      remember(what, failure.what());
    }
    return false;
  }

  /// The latest failure.
  Status status() const {
    if (failed_ != nullptr && status_.ok()) return Status{failed_};
    return status_;
  }

 private:
  /// There may not even be memory for a text.
  void remember(const char* what, const char* why) noexcept {
    failed_ = what;
    try {
      status_ = Status{std::string(what) + " (" + why + ")"};
    } catch (const std::exception&) {
    }
  }

  Status status_;
  const char* failed_ = nullptr;
};

}  // namespace xsp
