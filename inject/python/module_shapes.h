#pragma once

#include "inject/python/module_names.h"

namespace xsp::guest {

/// What a call was given: a hook's tuple and dictionary, or the values themselves.
struct Given {
  PyObject* const* values;
  Py_ssize_t count;
  bool are_unpacked;
};

/// String ids of the shapes of a call; 0 where it has none. Those of the module's previous call are remembered.
uint32_t output_shape(ModuleInfo& info, PyObject* output);
uint32_t input_shapes(ModuleInfo& info, const Given& given);

}  // namespace xsp::guest
