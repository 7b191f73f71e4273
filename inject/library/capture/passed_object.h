#pragma once

#include "inject/library/call.h"

namespace xsp::guest {

bool is_readable(const void* address);

/// Whether there is an object where the program said. A call that succeeded has used its objects; one that failed may
/// have been given anything, and have refused it without a look.
inline bool is_object(const xsp_call* call, const void* object) {
  if (object == nullptr) return false;
  return __builtin_expect(call->failed == 0, 1) || is_readable(object);
}

}  // namespace xsp::guest
