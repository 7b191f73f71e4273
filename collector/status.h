#pragma once

#include <string>
#include <utility>

namespace xsp {

/// Success, or a sentence that says what went wrong. Stages return it instead of throwing.
class [[nodiscard]] Status {
 public:
  static Status ok() { return Status(); }
  static Status error(std::string what) {
    Status status;
    status.failed_ = true;
    status.what_ = std::move(what);
    return status;
  }

  bool is_ok() const { return !failed_; }
  const std::string& what() const { return what_; }

 private:
  bool failed_ = false;
  std::string what_;
};

}  // namespace xsp
