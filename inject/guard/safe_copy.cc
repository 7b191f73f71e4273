#include "inject/guard/safe_copy.h"

#include <sys/uio.h>
#include <unistd.h>

namespace xsp::guest {

bool copy_safely(const void* from, void* to, size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace xsp::guest
