// Subscribers and callbacks, and what CUPTI tells about handles.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "callbacks.h"

#include "activity.h"
#include "entry.h"
#if CUDA_MAJOR >= 13
#include "range_profiler.h"
#endif

namespace fake {
namespace {

struct CallbackData {  // CUpti_CallbackData
  int site;
  const char* function_name;
  const void* parameters;
  void* return_value;
  const char* symbol_name;
  void* context;
  uint32_t context_id;
  uint64_t* correlation_data;
  uint32_t correlation_id;
};

struct ResourceData {  // CUpti_ResourceData
  void* context;
  void* resource;
  void* descriptor;
};

struct StateData {  // CUpti_StateData
  int result;
  const char* message;
};

struct SubscriberParams {  // CUpti_SubscriberParams
  size_t size;
  const char* name;
  char* old_name;
  size_t old_name_size;
};

using Callback = void(void* user_data, int domain, uint32_t callback, const void* data);

constexpr uint32_t kContextDestroyStarting = 2;
constexpr int kStateDomain = 5, kDomains = 7;
constexpr uint32_t kCallbacks = 1024;

struct Subscriber {
  std::atomic<Callback*> callback{nullptr};
  std::atomic<void*> user_data{nullptr};
  char name[64] = "";
  std::atomic<uint8_t> enabled[kDomains][kCallbacks];
};

Subscriber the_subscriber;
std::mutex subscription;

struct FunctionName {
  int domain;
  uint32_t callback;
  const char* name;
};
const FunctionName kFunctionNames[] = {
#include "function_names.inc"
};

void on_call(int site, fake_call* call);
void on_resource(uint32_t callback, void* context, void* resource, void* descriptor);
void on_execution(const fake_execution* execution);
void on_launch(fake_execution* execution);
fake_tool tool = {0, on_call, on_resource, on_execution, record_overhead, on_launch};
std::atomic<const fake_driver*> the_driver{nullptr};

void call_back(int domain, uint32_t id, const void* data) {
  if (id >= kCallbacks || !the_subscriber.enabled[domain][id]) return;
  if (Callback* const callback = the_subscriber.callback) callback(the_subscriber.user_data, domain, id, data);
}

void on_launch(fake_execution* execution) {
  uint32_t wanted = wants_execution(*execution);
  if ((wanted & kOwnRecord) != 0) {
    execution->wanted[tool.index] = wanted;
    execution->place[tool.index] = reserve_execution(*execution);
  }
#if CUDA_MAJOR >= 13
  if (execution->kind == kFakeKernel) wanted |= range_of_launch() << kRangeShift;
#endif
  execution->wanted[tool.index] = wanted;
}

/// At the Nth kernel, with fatal=N.
void fail_if_asked() {
  static std::atomic<uint64_t> kernels{0};
  uint64_t last = 0;
  if (!misbehaves("fatal", &last) || ++kernels != last) return;
  tell_state(kStateFatal, kCuptiUnknown, "the stand-in was asked to fail");
  detach_records();
  std::lock_guard held(subscription);
  the_subscriber.callback = nullptr;
}

void on_call(int site, fake_call* call) {
#if CUDA_MAJOR >= 13
  if (site == 0 && call->domain == kFakeDriverDomain) note_context(call->context);
#endif
  const CallbackData data = {site,
                             call->name,
                             call->parameters,
                             call->result,
                             call->symbol,
                             call->context,
                             call->context_id,
                             &call->tool_data[tool.index],
                             call->correlation};
  call_back(call->domain, call->callback, &data);
  if (site == 1) record_call(*call);
}

void on_resource(uint32_t callback, void* context, void* resource, void* descriptor) {
  const ResourceData data = {context, resource, descriptor};
  call_back(3, callback, &data);
  if (callback == kContextDestroyStarting && misbehaves("reset_loses")) lose_records_of(driver()->context_id(context));
}

void on_execution(const fake_execution* execution) {
  const uint32_t wanted = execution->wanted[tool.index];
#if CUDA_MAJOR >= 13
  if (wanted >> kRangeShift != 0) fill_range(wanted >> kRangeShift, *execution);
#endif
  if ((wanted & kGraphRecord) != 0)
    record_part_of_graph(*execution);
  else if ((wanted & kOwnRecord) != 0)
    record_execution(*execution);
  if (execution->kind == kFakeKernel) fail_if_asked();
}

int subscribe(void** subscriber, Callback* callback, void* user_data, SubscriberParams* params) {
  if (const int status = attached()) return status;
  if (subscriber == nullptr) return kCuptiInvalidParameter;
  std::lock_guard held(subscription);
  const bool someone_else = misbehaves("held");
  if (someone_else || the_subscriber.callback != nullptr) {
    if (params != nullptr && params->old_name != nullptr && params->old_name_size > 0)
      snprintf(params->old_name, params->old_name_size, "%s", someone_else ? "nsight-systems" : the_subscriber.name);
    return kCuptiMultipleSubscribers;
  }
  for (auto& domain : the_subscriber.enabled)
    for (auto& entry : domain) entry = 0;
  snprintf(the_subscriber.name, sizeof the_subscriber.name, "%s",
           params == nullptr || params->name == nullptr ? "" : params->name);
  the_subscriber.user_data = user_data;
  the_subscriber.callback = callback;
  *subscriber = &the_subscriber;
  return kCuptiSuccess;
}

/// A subscriber's handle that is none crashes the real one or is refused; here it is refused.
bool is_subscriber(const void* handle) { return handle == &the_subscriber && the_subscriber.callback != nullptr; }

}  // namespace

const fake_driver* driver() { return the_driver; }
int tool_index() { return tool.index; }

void tell_state(uint32_t callback, int result, const char* message) {
  const StateData data = {result, message};
  call_back(kStateDomain, callback, &data);
}

int attached() {
  if (misbehaves("fails")) return kCuptiUnknown;
  if (the_driver.load() != nullptr) return kCuptiSuccess;
  static std::mutex attaching;
  std::lock_guard held(attaching);
  if (the_driver.load() != nullptr) return kCuptiSuccess;
  void* const libcuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (libcuda == nullptr) return kCuptiUnknown;
  int (*get_table)(const void**, const void*) = nullptr;
  *reinterpret_cast<void**>(&get_table) = dlsym(libcuda, "cuGetExportTable");
  const void* table = nullptr;
  if (get_table == nullptr || get_table(&table, FAKE_DRIVER_TABLE) != 0) return kCuptiUnknown;
  const auto* const found = static_cast<const fake_driver*>(table);
  the_driver = found;
  found->add_tool(&tool);
  return kCuptiSuccess;
}

}  // namespace fake

