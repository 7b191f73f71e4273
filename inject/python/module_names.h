#pragma once

#include <cstdint>

#include "inject/concurrency/thread_settings.h"
#include "inject/python/cpython.h"
#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// What is known of one module under one root (the outermost module of the call).
struct ModuleInfo {
  uint32_t instance;   // of the root
  uint32_t name;       // qualified as root.named_modules() has it; the class's name for the root itself
  uint32_t type;       // the class's name
  bool is_script;      // scripted, traced or compiled: its inside makes no module calls
  uint32_t scope;      // of a root: the text that names this instance among those of its class; 0 until asked for
  uint32_t output_id;  // shape string of last_output
  Shapes* inputs;      // of a root, made at its first call
  uint32_t inputs_id;
  int last_rank;
  int64_t last_output[Shapes::kMaxRank];
  PyObject* parent;  // borrowed: the module that registers it under its name; null: made in forward, or a root
  PyObject* key;     // its key in the parent's `_modules`
  uint32_t walk;     // the last one that named it
  LayerThreads threads;
  ModuleInfo* next;  // of the same module under another root
};

/// The number of a root module, from 1 in order of first call; 0 when memory is short. A module at the address of a
/// dead one gets a new number.
uint32_t root_instance(PyObject* root);

struct RootCall {
  uint32_t instance;     // as root_instance() has it
  bool is_construction;  // a constructor calls the module, and nothing else has called it before
};

/// A call of a module inside no other one begins.
RootCall begin_root_call(PyObject* root);

/// The entry of a module under a root. Unknown modules are named by what registers them. When the root itself is asked
/// for, all modules below it are named; later only those below `outer` (the innermost open module) are searched, within
/// a bound per call of the root, so that modules made inside forward cost little. If a known module is no longer
/// registered where it was named, all modules of the root are renamed. Null when memory is short or the guest is off.
/// The GIL guards the table. No module is kept alive by it, and no code of the program runs.
ModuleInfo* module_info(PyObject* root, uint32_t instance, PyObject* outer, PyObject* module);

/// String id that names this instance of a root's class: "ResNet #1". 0 beyond the first thousand roots.
uint32_t instance_scope(ModuleInfo& root);

}  // namespace xsp::guest
