#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Puts the functions that the Python hooks use into its globals:
///   time_now() -> time          0: nothing is recorded
///   record_span(begin, name, type, kind, level, input, scope, failed)     one that ends now, begun in any thread
///   announce_profile(path, scope, complete, keep, start_realtime_ns, realtime_offset_ns)
///   tell(severity, component, text)
///   scratch_dir() -> str; wants_layers() -> 0 or 1; may_record() -> 0 or 1
bool add_python_api(PyObject* globals);

/// Makes a function object and stores it in the globals under the definition's name.
bool add_function(PyObject* globals, PyMethodDef* definition);

}  // namespace xsp::guest