using namespace fake;

EXPORT int cuptiSubscribe(void** subscriber, Callback* callback, void* user_data) {
  return subscribe(subscriber, callback, user_data, nullptr);
}
#if CUDA_MAJOR >= 13
EXPORT int cuptiSubscribe_v2(void** subscriber, Callback* callback, void* user_data, SubscriberParams* params) {
  return subscribe(subscriber, callback, user_data, params);
}
#endif
EXPORT int cuptiUnsubscribe(void* subscriber) {
  if (!is_subscriber(subscriber)) return kCuptiInvalidParameter;
  std::lock_guard held(subscription);
  the_subscriber.callback = nullptr;
  return kCuptiSuccess;
}
EXPORT int cuptiEnableCallback(uint32_t enable, void* subscriber, int domain, uint32_t callback) {
  if (const int status = attached()) return status;
  if (!is_subscriber(subscriber) || domain <= 0 || domain >= kDomains || callback >= kCallbacks)
    return kCuptiInvalidParameter;
  the_subscriber.enabled[domain][callback] = enable != 0;
  return kCuptiSuccess;
}
EXPORT int cuptiEnableDomain(uint32_t enable, void* subscriber, int domain) {
  if (const int status = attached()) return status;
  if (!is_subscriber(subscriber) || domain <= 0 || domain >= kDomains) return kCuptiInvalidParameter;
  for (auto& entry : the_subscriber.enabled[domain]) entry = enable != 0;
  return kCuptiSuccess;
}
EXPORT int cuptiEnableAllDomains(uint32_t enable, void* subscriber) {
  for (int domain = 1; domain < kDomains; ++domain)
    if (const int status = cuptiEnableDomain(enable, subscriber, domain)) return status;
  return kCuptiSuccess;
}
EXPORT int cuptiGetCallbackState(uint32_t* enable, void* subscriber, int domain, uint32_t callback) {
  if (!is_subscriber(subscriber) || domain <= 0 || domain >= kDomains || callback >= kCallbacks)
    return kCuptiInvalidParameter;
  *enable = the_subscriber.enabled[domain][callback];
  return kCuptiSuccess;
}
EXPORT int cuptiGetCallbackName(int domain, uint32_t callback, const char** name) {
  if (name == nullptr || callback >= (domain == 1 ? 806U : domain == 2 ? 521U : 0U)) return kCuptiInvalidParameter;
  *name = "INVALID";
  for (const FunctionName& function : kFunctionNames)
    if (function.domain == domain && function.callback == callback) *name = function.name;
  return kCuptiSuccess;
}
EXPORT int cuptiFinalize(void) {
  if (const int status = attached()) return status;
  detach_records();
  std::lock_guard held(subscription);
  the_subscriber.callback = nullptr;
  return kCuptiSuccess;
}
EXPORT int cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return kCuptiInvalidParameter;
  *version = cupti_version();
  return kCuptiSuccess;
}
EXPORT int cuptiGetResultString(int result, const char** text) {
  switch (result) {
    case kCuptiSuccess:
      *text = "CUPTI_SUCCESS";
      return kCuptiSuccess;
    case kCuptiInvalidParameter:
      *text = "CUPTI_ERROR_INVALID_PARAMETER";
      return kCuptiSuccess;
    case kCuptiMaxLimitReached:
      *text = "CUPTI_ERROR_MAX_LIMIT_REACHED";
      return kCuptiSuccess;
    case kCuptiNotInitialized:
      *text = "CUPTI_ERROR_NOT_INITIALIZED";
      return kCuptiSuccess;
    case 35:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      return kCuptiSuccess;
    case kCuptiMultipleSubscribers:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      return kCuptiSuccess;
    case kCuptiUnknown:
      *text = "CUPTI_ERROR_UNKNOWN";
      return kCuptiSuccess;
  }
  *text = "<unknown>";
  return kCuptiInvalidParameter;
}
EXPORT int cuptiGetGraphNodeId(void* node, uint64_t* id) {
  if (driver() == nullptr || node == nullptr) return kCuptiInvalidParameter;
  *id = driver()->node_id(node);
  return kCuptiSuccess;
}
EXPORT int cuptiGetGraphId(void* graph, uint32_t* id) {
  if (driver() == nullptr || graph == nullptr) return kCuptiInvalidParameter;
  *id = driver()->graph_id(graph);
  return kCuptiSuccess;
}
EXPORT int cuptiGetGraphExecId(void* graph, uint32_t* id) { return cuptiGetGraphId(graph, id); }
EXPORT int cuptiGetContextId(void* context, uint32_t* id) {
  if (driver() == nullptr || context == nullptr) return kCuptiInvalidContext;
  *id = driver()->context_id(context);
  return kCuptiSuccess;
}
EXPORT int cuptiGetDeviceId(void* context, uint32_t* id) {
  if (driver() == nullptr || context == nullptr) return kCuptiInvalidContext;
  *id = driver()->device_of(context);
  return kCuptiSuccess;
}
EXPORT int cuptiGetStreamIdEx(void* context, void* stream, uint8_t per_thread, uint32_t* id) {
  if (driver() == nullptr) return kCuptiInvalidContext;
  *id = driver()->stream_id(context, stream, per_thread);
  return *id == 0 ? kCuptiInvalidParameter : kCuptiSuccess;
}
EXPORT int cuptiGetStreamId(void* context, void* stream, uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}
EXPORT int cuptiDeviceSupported(int, int* support) {
  *support = 1;
  return kCuptiSuccess;
}
