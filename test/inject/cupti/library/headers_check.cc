// Compiled against a vendor's headers by headers_test.py: inject/cupti agrees with them.
#include <cupti.h>

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/cupti_abi.h"
#include "inject/cupti/library/cupti_library.h"

namespace cupti = xsp::guest::cupti;

#define SAME(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #theirs)
#define AT(ours, record, field) SAME(ours, offsetof(record, field))

SAME(cupti::kSuccess, CUPTI_SUCCESS);
SAME(cupti::kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME(cupti::kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
SAME(cupti::kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(cupti::kUnknown, CUPTI_ERROR_UNKNOWN);

SAME(cupti::kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(cupti::kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(cupti::kKernel, CUPTI_ACTIVITY_KIND_KERNEL);
SAME(cupti::kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
SAME(cupti::kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME(cupti::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(cupti::kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME(cupti::kPeerMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(cupti::kSynchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME(cupti::kMemory, CUPTI_ACTIVITY_KIND_MEMORY2);
SAME(cupti::kSystemThreadId, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME(cupti::kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
#if CUPTI_API_VERSION >= 21
SAME(cupti::kPerThreadBuffers, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
#endif

// The newest record of each kind, and the oldest one of a version that is read.
#define KERNEL(record)                                                   \
  AT(cupti::kernel_record::kRegisters, record, registersPerThread);      \
  AT(cupti::kernel_record::kStart, record, start);                       \
  AT(cupti::kernel_record::kEnd, record, end);                           \
  AT(cupti::kernel_record::kDevice, record, deviceId);                   \
  AT(cupti::kernel_record::kContext, record, contextId);                 \
  AT(cupti::kernel_record::kStream, record, streamId);                   \
  AT(cupti::kernel_record::kGrid, record, gridX);                        \
  AT(cupti::kernel_record::kGrid + 8, record, gridZ);                    \
  AT(cupti::kernel_record::kBlock, record, blockX);                      \
  AT(cupti::kernel_record::kStaticShared, record, staticSharedMemory);   \
  AT(cupti::kernel_record::kDynamicShared, record, dynamicSharedMemory); \
  AT(cupti::kernel_record::kCorrelation, record, correlationId);         \
  AT(cupti::kernel_record::kName, record, name);                         \
  AT(cupti::kernel_record::kGraphNode, record, graphNodeId);             \
  AT(cupti::kernel_record::kGraph, record, graphId);                     \
  AT(cupti::kernel_record::kCluster, record, clusterX)
#define MEMCPY(record)                                   \
  AT(cupti::memcpy_record::kCopyKind, record, copyKind); \
  AT(cupti::memcpy_record::kBytes, record, bytes);       \
  AT(cupti::memcpy_record::kStart, record, start);       \
  AT(cupti::memcpy_record::kEnd, record, end);           \
  AT(cupti::memcpy_record::kDevice, record, deviceId);   \
  AT(cupti::memcpy_record::kContext, record, contextId); \
  AT(cupti::memcpy_record::kStream, record, streamId)
#define COPY(record)                                             \
  MEMCPY(record);                                                \
  AT(cupti::memcpy_record::kCorrelation, record, correlationId); \
  AT(cupti::memcpy_record::kGraphNode, record, graphNodeId);     \
  AT(cupti::memcpy_record::kGraph, record, graphId)
#define SYNCHRONIZATION(record)                                           \
  AT(cupti::synchronization_record::kType, record, type);                 \
  AT(cupti::synchronization_record::kStart, record, start);               \
  AT(cupti::synchronization_record::kEnd, record, end);                   \
  AT(cupti::synchronization_record::kCorrelation, record, correlationId); \
  AT(cupti::synchronization_record::kContext, record, contextId);         \
  AT(cupti::synchronization_record::kStream, record, streamId)
#define OVERHEAD(record)                                           \
  AT(cupti::overhead_record::kOverheadKind, record, overheadKind); \
  AT(cupti::overhead_record::kObjectKind, record, objectKind);     \
  AT(cupti::overhead_record::kObjectDevice, record, objectId);     \
  AT(cupti::overhead_record::kStart, record, start);               \
  AT(cupti::overhead_record::kEnd, record, end)
#define MEMORY(record)                                               \
  AT(cupti::memory_record::kOperation, record, memoryOperationType); \
  AT(cupti::memory_record::kMemoryKind, record, memoryKind);         \
  AT(cupti::memory_record::kCorrelation, record, correlationId);     \
  AT(cupti::memory_record::kBytes, record, bytes);                   \
  AT(cupti::memory_record::kTime, record, timestamp);                \
  AT(cupti::memory_record::kDevice, record, deviceId);               \
  AT(cupti::memory_record::kContext, record, contextId);             \
  AT(cupti::memory_record::kStream, record, streamId)

KERNEL(CUpti_ActivityKernel8);
COPY(CUpti_ActivityMemcpy5);
SYNCHRONIZATION(CUpti_ActivitySynchronization);
OVERHEAD(CUpti_ActivityOverhead);
MEMORY(CUpti_ActivityMemory3);

MEMCPY(CUpti_ActivityMemcpyPtoP4);
AT(cupti::peer_memcpy_record::kCorrelation, CUpti_ActivityMemcpyPtoP4, correlationId);
AT(cupti::peer_memcpy_record::kGraphNode, CUpti_ActivityMemcpyPtoP4, graphNodeId);
AT(cupti::peer_memcpy_record::kGraph, CUpti_ActivityMemcpyPtoP4, graphId);
AT(cupti::memset_record::kBytes, CUpti_ActivityMemset4, bytes);
AT(cupti::memset_record::kStart, CUpti_ActivityMemset4, start);
AT(cupti::memset_record::kEnd, CUpti_ActivityMemset4, end);
AT(cupti::memset_record::kDevice, CUpti_ActivityMemset4, deviceId);
AT(cupti::memset_record::kContext, CUpti_ActivityMemset4, contextId);
AT(cupti::memset_record::kStream, CUpti_ActivityMemset4, streamId);
AT(cupti::memset_record::kCorrelation, CUpti_ActivityMemset4, correlationId);
AT(cupti::memset_record::kGraphNode, CUpti_ActivityMemset4, graphNodeId);
AT(cupti::memset_record::kGraph, CUpti_ActivityMemset4, graphId);
AT(cupti::api_record::kCallback, CUpti_ActivityAPI, cbid);
AT(cupti::api_record::kStart, CUpti_ActivityAPI, start);
AT(cupti::api_record::kEnd, CUpti_ActivityAPI, end);
AT(cupti::api_record::kThread, CUpti_ActivityAPI, threadId);
AT(cupti::api_record::kCorrelation, CUpti_ActivityAPI, correlationId);
AT(cupti::api_record::kReturned, CUpti_ActivityAPI, returnValue);
#if CUPTI_API_VERSION >= 19
KERNEL(CUpti_ActivityKernel9);
#endif
#if CUPTI_API_VERSION >= 22
OVERHEAD(CUpti_ActivityOverhead3);
AT(cupti::overhead_record::kCorrelation, CUpti_ActivityOverhead3, correlationId);
AT(cupti::overhead_record::kCorrelation, CUpti_ActivityOverhead2, correlationId);
#endif
#if CUPTI_API_VERSION >= 26
COPY(CUpti_ActivityMemcpy6);
SYNCHRONIZATION(CUpti_ActivitySynchronization2);
AT(cupti::synchronization_record::kReturned, CUpti_ActivitySynchronization2, returnValue);
MEMORY(CUpti_ActivityMemory4);
#endif
#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
AT(offsetof(xsp::guest::SubscribeParameters, old_name_bytes), CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(xsp::guest::SubscribeParameters) <= sizeof(CUpti_SubscriberParams));  // it says its size
#endif
#if CUPTI_API_VERSION >= 130100
KERNEL(CUpti_ActivityKernel11);
#endif

AT(offsetof(cupti::CallbackData, site), CUpti_CallbackData, callbackSite);
AT(offsetof(cupti::CallbackData, function_name), CUpti_CallbackData, functionName);
AT(offsetof(cupti::CallbackData, parameters), CUpti_CallbackData, functionParams);
AT(offsetof(cupti::CallbackData, return_value), CUpti_CallbackData, functionReturnValue);
AT(offsetof(cupti::CallbackData, symbol_name), CUpti_CallbackData, symbolName);
AT(offsetof(cupti::CallbackData, context), CUpti_CallbackData, context);
AT(offsetof(cupti::CallbackData, context_id), CUpti_CallbackData, contextUid);
AT(offsetof(cupti::CallbackData, correlation_data), CUpti_CallbackData, correlationData);
AT(offsetof(cupti::CallbackData, correlation_id), CUpti_CallbackData, correlationId);
AT(offsetof(cupti::GraphData, original_graph), CUpti_GraphData, originalGraph);
AT(offsetof(cupti::GraphData, node), CUpti_GraphData, node);
AT(offsetof(cupti::GraphData, original_node), CUpti_GraphData, originalNode);
AT(offsetof(cupti::GraphData, graph_exec), CUpti_GraphData, graphExec);
AT(offsetof(cupti::ResourceData, descriptor), CUpti_ResourceData, resourceDescriptor);
SAME(cupti::kDriverApi, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(cupti::kRuntimeApi, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(cupti::kResource, CUPTI_CB_DOMAIN_RESOURCE);
SAME(cupti::kEnter, CUPTI_API_ENTER);
SAME(cupti::kExit, CUPTI_API_EXIT);
SAME(cupti::kContextCreated, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(cupti::kContextDestroyStarting, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
SAME(cupti::kGraphNodeCreated, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
SAME(cupti::kGraphNodeDestroyStarting, CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING);
SAME(cupti::kGraphNodeCloned, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
