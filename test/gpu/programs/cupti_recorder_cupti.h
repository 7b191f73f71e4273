#pragma once

/// What the recorder needs from CUPTI and the driver, found at run time; its options; and what it writes about graphs,
/// contexts and devices.

#include <cupti.h>
#include <dlfcn.h>

#include "cupti_recorder_file.h"

namespace recorder {

/// CUPTI 12.1 has no names for these. CUpti_ActivityAttribute, CUpti_CallbackDomain, CUpti_StateData.
constexpr int kPoolLimit = 2, kPerThreadBuffers = 9, kAttributes = 12, kStateDomain = 5;
struct StateData {
  int result;
  const char* message;
};

/// CUPTI_RECORDER.
struct Options {
  bool runtime_kinds = false, timestamp_callback = false, range_profiler = false, no_callbacks = false;
  int per_thread = -1;  // default: CUPTI's
  uint64_t flush_ms = 100, pool_limit = 0, buffer_bytes = 256 << 10, limit_bytes = uint64_t{512} << 20;
  uint32_t sessions = 1;
};

inline Options read_options(const char* list) {
  Options options;
  for (const char* at = list == nullptr ? "" : list; *at != '\0';) {
    const size_t length = strcspn(at, ",");
    const auto is = [&](const char* word) { return strncmp(at, word, strlen(word)) == 0; };
    const char* const equals = static_cast<const char*>(memchr(at, '=', length));
    const uint64_t value = equals == nullptr ? 0 : strtoull(equals + 1, nullptr, 10);
    if (is("runtime_kinds")) options.runtime_kinds = true;
    if (is("timestamp_callback")) options.timestamp_callback = true;
    if (is("range_profiler")) options.range_profiler = true;
    if (is("no_callbacks")) options.no_callbacks = true;
    if (is("per_thread=")) options.per_thread = value != 0;
    if (is("flush=")) options.flush_ms = value;
    if (is("pool_limit=")) options.pool_limit = value;
    if (is("buffer_bytes=") && value >= 4096) options.buffer_bytes = value;
    if (is("sessions=") && value > 0) options.sessions = static_cast<uint32_t>(value);
    if (is("limit=") && value > 0) options.limit_bytes = value << 20;
    at += length + (at[length] == ',');
  }
  return options;
}

struct Cupti {
  void* library;
  decltype(&cuptiGetVersion) get_version;
  decltype(&cuptiGetTimestamp) get_timestamp;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiEnableDomain) enable_domain;
  decltype(&cuptiActivityEnable) activity_enable, activity_disable;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) get_next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) get_num_dropped;
  decltype(&cuptiActivitySetAttribute) set_attribute, get_attribute;
  decltype(&cuptiSetThreadIdType) set_thread_id_type;
  decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp;
  decltype(&cuptiGetContextId) get_context_id;
  decltype(&cuptiGetStreamIdEx) get_stream_id;
  decltype(&cuptiGetGraphId) get_graph_id;
  decltype(&cuptiGetGraphNodeId) get_node_id;
  CUptiResult (*get_exec_id)(CUgraphExec, uint32_t*);  // null before CUDA 12.6

  /// Null, or what is missing.
  const char* load(const char* path) {
    const char* const names[] = {path, "libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (const char* name : names)
      if (library == nullptr && name != nullptr) library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return "libcupti";
    find(get_exec_id, "cuptiGetGraphExecId");
    const char* const missing[] = {find(get_version, "cuptiGetVersion"),
                                   find(get_timestamp, "cuptiGetTimestamp"),
                                   find(subscribe, "cuptiSubscribe"),
                                   find(enable_domain, "cuptiEnableDomain"),
                                   find(activity_enable, "cuptiActivityEnable"),
                                   find(activity_disable, "cuptiActivityDisable"),
                                   find(register_callbacks, "cuptiActivityRegisterCallbacks"),
                                   find(flush_all, "cuptiActivityFlushAll"),
                                   find(get_next_record, "cuptiActivityGetNextRecord"),
                                   find(get_num_dropped, "cuptiActivityGetNumDroppedRecords"),
                                   find(set_attribute, "cuptiActivitySetAttribute"),
                                   find(get_attribute, "cuptiActivityGetAttribute"),
                                   find(set_thread_id_type, "cuptiSetThreadIdType"),
                                   find(register_timestamp, "cuptiActivityRegisterTimestampCallback"),
                                   find(get_context_id, "cuptiGetContextId"),
                                   find(get_stream_id, "cuptiGetStreamIdEx"),
                                   find(get_graph_id, "cuptiGetGraphId"),
                                   find(get_node_id, "cuptiGetGraphNodeId")};
    for (const char* name : missing)
      if (name != nullptr) return name;
    return nullptr;
  }

  template <typename Function>
  const char* find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function == nullptr ? name : nullptr;
  }
};

enum class Launch { kNone, kKernel, kGraph };

