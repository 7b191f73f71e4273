#pragma once

#include "inject/python/function_stand_in.h"

namespace xsp::guest {

/// A method of a class, written in Python, whose calls go through a function of ours while they are intercepted. To the
/// program it stays the same function:
/// - from CPython 3.12 on it is that function, of which only the address is set by which the interpreter calls it;
/// - CPython 3.9 to 3.11 enter a function that is called by its name (`super().__call__(x)`) without looking at the
///   address, so a stand-in takes its place in the class, under each of its names;
/// - earlier ones have neither, and nothing is intercepted.
/// One per program, with static storage. All functions need the GIL.
struct MethodCalls {
  VectorCall ours;
  bool are_intercepted = false;
  /// Kept for good from the first interception on, as the program may have stored any of them.
  PyObject* owner = nullptr;
  PyObject* function = nullptr;
  PyObject* stand_in = nullptr;
  VectorCall address = nullptr;
};

/// From now on calls of the method that `owner` has under `name` go through `calls.ours`. False, with nothing changed,
/// where that cannot be, or if another class's method has been intercepted before.
bool intercept_calls(MethodCalls& calls, PyObject* owner, const char* name);

/// The class has its method back as it was. What the program has put in its place stays. False if calls were not
/// intercepted.
bool stop_intercepting(MethodCalls& calls);

/// What the call would have done without us. For `calls.ours`, with its own arguments.
inline PyObject* call_plain(const MethodCalls& calls, PyObject* const* arguments, size_t flags, PyObject* keywords) {
  if (calls.address != nullptr) return calls.address(calls.function, arguments, flags, keywords);
  return python.PyObject_Vectorcall(calls.function, arguments, flags, keywords);
}

}  // namespace xsp::guest
