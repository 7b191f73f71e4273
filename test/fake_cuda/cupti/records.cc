#include "records.h"

namespace fake {

size_t record_size(uint32_t kind, uint32_t version) {
  const bool cuda12 = version > 18;  // 18: CUDA 11.8
  switch (kind) {
    case kConcurrentKernel:
    case kKernel:
      return version >= 130100 ? 224 : version >= 130000 ? 216 : cuda12 ? 208 : 200;
    case kMemcpy:
      return cuda12 ? 96 : 88;
    case kMemcpy2:
      return sizeof(PeerCopyRecord);
    case kMemset:
      return sizeof(MemsetRecord);
    case kDriver:
    case kRuntime:
      return sizeof(ApiRecord);
    case kSynchronization:
      return version >= 24 ? 56 : 40;
    case kOverhead:
      return version >= 22 ? 56 : cuda12 ? 48 : 40;
    case kMemory2:
      return version >= 26 ? 128 : 120;
    case kGraphTrace:
      return version >= 26 ? 56 : 48;
    case kExternalCorrelation:
      return sizeof(ExternalCorrelationRecord);
    case kDeviceRecord:
      return version >= 24 ? 184 : 176;
  }
  return 0;
}

}  // namespace fake
