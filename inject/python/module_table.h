#pragma once

#include <cstdint>

#include "inject/python/module_names.h"

namespace xsp::guest {

/// One live module: its entries under the roots it was called by.
struct Module {
  PyObject* object;
  PyObject* weak_reference;  // its callback removes the entry when the module dies
  PyObject* type_object;     // borrowed; shows whether the class was exchanged
  uint32_t instance;         // as a root; 0: never was one
  bool was_evaluated;        // has been called as a root by what is no constructor
  ModuleInfo* infos;         // latest first
};

/// The entry of a module, or null.
Module* find_module(PyObject* object);

/// The entry of a module, made if there is none. Null when memory is short or the object takes no weak reference.
Module* enter_module(PyObject* object);

/// Adds an entry of the module under a root. Null when memory is short. If there are many roots the oldest is
/// forgotten.
ModuleInfo* add_info(Module& module, uint32_t instance);

inline ModuleInfo* find_info(const Module& module, uint32_t instance) {
  for (ModuleInfo* info = module.infos; info != nullptr; info = info->next) {
    if (info->instance == instance) return info;
  }
  return nullptr;
}

}  // namespace xsp::guest
