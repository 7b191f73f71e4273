#pragma once

#include "inject/python/module_shapes.h"

namespace xsp::guest {

/// A module call begins; `first` is its first positional argument, null if there is none. `frame`: an address in the
/// stack frame of the hook. `tells_failure`: end_module_call() will be told whether the call raised, so the exception
/// being handled need not be looked at. Returns false for a call inside a model call where layers are not recorded
/// (because of --level, outside the recording window, in a call that is not sampled): its end need not be reported.
bool begin_module_call(PyObject* module, PyObject* first, const char* frame, bool tells_failure);

/// `output` is null where the call is known to have raised, and None where it may have.
void end_module_call(PyObject* module, const char* frame, const Given& given, PyObject* output);

/// Sets how deep is recorded, according to the settings.
void set_deepest_level(uint8_t level);

}  // namespace xsp::guest
