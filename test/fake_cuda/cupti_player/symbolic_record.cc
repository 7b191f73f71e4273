#include "symbolic_record.h"

#include <cstring>

#include "../cupti/records.h"

namespace fake {
namespace {

const std::map<std::string, uint32_t> kKindNames = {
    {"memcpy", kMemcpy},     {"memset", kMemset},       {"serial_kernel", kKernel},
    {"driver", kDriver},     {"runtime", kRuntime},     {"kernel", kConcurrentKernel},
    {"overhead", kOverhead}, {"peer_memcpy", kMemcpy2}, {"synchronization", kSynchronization},
    {"memory", kMemory2}};

union AnyRecord {
  uint8_t bytes[256];
  KernelRecord kernel;
  MemcpyRecord copy;
  PeerCopyRecord peer_copy;
  MemsetRecord fill;
  ApiRecord call;
  SynchronizationRecord synchronization;
  MemoryRecord memory;
  OverheadRecord overhead;
};

}  // namespace

RecordedActivity symbolic_record(const Fields& fields, uint32_t version,
                                 const std::function<uint64_t(uint64_t)>& cupti_clock) {
  const auto of = [&](const char* key) { return number_of(fields, key); };
  const auto small = [&](const char* key) { return static_cast<uint32_t>(of(key)); };
  const auto time = [&](const char* key) { return of(key) == 0 ? 0 : cupti_clock(static_cast<uint64_t>(of(key))); };
  RecordedActivity result;
  const auto named = kKindNames.find(fields.at("kind"));
  result.kind = named == kKindNames.end() ? small("kind") : named->second;
  AnyRecord any = {};
  memcpy(any.bytes, &result.kind, sizeof result.kind);
  const auto place = [&](auto& record) {
    record.start = time("start");
    record.end = time("end");
    record.context = small("context");
    record.stream = small("stream");
    record.correlation = small("correlation");
  };
  const auto execution = [&](auto& record) {
    place(record);
    record.device = small("device");
    record.graph_node = static_cast<uint64_t>(of("graph_node"));
    record.graph = small("graph");
  };
  switch (result.kind) {
    case kKernel:
    case kConcurrentKernel:
      execution(any.kernel);
      any.kernel.registers = 32;
      for (int i = 0; i < 3; ++i) any.kernel.grid[i] = any.kernel.block[i] = 1;
      break;
    case kMemcpy:
      execution(any.copy);
      any.copy.copy_kind = 1;
      any.copy.bytes = static_cast<uint64_t>(of("bytes"));
      break;
    case kMemcpy2:
      execution(any.peer_copy);
      any.peer_copy.bytes = static_cast<uint64_t>(of("bytes"));
      break;
    case kMemset:
      execution(any.fill);
      any.fill.bytes = static_cast<uint64_t>(of("bytes"));
      break;
    case kSynchronization:
      place(any.synchronization);
      break;
    case kOverhead:
      any.overhead.overhead_kind = small("overhead");
      any.overhead.start = time("start");
      any.overhead.end = time("end");
      break;
    case kMemory2:
      any.memory.operation = static_cast<int32_t>(of("operation"));
      any.memory.memory_kind = 3;  // of the device
      any.memory.bytes = static_cast<uint64_t>(of("bytes"));
      any.memory.timestamp = time("start");
      any.memory.device = small("device");
      any.memory.correlation = small("correlation");
      break;
    case kDriver:
    case kRuntime:
      any.call.callback = small("callback");
      any.call.start = time("start");
      any.call.end = time("end");
      any.call.thread = small("thread");
      any.call.correlation = small("correlation");
      break;
    default:
      break;
  }
  size_t size = record_size(result.kind, version);
  result.unknown = size == 0;
  if (size == 0) size = fields.count("size") ? small("size") : 64;
  result.cut = fields.count("cut") != 0;
  if (result.cut) size = std::min(size, static_cast<size_t>(of("cut")));
  result.bytes.assign(any.bytes, any.bytes + std::min(size, sizeof any.bytes));
  return result;
}

}  // namespace fake
