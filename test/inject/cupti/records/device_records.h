#pragma once

#include <cstring>
#include <vector>

#include "inject/cupti/library/activity_abi.h"

namespace xsp::test {

/// A record as CUPTI writes it, filled field by field.
class DeviceRecord {
 public:
  DeviceRecord(int kind, size_t bytes) : bytes_(bytes) { set(guest::cupti::kKindAt, kind); }

  template <typename Value>
  DeviceRecord& set(size_t offset, Value value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

inline DeviceRecord kernel(const char* name, uint32_t correlation, uint64_t begin, uint64_t end) {
  namespace at = guest::cupti::kernel_record;
  DeviceRecord record(guest::cupti::kConcurrentKernel, 216);
  for (int i = 0; i < 3; ++i) record.set(at::kGrid + 4 * i, i + 2).set(at::kBlock + 4 * i, i + 32);
  return record.set(at::kName, name)
      .set(at::kCorrelation, correlation)
      .set(at::kStart, begin)
      .set(at::kEnd, end)
      .set(at::kDevice, uint32_t{0})
      .set(at::kContext, uint32_t{1})
      .set(at::kStream, uint32_t{7})
      .set(at::kRegisters, uint16_t{40})
      .set(at::kStaticShared, 48)
      .set(at::kDynamicShared, 1024)
      .set(at::kGraphNode, uint64_t{0x100000003})
      .set(at::kGraph, uint32_t{9});
}

}  // namespace xsp::test
