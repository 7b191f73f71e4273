#include "inject/cupti/devices.h"

#include "inject/cupti/driver_functions.h"
#include "inject/record/process.h"
#include "inject/send/device_packets.h"

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
  DeviceDescription description{};
  description.index = index;
  description.driver_version = driver_version();
  description.cupti_version = cupti_version;
  description.chip = chip;
  int device = 0;
  if (call_driver("cuDeviceGet", &device, static_cast<int>(index))) {
    call_driver("cuDeviceGetName", &description.name[0], static_cast<int>(sizeof description.name), device);
    description.name[sizeof description.name - 1] = '\0';
    // With a MIG instance the second version names the instance, the first one the whole device.
    description.has_uuid = call_driver("cuDeviceGetUuid_v2", &description.uuid[0], device) ||
                           call_driver("cuDeviceGetUuid", &description.uuid[0], device);
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
  write_device(writer, description);
  return !writer.failed() && post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
