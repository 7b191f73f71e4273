#include "records.h"

namespace fake {

/// As the walk of the real libraries says (cuptiActivityGetNextRecord of 12.1, 12.3 to 12.6, 12.8, 12.9, 13.0 and 13.1;
/// test/inject/cupti/real_cupti_check.cc asks those that it finds). 12.1 calls itself 18, as 11.8 does, whose kernels
/// are shorter.
size_t record_size(uint32_t kind, uint32_t version) {
  constexpr uint32_t kCuda123 = 21, kCuda124 = 22, kCuda126 = 24, kCuda128 = 26;
  switch (kind) {
    case kConcurrentKernel:
    case kKernel:
      return version >= 130100 ? 224 : version >= 130000 ? 216 : 208;
    case kMemcpy:
      return version >= kCuda128 ? 96 : 88;
    case kMemcpy2:
      return sizeof(PeerCopyRecord);
    case kMemset:
      return sizeof(MemsetRecord);
    case kDriver:
    case kRuntime:
      return sizeof(ApiRecord);
    case kSynchronization:
      return version >= kCuda128 ? 56 : 40;
    case kOverhead:
      return version >= kCuda124 ? 56 : version >= kCuda123 ? 48 : 40;
    case kMemory2:
      return version >= kCuda126 ? 128 : 120;
    case kGraphTrace:
      return version >= kCuda123 ? 56 : 48;
    case kExternalCorrelation:
      return sizeof(ExternalCorrelationRecord);
    case kDeviceRecord:
      return version >= kCuda123 ? 184 : 176;
  }
  return 0;
}

}  // namespace fake
