#include <fmt/format.h>

#include "base/processors.h"
#include "bound/records/measurement.h"
#include "bound/records/system_files.h"

namespace xsp::bound {

std::string SystemFacts::key() const {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  return fmt::format("{}, {}, {} {}{}, {} GiB", device, isa, cores, is_gpu() ? "multiprocessor" : "core",
                     cores == 1 ? "" : "s", (memory_bytes + kGiB / 2) / kGiB);
}

SystemFacts this_system() { return facts_from_files("", static_cast<int>(allowed_processors().size())); }

}  // namespace xsp::bound
