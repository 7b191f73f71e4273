#pragma once

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// Visits the object and what it needs, breadth first and each once: the order in which the loader searches them for a
/// library opened with RTLD_LOCAL. Stops when `visit` returns true.
bool visit_scope(const ElfObject& object, bool (*visit)(const ElfObject& object, void* argument), void* argument);

template <typename Visit>
bool each_object_of_scope(const ElfObject& object, Visit&& visit) {
  return visit_scope(
      object, [](const ElfObject& part, void* argument) { return (*static_cast<Visit*>(argument))(part); },
      const_cast<void*>(static_cast<const void*>(&visit)));
}

}  // namespace xsp::guest
