/// Entry for the bounds that xsp-report takes by --bounds.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "analysis/report/bound_bars.h"
#include "analysis/report/given_bounds.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xsp::analysis;
  const int fd = ::memfd_create("bounds", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
  GivenBounds bounds;
  const xsp::Status status = read_given_bounds("/proc/self/fd/" + std::to_string(fd), &bounds);
  ::close(fd);
  if (!status.ok()) {
    if (status.hint.empty()) std::abort();
    return 0;
  }
  for (const Table& table : bounds.tables) {
    for (const auto& row : table.rows) {
      if (row.size() != table.columns.size()) std::abort();
    }
  }
  for (const LayerBound& layer : bounds.layers) {
    if (layer.bound_ms && !std::isfinite(*layer.bound_ms)) std::abort();
  }
  if (const auto drawing = bound_bars(bounds); drawing && !drawing->svg.ends_with("</svg>")) std::abort();
  return 0;
}
