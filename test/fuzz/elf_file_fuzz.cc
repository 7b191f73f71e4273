/// Entry for files of programs and libraries: what xsp-run --check reads of them, and the collector's search for
/// libraries that were linked into them.

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "collector/recording/static_libraries.h"
#include "inject/launch/run/library_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("elf", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  {
    const xsp::launch::LibraryFile file(path);
    if (file.is_readable()) {
      (void)file.defines("dnnl_primitive_execute");
      (void)file.calls_through_plt("cblas_");
      (void)file.needed();
      (void)file.soname();
      (void)file.interpreter();
    }
  }
  xsp::StaticLibraries libraries;
  libraries.add({path});
  while (libraries.work()) {
  }
  (void)libraries.found_in(path);
  ::close(fd);
  return 0;
}
