#include "inject/cupti/library/devices.h"

#include "inject/cupti/library/driver_functions.h"
#include "inject/record/process.h"
#include "proto/packet_writer.h"

namespace xsp::guest {
namespace {

/// CUdevice_attribute.
enum Attribute : int {
  kClockRate = 13,
  kMultiprocessorCount = 16,
  kMemoryClockRate = 36,
  kMemoryBusWidth = 37,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
};

template <typename... Arguments>
bool call_driver(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(driver_function(name));
  return function != nullptr && function(arguments...) == 0;
}

uint32_t attribute(Attribute which, int device) {
  int value = 0;
  return call_driver("cuDeviceGetAttribute", &value, static_cast<int>(which), device) && value > 0
             ? static_cast<uint32_t>(value)
             : 0;
}

}  // namespace

bool post_device(uint32_t index, uint32_t cupti_version, const char* chip) {
  wire::Device description;
  char name[256] = {};
  char uuid[16];
  description.index = index;
  description.driver_version = driver_version();
  description.cupti_version = cupti_version;
  if (chip != nullptr) description.chip = chip;
  int device = 0;
  if (call_driver("cuDeviceGet", &device, static_cast<int>(index))) {
    call_driver("cuDeviceGetName", &name[0], static_cast<int>(sizeof name), device);
    name[sizeof name - 1] = '\0';
    description.name = name;
    // With a MIG instance the second version names the instance, the first one the whole device.
    const bool has_uuid =
        call_driver("cuDeviceGetUuid_v2", &uuid[0], device) || call_driver("cuDeviceGetUuid", &uuid[0], device);
    if (has_uuid) description.uuid = {uuid, sizeof uuid};
    size_t memory = 0;
    if (call_driver("cuDeviceTotalMem_v2", &memory, device)) description.memory_bytes = memory;
    description.compute_capability_major = attribute(kComputeCapabilityMajor, device);
    description.compute_capability_minor = attribute(kComputeCapabilityMinor, device);
    description.multiprocessors = attribute(kMultiprocessorCount, device);
    description.clock_khz = attribute(kClockRate, device);
    description.memory_clock_khz = attribute(kMemoryClockRate, device);
    description.memory_bus_bits = attribute(kMemoryBusWidth, device);
    description.l2_cache_bytes = attribute(kL2CacheSize, device);
  }
  uint8_t buffer[512];
  WireWriter writer(buffer, sizeof buffer);
  write_packet(writer, description);
  return !writer.failed() && post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
