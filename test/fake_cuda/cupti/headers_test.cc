// The stand-in's records against the vendor's header, where that is: nothing is run, it compiles or does not.
#include "records.h"

#include <cupti.h>

using namespace fake;

#define SAME(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), #theirs "::" #their_field)

SAME(KernelRecord, registers, CUpti_ActivityKernel9, registersPerThread);
SAME(KernelRecord, start, CUpti_ActivityKernel9, start);
SAME(KernelRecord, end, CUpti_ActivityKernel9, end);
SAME(KernelRecord, completed, CUpti_ActivityKernel9, completed);
SAME(KernelRecord, device, CUpti_ActivityKernel9, deviceId);
SAME(KernelRecord, context, CUpti_ActivityKernel9, contextId);
SAME(KernelRecord, stream, CUpti_ActivityKernel9, streamId);
SAME(KernelRecord, grid, CUpti_ActivityKernel9, gridX);
SAME(KernelRecord, block, CUpti_ActivityKernel9, blockX);
SAME(KernelRecord, static_shared, CUpti_ActivityKernel9, staticSharedMemory);
SAME(KernelRecord, dynamic_shared, CUpti_ActivityKernel9, dynamicSharedMemory);
SAME(KernelRecord, correlation, CUpti_ActivityKernel9, correlationId);
SAME(KernelRecord, grid_id, CUpti_ActivityKernel9, gridId);
SAME(KernelRecord, name, CUpti_ActivityKernel9, name);
SAME(KernelRecord, queued, CUpti_ActivityKernel9, queued);
SAME(KernelRecord, graph_node, CUpti_ActivityKernel9, graphNodeId);
SAME(KernelRecord, graph, CUpti_ActivityKernel9, graphId);
SAME(KernelRecord, channel, CUpti_ActivityKernel9, channelID);
SAME(KernelRecord, cluster, CUpti_ActivityKernel9, clusterX);
SAME(KernelRecord, local_total_v2, CUpti_ActivityKernel9, localMemoryTotal_v2);
SAME(KernelRecord, active_clusters, CUpti_ActivityKernel9, maxActiveClusters);
static_assert(offsetof(KernelRecord, device_launched) == sizeof(CUpti_ActivityKernel9));

