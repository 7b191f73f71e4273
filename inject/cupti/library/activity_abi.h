#pragma once

/// Activity records of CUPTI as the guest reads them: fields by their offset in a record, of CUDA 11.8 to 13. A record
/// grows at its end from version to version, so that these hold for all; what came later than 11.8 is marked with the
/// version of CUPTI that has it. test/inject/cupti/library/headers_test.py compares them with the headers where they
/// are.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xsp::guest::cupti {

/// Oldest version of CUPTI with these records: CUDA 11.8. First version that is not known: CUDA 14.
inline constexpr uint32_t kOldestVersion = 18;
inline constexpr uint32_t kFirstUnknownVersion = 140000;
/// From here on a buffer may be refused; before, CUPTI crashes. CUDA 12.9.
inline constexpr uint32_t kBufferRefusalVersion = 27;
/// Buffers per thread can be had from 12.3. Up to 12.6 a flush from another thread than the buffers' own races with it
/// (release notes of 12.6 Update 2, whose version number is that of 12.6).
inline constexpr uint32_t kPerThreadBuffersVersion = 21;
inline constexpr uint32_t kForeignFlushVersion = 26;
/// From here on kernels of graphs have the id of their launch in every session (release notes of 13.1 Update 1);
/// before, in the first one only.
inline constexpr uint32_t kGraphIdsVersion = 130101;

/// CUpti_ActivityKind.
enum ActivityKind : int {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kPeerMemcpy = 22,  // MEMCPY2: between devices
  kSynchronization = 38,
  kMemory = 49,  // MEMORY2
};

/// CUpti_ActivityAttribute.
inline constexpr int kZeroedBuffers = 5;
inline constexpr int kPerThreadBuffers = 9;
/// cuptiSetThreadIdType: as gettid.
inline constexpr int kSystemThreadId = 1;
/// cuptiActivityFlushAll: buffers with unfinished records too.
inline constexpr uint32_t kFlushForced = 1;

/// Of every record: a CUpti_ActivityKind.
inline constexpr size_t kKindAt = 0;

namespace kernel_record {
inline constexpr size_t kRegisters = 6;  // uint16_t
inline constexpr size_t kStart = 16;
inline constexpr size_t kEnd = 24;
inline constexpr size_t kDevice = 40;
inline constexpr size_t kContext = 44;
inline constexpr size_t kStream = 48;
inline constexpr size_t kGrid = 52;   // 3 of int32_t
inline constexpr size_t kBlock = 64;  // 3 of int32_t
inline constexpr size_t kStaticShared = 76;
inline constexpr size_t kDynamicShared = 80;
inline constexpr size_t kCorrelation = 92;
inline constexpr size_t kName = 104;
inline constexpr size_t kGraphNode = 144;
inline constexpr size_t kGraph = 156;
inline constexpr size_t kCluster = 176;  // 3 of uint32_t; 0: launched without clusters
}  // namespace kernel_record

namespace memcpy_record {
inline constexpr size_t kCopyKind = 4;  // uint8_t
inline constexpr size_t kBytes = 8;
inline constexpr size_t kStart = 16;
inline constexpr size_t kEnd = 24;
inline constexpr size_t kDevice = 32;
inline constexpr size_t kContext = 36;
inline constexpr size_t kStream = 40;
inline constexpr size_t kCorrelation = 44;
inline constexpr size_t kGraphNode = 64;
inline constexpr size_t kGraph = 72;
}  // namespace memcpy_record

/// MEMCPY2: as memcpy_record up to the stream.
namespace peer_memcpy_record {
inline constexpr size_t kCorrelation = 60;
inline constexpr size_t kGraphNode = 72;
inline constexpr size_t kGraph = 80;
}  // namespace peer_memcpy_record

namespace memset_record {
inline constexpr size_t kBytes = 8;
inline constexpr size_t kStart = 16;
inline constexpr size_t kEnd = 24;
inline constexpr size_t kDevice = 32;
inline constexpr size_t kContext = 36;
inline constexpr size_t kStream = 40;
inline constexpr size_t kCorrelation = 44;
inline constexpr size_t kGraphNode = 64;
inline constexpr size_t kGraph = 72;
}  // namespace memset_record

namespace synchronization_record {
inline constexpr size_t kType = 4;
inline constexpr size_t kStart = 8;
inline constexpr size_t kEnd = 16;
inline constexpr size_t kCorrelation = 24;
inline constexpr size_t kContext = 28;
inline constexpr size_t kStream = 32;
inline constexpr size_t kReturned = 48;
inline constexpr uint32_t kReturnedVersion = 26;  // CUDA 12.8
inline constexpr uint32_t kNoStream = 0xffffffff;
}  // namespace synchronization_record

namespace overhead_record {
inline constexpr size_t kOverheadKind = 4;
inline constexpr size_t kObjectKind = 8;
inline constexpr size_t kObjectDevice = 12;  // of a device, context or stream
inline constexpr size_t kObjectContext = 16;
inline constexpr size_t kObjectStream = 20;
inline constexpr size_t kStart = 24;
inline constexpr size_t kEnd = 32;
inline constexpr size_t kCorrelation = 40;
inline constexpr uint32_t kCorrelationVersion = 20;  // CUDA 12.2
inline constexpr uint32_t kDeviceObject = 3;
inline constexpr uint32_t kContextObject = 4;
inline constexpr uint32_t kStreamObject = 5;
}  // namespace overhead_record

/// MEMORY2.
namespace memory_record {
inline constexpr size_t kOperation = 4;
inline constexpr size_t kMemoryKind = 8;
inline constexpr size_t kCorrelation = 12;
inline constexpr size_t kBytes = 24;
inline constexpr size_t kTime = 32;
inline constexpr size_t kDevice = 52;
inline constexpr size_t kContext = 56;
inline constexpr size_t kStream = 60;
inline constexpr uint32_t kAllocation = 1;
inline constexpr uint32_t kRelease = 2;
inline constexpr uint32_t kPageableMemory = 1;
inline constexpr uint32_t kPinnedMemory = 2;
}  // namespace memory_record

/// DRIVER and RUNTIME.
namespace api_record {
inline constexpr size_t kCallback = 4;
inline constexpr size_t kStart = 8;
inline constexpr size_t kEnd = 16;
inline constexpr size_t kThread = 28;
inline constexpr size_t kCorrelation = 32;
inline constexpr size_t kReturned = 36;
}  // namespace api_record

template <typename Value>
inline Value field(const uint8_t* record, size_t offset) {
  Value value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

}  // namespace xsp::guest::cupti
