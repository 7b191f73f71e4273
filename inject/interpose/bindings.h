#pragma once

#include <cstdint>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// The bindings that wrappers read (binding.h), for the code that makes and drops them.
///
/// They are plain memory: a child after fork has its parent's, which hold there as well. A signal handler may call a
/// function that its object has called before; a first call, which asks the loader, is no safer there than lazy binding
/// is, which is not safe.

/// What the wrapper calls for this caller; null when nothing in the process has the function. `caller` null: code that
/// lies in no loaded object.
void* real_function(uint32_t function, const ElfObject* caller);

/// Makes calls from that object reach `real` from now on.
void bind_caller(uint32_t function, const ElfObject& caller, void* real);

/// Forgets bindings from and to libraries that are no longer loaded: something else may be loaded at their addresses.
void drop_closed_bindings();

}  // namespace xsp::guest
