#include "inject/python/unevaluated_calls.h"

#include <stdio.h>

#include <atomic>
#include <string_view>

#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// Of the interpreter, found at the first question. `type_lookup` gives a type's own attribute or that of a base,
/// borrowed, and runs no code of the program.
struct {
  bool are_known;
  PyObject* coroutine_type;
  PyObject* generator_type;
  PyObject* asynchronous_generator_type;
  PyObject* (*type_lookup)(PyObject* type, PyObject* name);
  PyObject* await_name;
} interpreter;

void find_types() {
  if (interpreter.are_known) return;
  interpreter.coroutine_type = static_cast<PyObject*>(find_in_interpreter("PyCoro_Type"));
  interpreter.generator_type = static_cast<PyObject*>(find_in_interpreter("PyGen_Type"));
  interpreter.asynchronous_generator_type = static_cast<PyObject*>(find_in_interpreter("PyAsyncGen_Type"));
  interpreter.type_lookup = reinterpret_cast<decltype(interpreter.type_lookup)>(find_in_interpreter("_PyType_Lookup"));
  interpreter.await_name = python.PyUnicode_InternFromString("__await__");
  interpreter.are_known = true;
}

}  // namespace

bool runs_later(PyObject* output) {
  if (output == python.none) return false;
  find_types();
  const Owned type(python.PyObject_Type(output));
  if (type.get() == interpreter.coroutine_type || type.get() == interpreter.generator_type ||
      type.get() == interpreter.asynchronous_generator_type) {
    return true;
  }
  const bool can_look = interpreter.type_lookup != nullptr && interpreter.await_name != nullptr;
  return can_look && interpreter.type_lookup(type.get(), interpreter.await_name) != nullptr;
}

void tell_of_unevaluated(uint32_t type) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  Process* process = awake_process();
  if (process == nullptr) return;
  char text[400];
  {
    const LockGuard lock(process->lock);
    const std::string_view name = process->strings.text(process->region, type).substr(0, 128);
    snprintf(text, sizeof text,
             "calls of %.*s return before they run (a coroutine or a generator): they are no model calls, and the "
             "modules that run later are recorded by themselves",
             static_cast<int>(name.size()), name.data());
  }
  notify(1, "torch", text);
}

}  // namespace xsp::guest
