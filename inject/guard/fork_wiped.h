#pragma once

#include <cstddef>

namespace xsp::guest {

/// Zeroed pages that a forked child finds zeroed again (MADV_WIPEONFORK), whoever forked and however: fork, _Fork and
/// raw clone skip nothing here, unlike pthread_atfork. A vfork child shares them, as it should. Null when the kernel
/// refuses. `bytes` is rounded up to pages.
void* allocate_fork_wiped(size_t bytes);

void release_fork_wiped(void* pages, size_t bytes);

}  // namespace xsp::guest
