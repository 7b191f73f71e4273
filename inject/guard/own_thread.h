#pragma once

#include <cstddef>

namespace xsp::guest {

/// Starts a detached thread of the guest's own: all signals blocked, a small stack beside the thread-local storage of
/// what the program is linked to. False when there is none to be had.
bool start_own_thread(void* (*main)(void*), void* argument, size_t stack_bytes);

}  // namespace xsp::guest
