#pragma once

/// The part of CUPTI's binary interface that the guest uses: it is found at run time, and no header of NVIDIA's is
/// needed to build. test/inject/cupti/library/headers_test.py compares the numbers and offsets with the headers where
/// they are available. Activity records: activity_abi.h.

#include <cstddef>
#include <cstdint>

#include "inject/counters/cupti_result.h"

namespace xsp::guest::cupti {

enum Domain : int { kDriverApi = 1, kRuntimeApi = 2, kResource = 3, kState = 5 };
enum Site : int { kEnter = 0, kExit = 1 };

/// CUpti_CallbackData: of the driver and the runtime domain.
struct CallbackData {
  int site;
  const char* function_name;
  const void* parameters;
  void* return_value;  // CUresult or cudaError_t, at exit
  const char* symbol_name;
  void* context;
  uint32_t context_id;
  uint64_t* correlation_data;  // the same at enter and exit
  uint32_t correlation_id;
};
static_assert(offsetof(CallbackData, correlation_id) == 64);

/// CUpti_CallbackIdResource.
enum ResourceCallback : uint32_t {
  kContextCreated = 1,
  kContextDestroyStarting = 2,
  kGraphNodeCreated = 13,
  kGraphNodeDestroyStarting = 14,
  kGraphNodeCloned = 20,
};

/// CUpti_CallbackIdState.
enum StateCallback : uint32_t { kFatalError = 1, kWarning = 3 };

/// CUpti_StateData.
struct StateData {
  Result result;
  const char* message;  // may be null
};

/// CUpti_ResourceData.
struct ResourceData {
  void* context;
  void* resource;
  void* descriptor;
};

/// CUpti_GraphData: the descriptor of graph callbacks.
struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  int node_type;
  void* dependency;
  void* graph_exec;
};

using Callback = void(void* user_data, int domain, uint32_t callback_id, const void* data);
using BufferRequested = void(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes);

/// The functions of a loaded libcupti. Those marked optional are null where the version lacks them.
struct Functions {
  Result (*get_version)(uint32_t* version);
  Result (*get_timestamp)(uint64_t* nanoseconds);
  Result (*get_result_string)(Result result, const char** text);
  Result (*set_thread_id_type)(int type);  // optional
  Result (*subscribe)(void** subscriber, Callback* callback, void* user_data);
  Result (*unsubscribe)(void* subscriber);
  Result (*enable_callback)(uint32_t enable, void* subscriber, int domain, uint32_t callback_id);
  Result (*get_callback_name)(int domain, uint32_t callback_id, const char** name);
  Result (*get_graph_node_id)(void* node, uint64_t* id);  // optional
  Result (*activity_enable)(int kind);
  Result (*activity_disable)(int kind);
  Result (*activity_register_callbacks)(BufferRequested* requested, BufferCompleted* completed);
  Result (*activity_flush_all)(uint32_t flags);
  Result (*activity_get_next_record)(uint8_t* buffer, size_t valid_bytes, const uint8_t** record);
  Result (*activity_get_num_dropped_records)(void* context, uint32_t stream, size_t* dropped);
  Result (*activity_set_attribute)(int attribute, size_t* bytes, void* value);
  Result (*activity_enable_runtime_api)(uint32_t callback_id, uint8_t enable);  // optional
  Result (*activity_enable_driver_api)(uint32_t callback_id, uint8_t enable);   // optional
};

}  // namespace xsp::guest::cupti
