#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// What onnxruntime_threads.py needs:
///   session_threads()         what sessions are to be made with: threads within an operator + 65536 · those of
///   operators
///                             side by side; 0 in a half: as the program has it
///   tell_threaded_session()   one was made so
bool add_session_thread_functions(PyObject* globals);

}  // namespace xsp::guest
