#pragma once

#include <cstdint>

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Whether what a call has returned has yet to run: a coroutine, a generator, or something else that is awaited.
bool runs_later(PyObject* output);

/// A notice, once in a process: calls of modules of this type (a string id) are not recorded, but what they run is.
void tell_of_unevaluated(uint32_t type);

}  // namespace xsp::guest
