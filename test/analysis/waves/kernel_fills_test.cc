#include "analysis/waves/kernel_fills.h"

#include <string>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

Device device(const std::string& name, uint32_t major = 0, uint32_t minor = 0, uint32_t multiprocessors = 0) {
  Device device;
  device.name = name;
  device.compute_capability_major = major;
  device.compute_capability_minor = minor;
  device.multiprocessors = multiprocessors;
  return device;
}

uint32_t capability_of(const DeviceSlots& slots) { return slots.limits == nullptr ? 0 : slots.limits->capability; }

TEST_CASE("a device is what the trace tells of it, whatever its name") {
  const DeviceSlots slots = slots_of(device("Tesla V100-SXM2-16GB", 8, 0, 54));
  CHECK(capability_of(slots) == 80);
  CHECK(slots.multiprocessors == 54);
  CHECK(slots_of(device("a GPU of next year", 9, 0, 132)).known());
}

TEST_CASE("a device that the trace only names is looked up") {
  const DeviceSlots slots = slots_of(device("Tesla V100-SXM2-16GB"));
  CHECK(capability_of(slots) == 70);
  CHECK(slots.multiprocessors == 80);
  CHECK_FALSE(slots_of(device("")).known());
  CHECK_FALSE(slots_of(device("a GPU of next year")).known());
}

TEST_CASE("a capability that is not known is not replaced by a listed one") {
  CHECK_FALSE(slots_of(device("Tesla V100-SXM2-16GB", 13, 0, 80)).known());
  CHECK_FALSE(slots_of(device("Tesla V100-SXM2-16GB", UINT32_MAX, UINT32_MAX, 80)).known());
}

TEST_CASE("an instance of a GPU has its own multiprocessors, or none are known") {
  const DeviceSlots told = slots_of(device("NVIDIA A100-SXM4-40GB MIG 2g.10gb", 8, 0, 28));
  CHECK(told.known());
  CHECK(told.multiprocessors == 28);
  CHECK_FALSE(slots_of(device("NVIDIA A100-SXM4-40GB MIG 2g.10gb", 8, 0)).known());
}

TEST_CASE("a GPU of another maker has no CUDA limits, though its tools give it a compute capability") {
  CHECK_FALSE(slots_of(device("AMD Instinct MI250X", 9, 0, 110)).known());
  CHECK_FALSE(slots_of(device("gfx942", 9, 0, 304)).known());
}

}  // namespace
}  // namespace xsp::analysis
