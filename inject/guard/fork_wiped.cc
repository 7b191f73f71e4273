#include "inject/guard/fork_wiped.h"

#include <sys/mman.h>

namespace xsp::guest {

void* allocate_fork_wiped(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (madvise(pages, bytes, MADV_WIPEONFORK) != 0) {
    munmap(pages, bytes);
    return nullptr;
  }
  return pages;
}

void release_fork_wiped(void* pages, size_t bytes) { munmap(pages, bytes); }

}  // namespace xsp::guest
