#pragma once

#include <cstdint>

#include "inject/python/cpython.h"
#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// What is known of one module under one root (the outermost module of the call).
struct ModuleInfo {
  PyObject* root;
  PyObject* module;
  PyObject* weak_reference;  // its callback removes the entry when the module dies
  uint32_t name;             // qualified as root.named_modules() has it; the class's name for the root itself
  uint32_t type;             // the class's name
  bool is_script;            // scripted or traced: its inside makes no module calls
  uint32_t shape_id;         // of last_shape
  Shapes last_shape;         // output; for a root its inputs
  uint32_t output_id;
  Shapes last_output;  // of a root
};

/// The entry of a module, made at its first call by walking the root's `_modules` (no code of the program runs). Null
/// when memory is short or the guest is off. The GIL guards the table. No module is kept alive by it.
ModuleInfo* module_info(PyObject* root, PyObject* module);

}  // namespace xsp::guest
