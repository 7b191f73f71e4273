#pragma once

#include <string>

namespace xsp {

/// What went wrong, for a user: `error` says what and why, `hint` what to do (may be empty). Ok when both are empty.
struct Status {
  std::string error;
  std::string hint;

  bool ok() const { return error.empty(); }
};

}  // namespace xsp
