#pragma once

#include "inject/library/call.h"

namespace xsp::guest {

/// Another function of the library that was called, found by its name: constinit Sibling<int(void*)> f{"f"}; of() is
/// null when the library does not have it.
template <typename Function>
class Sibling {
 public:
  constexpr explicit Sibling(const char* name) : name_(name) {}
  Function* of(const xsp_call* call) { return reinterpret_cast<Function*>(xsp_sibling_function(call, name_, &cache_)); }

 private:
  const char* name_;
  xsp_sibling cache_{};
};

}  // namespace xsp::guest
