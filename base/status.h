#pragma once

#include <string>

namespace xsp {

/// What went wrong, for a user: `error` says what and why, `hint` what to do (may be empty). Ok when both are empty.
struct [[nodiscard]] Status {
  std::string error;
  std::string hint;
  /// The exit code of a program that ends because of it; 0: the one that the program has for failures of its own.
  int exit_code = 0;

  bool ok() const { return error.empty(); }
};

}  // namespace xsp
