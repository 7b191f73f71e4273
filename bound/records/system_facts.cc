#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "bound/records/measurement.h"
#include "bound/records/system_files.h"

namespace xsp::bound {
namespace {

/// Cores that the scheduler lets this process use.
int cores_of_scheduler() {
  // The kernel refuses a mask that is smaller than its own, however many processors there are.
  for (int processors = 1024; processors <= 1 << 20; processors *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(processors),
                                                                [](cpu_set_t* set) { CPU_FREE(set); });
    const size_t size = CPU_ALLOC_SIZE(processors);
    if (mask != nullptr && sched_getaffinity(0, size, mask.get()) == 0) return CPU_COUNT_S(size, mask.get());
  }
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

std::string SystemFacts::key() const {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  return fmt::format("{}, {}, {} {}{}, {} GiB", device, isa, cores, is_gpu() ? "multiprocessor" : "core",
                     cores == 1 ? "" : "s", (memory_bytes + kGiB / 2) / kGiB);
}

SystemFacts this_system() { return facts_from_files("", cores_of_scheduler()); }

}  // namespace xsp::bound