inline Launch launch_of(const char* function) {
  if (function == nullptr || strstr(function, "Launch") == nullptr) return Launch::kNone;
  if (strstr(function, "GraphLaunch") != nullptr) return Launch::kGraph;
  return strstr(function, "LaunchKernel") != nullptr || strstr(function, "LaunchCooperative") != nullptr
             ? Launch::kKernel
             : Launch::kNone;
}

inline void put_handle(Line& line, const char* key, const void* handle) {
  char text[24];
  if (handle == nullptr) return;
  snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(reinterpret_cast<uintptr_t>(handle)));
  line.word(key, text);
}

inline void put_graph(Line& line, const Cupti& cupti, uint32_t id, const CUpti_GraphData& data) {
  // Something about to be made, or gone, has no id to ask for.
  const bool exists = id != CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING;
  const auto node = [&](const char* key, const char* id_key, CUgraphNode handle) {
    uint64_t number = 0;
    put_handle(line, key, handle);
    if (exists && handle != nullptr && cupti.get_node_id(handle, &number) == CUPTI_SUCCESS) line.number(id_key, number);
  };
  uint32_t number = 0;
  put_handle(line, "graph", data.graph);
  if (data.graph != nullptr && cupti.get_graph_id(data.graph, &number) == CUPTI_SUCCESS)
    line.number("graph_id", number);
  node("node", "node_id", data.node);
  node("original", "original_id", data.originalNode);
  if (data.node != nullptr) line.number("node_type", static_cast<uint64_t>(data.nodeType));
  put_handle(line, "exec", data.graphExec);
  if (data.graphExec != nullptr && id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED && cupti.get_exec_id != nullptr &&
      cupti.get_exec_id(data.graphExec, &number) == CUPTI_SUCCESS)
    line.number("exec_id", number);
}

inline void put_resource(Line& line, const Cupti& cupti, uint32_t id, const CUpti_ResourceData& data) {
  uint32_t number = 0;
  if (data.context != nullptr && cupti.get_context_id(data.context, &number) == CUPTI_SUCCESS)
    line.number("context", number);
  if (id >= CUPTI_CBID_RESOURCE_GRAPH_CREATED && id <= CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    if (data.resourceDescriptor != nullptr)
      put_graph(line, cupti, id, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
  } else if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED || id == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING) {
    if (cupti.get_stream_id(data.context, data.resourceHandle.stream, 0, &number) == CUPTI_SUCCESS)
      line.number("stream", number);
  } else if (id >= CUPTI_CBID_RESOURCE_MODULE_LOADED && id <= CUPTI_CBID_RESOURCE_MODULE_PROFILED) {
    if (data.resourceDescriptor != nullptr)
      line.number("module", static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor)->moduleId);
  }
}

/// CUpti_ActivityAttribute by number: the names differ by version.
inline void tell_attributes(RecordingFile& file, const Cupti& cupti) {
  for (int attribute = 0; attribute < kAttributes; ++attribute) {
    uint64_t value = 0;
    size_t size = sizeof value;
    const CUptiResult result = cupti.get_attribute(static_cast<CUpti_ActivityAttribute>(attribute), &size, &value);
    Line line("attribute");
    line.number("id", static_cast<uint64_t>(attribute)).number("result", result).number("size", size);
    line.number("value", value).end(file);
  }
}

/// The driver's facts, written on one of our threads, once there is a context.
inline void tell_facts(RecordingFile& file, const Cupti& cupti) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return;
  const auto find = [driver](const char* name) { return dlsym(driver, name); };
  const auto get_version = reinterpret_cast<int (*)(int*)>(find("cuDriverGetVersion"));
  const auto get_count = reinterpret_cast<int (*)(int*)>(find("cuDeviceGetCount"));
  const auto get_name = reinterpret_cast<int (*)(char*, int, int)>(find("cuDeviceGetName"));
  auto get_uuid = reinterpret_cast<int (*)(unsigned char*, int)>(find("cuDeviceGetUuid_v2"));
  if (get_uuid == nullptr) get_uuid = reinterpret_cast<int (*)(unsigned char*, int)>(find("cuDeviceGetUuid"));
  int version = 0, count = 0;
  if (get_version != nullptr) get_version(&version);
  Line("fact").word("what", "driver_version").number("value", static_cast<uint64_t>(version)).end(file);
  if (get_count != nullptr) get_count(&count);
  for (int i = 0; i < count && get_name != nullptr && get_uuid != nullptr; ++i) {
    char name[200] = "";
    unsigned char uuid[16] = {};
    get_name(name, sizeof name, i);
    get_uuid(uuid, i);
    Line line("device");
    line.number("index", static_cast<uint64_t>(i)).text("name", file, name).hex("uuid", uuid, sizeof uuid).end(file);
  }
  Dl_info where;
  if (dladdr(reinterpret_cast<void*>(cupti.get_version), &where) != 0)
    Line("fact").word("what", "cupti_file").text("value", file, where.dli_fname).end(file);
}

}  // namespace recorder
