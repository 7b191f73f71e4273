/// Entry for the times of layers that xsp-bound takes by --times.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "bound/database/given_times.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("times", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
  xsp::bound::GivenTimes times;
  const xsp::Status status = xsp::bound::read_given_times("/proc/self/fd/" + std::to_string(fd), &times);
  ::close(fd);
  if (!status.ok() && status.exit_code != 3) std::abort();
  for (const auto& [layer, time] : times) {
    if (layer.empty() || (status.ok() && !(std::isfinite(time.latency_ms) && time.latency_ms >= 0))) std::abort();
  }
  return 0;
}
