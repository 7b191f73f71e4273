#include "inject/record/shared_region.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace xsp::guest {
namespace {

struct Size {
  uint32_t rings;
  uint32_t overflows;
  uint64_t arena_bytes;
};
// The full size first, then what fits where address space (RLIMIT_AS) or the size of files is limited.
constexpr Size kSizes[] = {{shm::kMaxRings, shm::kMaxOverflows, shm::kDefaultArenaBytes},
                           {shm::kMaxRings, 0, shm::kDefaultArenaBytes},
                           {64, 1, size_t{16} << 20},
                           {8, 0, size_t{2} << 20}};

// ftruncate beyond RLIMIT_FSIZE would send SIGXFSZ to the program.
bool file_size_allowed(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

bool map(SharedRegion* region, uint64_t bytes) {
  if (!file_size_allowed(bytes)) {
    errno = EFBIG;
    return false;
  }
  const int file = memfd_create("xsp", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return false;
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      // Sealed, so that the collector can rely on the size that it sees when it gets the descriptor.
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(file);
    return false;
  }
  // Most of it is never touched, so no memory is reserved for it.
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (base == MAP_FAILED) {
    close(file);
    return false;
  }
  region->base = static_cast<uint8_t*>(base);
  region->bytes = bytes;
  region->descriptor = file;
  return true;
}

}  // namespace

bool create_shared_region(SharedRegion* region, uint8_t clock) {
  for (const Size& size : kSizes) {
    const uint64_t bytes = shm::total_bytes(size.rings, size.overflows, size.arena_bytes);
    if (!map(region, bytes)) continue;
    shm::SharedHeader* header = region->header();
    header->magic = shm::kMagic;
    header->layout_version = shm::kLayoutVersion;
    header->pid = static_cast<uint32_t>(getpid());
    header->total_bytes = bytes;
    header->arena_offset = bytes - size.arena_bytes;
    header->arena_bytes = size.arena_bytes;
    header->ring_capacity = size.rings;
    header->overflow_count = size.overflows;
    header->clock = clock;
    return true;
  }
  return false;
}

}  // namespace xsp::guest
