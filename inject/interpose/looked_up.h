#pragma once

namespace xsp::guest {

/// A function without a wrapper of inject/library that programs look up by name, as Python's ctypes and Go do.
struct LookedUp {
  const char* name;
  const char* library;  // how the name of the file begins that it must lie in
  /// Told that the program gets this function. Null: the program gets the guest's own export of that name instead.
  void (*observe)();
};

}  // namespace xsp::guest
