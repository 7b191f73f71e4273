#pragma once

#include "inject/library/call.h"

namespace xsp::guest {

/// A function of the library that was called, found by name beside the called one: constinit Sibling<int(void*)>
/// f{"f"}; Null when the library has none.
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
