#pragma once

#include <cstdint>

#include "inject/record/process.h"

namespace xsp::guest {

/// Which loaded files the wrappers' calls go to (proto: UsedLibrary), noted once for each library and file in the
/// shared memory, where the sender finds it, and the collector if the process is killed. Looked at when a function is
/// bound (binding.h), never by a call.

/// A function was bound to `real`. Does nothing while the process is asleep: what is bound by then is noted when it
/// wakes.
void note_used_library(uint32_t function, const void* real);

/// Notes all that is bound. For a process that wakes, whose lock is held: a child after fork has its parent's bindings.
/// Weak: a test that links no wrappers has none.
__attribute__((weak)) void note_bound_libraries(Process& process);

}  // namespace xsp::guest