SAME(MemcpyRecord, copy_kind, CUpti_ActivityMemcpy6, copyKind);
SAME(MemcpyRecord, to_kind, CUpti_ActivityMemcpy6, dstKind);
SAME(MemcpyRecord, flags, CUpti_ActivityMemcpy6, flags);
SAME(MemcpyRecord, bytes, CUpti_ActivityMemcpy6, bytes);
SAME(MemcpyRecord, start, CUpti_ActivityMemcpy6, start);
SAME(MemcpyRecord, stream, CUpti_ActivityMemcpy6, streamId);
SAME(MemcpyRecord, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME(MemcpyRecord, graph_node, CUpti_ActivityMemcpy6, graphNodeId);
SAME(MemcpyRecord, graph, CUpti_ActivityMemcpy6, graphId);
SAME(MemcpyRecord, copies, CUpti_ActivityMemcpy6, copyCount);
static_assert(sizeof(MemcpyRecord) == sizeof(CUpti_ActivityMemcpy6));

SAME(PeerCopyRecord, to_context, CUpti_ActivityMemcpyPtoP4, dstContextId);
SAME(PeerCopyRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(PeerCopyRecord, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
static_assert(sizeof(PeerCopyRecord) == sizeof(CUpti_ActivityMemcpyPtoP4));

SAME(MemsetRecord, value, CUpti_ActivityMemset4, value);
SAME(MemsetRecord, bytes, CUpti_ActivityMemset4, bytes);
SAME(MemsetRecord, correlation, CUpti_ActivityMemset4, correlationId);
SAME(MemsetRecord, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME(MemsetRecord, graph_node, CUpti_ActivityMemset4, graphNodeId);
static_assert(sizeof(MemsetRecord) == sizeof(CUpti_ActivityMemset4));

SAME(ApiRecord, callback, CUpti_ActivityAPI, cbid);
SAME(ApiRecord, process, CUpti_ActivityAPI, processId);
SAME(ApiRecord, thread, CUpti_ActivityAPI, threadId);
SAME(ApiRecord, correlation, CUpti_ActivityAPI, correlationId);
SAME(ApiRecord, result, CUpti_ActivityAPI, returnValue);
static_assert(sizeof(ApiRecord) == sizeof(CUpti_ActivityAPI));

SAME(SynchronizationRecord, type, CUpti_ActivitySynchronization2, type);
SAME(SynchronizationRecord, stream, CUpti_ActivitySynchronization2, streamId);
SAME(SynchronizationRecord, event, CUpti_ActivitySynchronization2, cudaEventId);
SAME(SynchronizationRecord, result, CUpti_ActivitySynchronization2, returnValue);
static_assert(sizeof(SynchronizationRecord) == sizeof(CUpti_ActivitySynchronization2));

SAME(OverheadRecord, overhead_kind, CUpti_ActivityOverhead3, overheadKind);
SAME(OverheadRecord, object_process, CUpti_ActivityOverhead3, objectId);
SAME(OverheadRecord, start, CUpti_ActivityOverhead3, start);
SAME(OverheadRecord, correlation, CUpti_ActivityOverhead3, correlationId);
static_assert(sizeof(OverheadRecord) == sizeof(CUpti_ActivityOverhead3));

SAME(MemoryRecord, operation, CUpti_ActivityMemory4, memoryOperationType);
SAME(MemoryRecord, bytes, CUpti_ActivityMemory4, bytes);
SAME(MemoryRecord, timestamp, CUpti_ActivityMemory4, timestamp);
SAME(MemoryRecord, stream, CUpti_ActivityMemory4, streamId);
SAME(MemoryRecord, asynchronous, CUpti_ActivityMemory4, isAsync);
SAME(MemoryRecord, source, CUpti_ActivityMemory4, source);
static_assert(sizeof(MemoryRecord) == sizeof(CUpti_ActivityMemory4));

SAME(GraphTraceRecord, graph, CUpti_ActivityGraphTrace2, graphId);
SAME(GraphTraceRecord, stream, CUpti_ActivityGraphTrace2, streamId);
static_assert(sizeof(GraphTraceRecord) == sizeof(CUpti_ActivityGraphTrace2));

SAME(ExternalCorrelationRecord, external, CUpti_ActivityExternalCorrelation, externalId);
SAME(ExternalCorrelationRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);
static_assert(sizeof(ExternalCorrelationRecord) == sizeof(CUpti_ActivityExternalCorrelation));

SAME(DeviceRecord, id, CUpti_ActivityDevice5, id);
SAME(DeviceRecord, uuid, CUpti_ActivityDevice5, uuid);
SAME(DeviceRecord, name, CUpti_ActivityDevice5, name);
SAME(DeviceRecord, numa, CUpti_ActivityDevice5, numaId);
static_assert(sizeof(DeviceRecord) == sizeof(CUpti_ActivityDevice5));

namespace {

struct FunctionName {
  int domain;
  int callback;
  const char* name;
};
constexpr FunctionName kFunctions[] = {
#include "function_names.inc"
};

/// A name's number by the vendor's headers is checked where the name is one that they have.
constexpr bool is(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}
constexpr int number_of(const char* name) {
  for (const FunctionName& function : kFunctions)
    if (is(function.name, name)) return function.callback;
  return -1;
}
#define DRIVER(name) static_assert(number_of(#name) == CUPTI_DRIVER_TRACE_CBID_##name)
#define RUNTIME(name) static_assert(number_of(#name) == CUPTI_RUNTIME_TRACE_CBID_##name)
DRIVER(cuInit);
DRIVER(cuLaunchKernel);
DRIVER(cuLaunchKernel_ptsz);
DRIVER(cuLaunchKernelEx);
DRIVER(cuLaunchCooperativeKernel);
DRIVER(cuGraphLaunch);
DRIVER(cuGraphLaunch_ptsz);
DRIVER(cuMemcpyHtoDAsync_v2);
DRIVER(cuMemsetD8Async);
DRIVER(cuStreamBeginCapture_v2);
DRIVER(cuGraphAddKernelNode_v2);
RUNTIME(cudaLaunchKernel_v7000);
RUNTIME(cudaLaunchKernel_ptsz_v7000);
RUNTIME(cudaLaunchKernelExC_v11060);
RUNTIME(cudaLaunchCooperativeKernel_v9000);
RUNTIME(__cudaLaunchKernel_v13000);
RUNTIME(cudaGraphLaunch_v10000);
RUNTIME(cudaMemcpyAsync_v3020);
RUNTIME(cudaMemsetAsync_v3020);
RUNTIME(cudaStreamSynchronize_v3020);

}  // namespace
