#pragma once

#include <cstddef>

namespace xsp::guest {

/// Copies through the kernel; false where the memory cannot be read. May change errno.
bool copy_safely(const void* from, void* to, size_t bytes);

}  // namespace xsp::guest
