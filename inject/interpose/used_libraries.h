#pragma once

#include <cstdint>

#include "inject/record/process.h"

namespace xsp::guest {

/// Which loaded files the wrappers' calls go to (proto: UsedLibrary), noted once for each library and file in the
/// shared memory, where the sender finds it, or the collector if the process is killed. This happens when a function is
/// bound (binding.h), never in a call.

/// To be called when a function has been bound to `real`. Does nothing while the process is asleep: what is bound by
/// then is noted when it wakes.
void note_used_library(uint32_t function, const void* real);

/// Notes all that is bound. Called for a process that wakes, with its lock held: a child after fork has its parent's
/// bindings. Weak, as tests that link no wrappers do not have it.
__attribute__((weak)) void note_bound_libraries(Process& process);

}  // namespace xsp::guest
