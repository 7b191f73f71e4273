#include "inject/library/capture/passed_object.h"

#include <sys/uio.h>
#include <unistd.h>

#include "inject/guard/errno_guard.h"

namespace xsp::guest {

/// The kernel reads in our place, so that a bad address gives an error and no SIGSEGV. Where that is forbidden
/// (seccomp), nothing counts as readable. Reads as much as the smallest descriptor has.
bool is_readable(const void* address) {
  const ErrnoGuard errno_guard;
  char content[64];
  const iovec here = {content, sizeof content};
  const iovec there = {const_cast<void*>(address), sizeof content};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof content);
}

}  // namespace xsp::guest
