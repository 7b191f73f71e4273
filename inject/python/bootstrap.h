#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Called when the import of a watched module begins, with the GIL held. Runs bootstrap.py (compiled into the library)
/// the first time, then has it patch the module when its import is complete. A failure there is reported once through
/// the collector, and leaves the program as it is.
void expect_import(PyObject* module_name);

}  // namespace xsp::guest
