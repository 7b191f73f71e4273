#pragma once

/// Activity records as the versions of CUPTI lay them out (cupti_activity.h, cupti_activity_deprecated.h). A version
/// writes its own newest one; those here begin with the fields of older versions, so that an older record is the head
/// of the newest one.

#include <cstddef>
#include <cstdint>

namespace fake {

enum Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kDeviceRecord = 8,
  kContextRecord = 9,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpy2 = 22,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kMemory2 = 49,
  kGraphTrace = 51,
  kKinds = 64,
};

#define RECORD struct __attribute__((packed, aligned(8)))

RECORD KernelRecord {  // Kernel4 to Kernel11
  uint32_t kind;
  uint8_t cache_config, shared_config;
  uint16_t registers;
  int32_t cache_requested, cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_executed;
  uint64_t graph_node;
  int32_t shared_limit;
  uint32_t graph;
  void* access_policy;
  uint32_t channel;
  int32_t channel_type;
  uint32_t cluster[3], cluster_policy;
  uint64_t local_total_v2;
  uint32_t potential_clusters, active_clusters;
  uint8_t device_launched, padding2[7];
  int32_t priority;
  uint32_t padding3;
};
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, correlation) == 92);
static_assert(offsetof(KernelRecord, name) == 104 && offsetof(KernelRecord, graph_node) == 144);
static_assert(offsetof(KernelRecord, graph) == 156 && offsetof(KernelRecord, potential_clusters) == 200);
static_assert(sizeof(KernelRecord) == 224);

RECORD MemcpyRecord {  // Memcpy5, Memcpy6
  uint32_t kind;
  uint8_t copy_kind, from_kind, to_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtime_correlation, padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel;
  int32_t channel_type;
  uint8_t device_launched, padding2[3];
  uint64_t copies;
};
static_assert(sizeof(MemcpyRecord) == 96);

RECORD PeerCopyRecord {  // MemcpyPtoP4
  uint32_t kind;
  uint8_t copy_kind, from_kind, to_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel;
  int32_t channel_type;
};

RECORD MemsetRecord {  // Memset4
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory_kind;
  uint32_t padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel;
  int32_t channel_type;
  uint8_t device_launched, padding2[3];
};
static_assert(sizeof(MemsetRecord) == 88);

RECORD ApiRecord {
  uint32_t kind, callback;
  uint64_t start, end;
  uint32_t process, thread, correlation, result;
};
static_assert(sizeof(ApiRecord) == 40);

RECORD SynchronizationRecord {  // Synchronization, Synchronization2
  uint32_t kind;
  int32_t type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
  uint64_t event_synchronization;
  uint32_t result, padding;
};
static_assert(sizeof(SynchronizationRecord) == 56);

RECORD OverheadRecord {  // Overhead, Overhead2, Overhead3
  uint32_t kind, overhead_kind;
  int32_t object_kind;
  uint32_t object_process, object_thread, object_padding;
  uint64_t start, end;
  uint32_t correlation, reserved;
  void* data;
};
static_assert(sizeof(OverheadRecord) == 56);

RECORD MemoryRecord {  // Memory3, Memory4
  uint32_t kind;
  int32_t operation, memory_kind;
  uint32_t correlation;
  uint64_t address, bytes, timestamp, program_counter;
  uint32_t process, device, context, stream;
  const char* name;
  uint32_t asynchronous, padding;
  uint64_t pool[5];
  const char* source;
};
static_assert(sizeof(MemoryRecord) == 128);

RECORD GraphTraceRecord {  // GraphTrace, GraphTrace2
  uint32_t kind, correlation;
  uint64_t start, end;
  uint32_t device, graph, context, stream;
  void* reserved;
  uint32_t end_device, end_context;
};
static_assert(sizeof(GraphTraceRecord) == 56);

RECORD ExternalCorrelationRecord {
  uint32_t kind, external_kind;
  uint64_t external;
  uint32_t correlation, reserved;
};
static_assert(sizeof(ExternalCorrelationRecord) == 24);

RECORD DeviceRecord {  // Device4, Device5
  uint32_t kind, flags;
  uint64_t bandwidth, memory;
  uint32_t numbers[22];
  uint32_t id, ecc;
  uint8_t uuid[16];
  const char* name;
  uint8_t visible, mig, reserved[6];
  uint32_t gpu_instance, compute_instance;
  uint8_t mig_uuid[16];
  uint32_t numa_node, numa;
};
static_assert(sizeof(DeviceRecord) == 184);

/// Size of the version's own record of the kind.
size_t record_size(uint32_t kind, uint32_t version);

}  // namespace fake
