#pragma once

#include <cstddef>

namespace xsp::guest {

/// Starts a detached thread of the guest's own: all signals blocked, a small stack beside the thread-local storage of
/// what the program is linked to. False when there is none to be had.
bool start_own_thread(void* (*main)(void*), void* argument, size_t stack_bytes);

/// To be called first on such a thread: gives it its name, and has is_own_thread() say so.
void enter_own_thread(const char* name);

/// Whether the calling thread is one of ours: what it calls is none of the program's.
bool is_own_thread();

}  // namespace xsp::guest
