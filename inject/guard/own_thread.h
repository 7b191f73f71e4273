#pragma once

#include <cstddef>

namespace xsp::guest {

/// Starts a detached thread of the guest's own: all signals are blocked, and its stack is `stack_bytes` on top of the
/// thread-local storage of the libraries that the program is linked to. False if no thread could be started.
bool start_own_thread(void* (*main)(void*), void* argument, size_t stack_bytes);

/// To be called first on such a thread: gives it its name, and makes is_own_thread() true on it.
void enter_own_thread(const char* name);

/// Whether the calling thread is one of ours: its calls are not the program's and are not recorded.
bool is_own_thread();

}  // namespace xsp::guest
