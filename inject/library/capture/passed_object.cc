#include "inject/library/capture/passed_object.h"

#include <sys/uio.h>
#include <unistd.h>

#include "inject/guard/errno_guard.h"

namespace xsp::guest {

/// The kernel reads where we must not; where that is forbidden, nothing is readable. As much as the smallest
/// descriptor.
bool is_readable(const void* address) {
  const ErrnoGuard errno_guard;
  char content[64];
  const iovec here = {content, sizeof content};
  const iovec there = {const_cast<void*>(address), sizeof content};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof content);
}

}  // namespace xsp::guest
