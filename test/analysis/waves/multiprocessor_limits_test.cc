#include "analysis/waves/multiprocessor_limits.h"

#include "analysis/work/listed_devices.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("limits of a compute capability are found by its number, and none is invented") {
  for (const MultiprocessorLimits& limits : multiprocessor_limits()) {
    CAPTURE(limits.capability);
    CHECK(find_limits(limits.capability) == &limits);
  }
  for (const uint32_t unknown : {0u, 35u, 49u, 71u, 99u, 122u, 130u, UINT32_MAX})
    CHECK(find_limits(unknown) == nullptr);
}

TEST_CASE("the limits of every listed GPU are known") {
  for (const ListedDevice& device : listed_devices()) {
    CAPTURE(device.name, device.capability);
    CHECK(find_limits(device.capability) != nullptr);
  }
}

TEST_CASE("limits are those that the architecture whitepapers print") {
  struct Printed {
    uint32_t capability, warps, blocks;
    uint64_t shared_kib;
  };
  // GP100, GV100, TU102, GA100, GA102, AD102, GH100.
  for (const Printed& printed : {Printed{60, 64, 32, 64},
                                 {70, 64, 32, 96},
                                 {75, 32, 16, 64},
                                 {80, 64, 32, 164},
                                 {86, 48, 16, 100},
                                 {89, 48, 24, 100},
                                 {90, 64, 32, 228}}) {
    CAPTURE(printed.capability);
    const MultiprocessorLimits* limits = find_limits(printed.capability);
    REQUIRE(limits != nullptr);
    CHECK(limits->warps == printed.warps);
    CHECK(limits->blocks == printed.blocks);
    CHECK(limits->shared_bytes == printed.shared_kib * 1024);
    CHECK(limits->registers == 65536);
  }
}

TEST_CASE("from 8.0 on each block has a KiB of shared memory less, and finer units") {
  for (const MultiprocessorLimits& limits : multiprocessor_limits()) {
    CAPTURE(limits.capability);
    CHECK(limits.reserved_shared_bytes == (limits.capability >= 80 ? 1024 : 0));
    CHECK(limits.shared_unit_bytes == (limits.capability >= 80 ? 128 : 256));
    CHECK(limits.shared_bytes % limits.shared_unit_bytes == 0);
    CHECK(limits.registers % (256 * limits.partitions) == 0);
    CHECK_FALSE(limits.source.empty());
  }
}

}  // namespace
}  // namespace xsp::analysis
