// Entry points: initialisation, devices, contexts.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "entry.h"

using namespace fake;

namespace {

/// CUDA_INJECTION64_PATH: one library, loaded inside the first cuInit.
void inject() {
  const char* const path = getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == 0) return;
  void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return;
  int (*initialize)() = nullptr;
  *reinterpret_cast<void**>(&initialize) = dlsym(library, "InitializeInjection");
  if (initialize != nullptr) initialize();
}

thread_local std::vector<Context*>* context_stack = nullptr;

int retain(int device, Context** context) {
  State& s = state();
  if (usable() != kSuccess) return kNotInitialized;
  if (device < 0 || device >= device_count()) return kInvalidDevice;
  {
    std::lock_guard held(s.lock);
    const auto found = s.primary.find(device);
    if (found != s.primary.end()) {
      ++found->second->references;
      *context = found->second;
      return kSuccess;
    }
  }
  Context* const made = make_context(device, true);
  std::lock_guard held(s.lock);
  made->references = 1;
  s.primary[device] = made;
  *context = made;
  return kSuccess;
}

int reset(int device) {
  State& s = state();
  if (usable() != kSuccess) return kNotInitialized;
  Context* context = nullptr;
  {
    std::lock_guard held(s.lock);
    const auto found = s.primary.find(device);
    if (found != s.primary.end()) context = found->second;
  }
  if (context != nullptr) destroy_context(context);
  return kSuccess;
}

int release(int device) {
  State& s = state();
  if (usable() != kSuccess) return kNotInitialized;
  {
    std::lock_guard held(s.lock);
    const auto found = s.primary.find(device);
    if (found == s.primary.end()) return kInvalidContext;
    if (--found->second->references > 0) return kSuccess;
  }
  return reset(device);
}

}  // namespace

int& fake::capture_mode_of_thread() {
  static thread_local int mode = 0;
  return mode;
}

EXPORT int cuInit(unsigned flags) {
  struct {
    unsigned flags;
  } parameters = {flags};
  State& s = state();
  return api_call("cuInit", 1, &parameters, [&] {
    if (s.initialized && s.pid != getpid()) return kNotInitialized;
    // Others wait until the injected library is ready, which may call the driver itself.
    static auto* const initializing = new std::recursive_mutex;
    std::lock_guard held(*initializing);
    if (s.initialized) return kSuccess;
    if (device_count() == 0) return kNoDevice;
    s.pid = getpid();  // first: another thread may look at both
    s.initialized = true;
    inject();
    tell_resource(5, nullptr, nullptr, nullptr);
    return kSuccess;
  });
}

EXPORT int cuDriverGetVersion(int* version) {
  return api_call("cuDriverGetVersion", 2, &version, [&] {
    const char* const wanted = getenv("FAKE_CUDA_DRIVER");
    *version = wanted == nullptr ? 13000 : atoi(wanted);
    return kSuccess;
  });
}

EXPORT int cuGetExportTable(const void** table, const void* id) {
  if (memcmp(id, FAKE_DRIVER_TABLE, 16) != 0) return kInvalidValue;
  *table = &driver_table;
  return kSuccess;
}

EXPORT int cuDeviceGetCount(int* count) {
  return api_call("cuDeviceGetCount", 4, &count, [&] {
    *count = device_count();
    return usable();
  });
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  struct {
    int* device;
    int ordinal;
  } parameters = {device, ordinal};
  return api_call("cuDeviceGet", 3, &parameters, [&] {
    if (usable() != kSuccess) return usable();
    if (ordinal < 0 || ordinal >= device_count()) return static_cast<int>(kInvalidDevice);
    *device = ordinal;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuDeviceGetName(char* name, int size, int device) {
  struct {
    char* name;
    int size, device;
  } parameters = {name, size, device};
  return api_call("cuDeviceGetName", 5, &parameters, [&] {
    snprintf(name, static_cast<size_t>(size), "Stand-in GPU %d", device);
    return device < device_count() ? kSuccess : kInvalidDevice;
  });
}
static int uuid_of(unsigned char* uuid, int device) {
  memcpy(uuid, "stand-in device0", 16);
  uuid[15] = static_cast<unsigned char>('0' + device);
  return device < device_count() ? kSuccess : kInvalidDevice;
}
EXPORT int cuDeviceGetUuid(unsigned char* uuid, int device) {
  struct {
    void* uuid;
    int device;
  } parameters = {uuid, device};
  return api_call("cuDeviceGetUuid", 482, &parameters, [&] { return uuid_of(uuid, device); });
}
EXPORT int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  struct {
    void* uuid;
    int device;
  } parameters = {uuid, device};
  return api_call("cuDeviceGetUuid_v2", 647, &parameters, [&] { return uuid_of(uuid, device); });
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  struct {
    size_t* bytes;
    int device;
  } parameters = {bytes, device};
  return api_call("cuDeviceTotalMem_v2", 259, &parameters, [&] {
    *bytes = size_t{80} << 30;
    return device < device_count() ? kSuccess : kInvalidDevice;
  });
}
/// CUdevice_attribute: an H100's values. A constant: threads ask while the process exits, when objects are gone.
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  struct {
    int* value;
    int attribute, device;
  } parameters = {value, attribute, device};
  return api_call("cuDeviceGetAttribute", 9, &parameters, [&] {
    static constexpr std::pair<int, int> kValues[] = {
        {1, 1024},       // MAX_THREADS_PER_BLOCK
        {8, 49152},      // MAX_SHARED_MEMORY_PER_BLOCK
        {10, 32},        // WARP_SIZE
        {13, 1980000},   // CLOCK_RATE, kHz
        {16, 132},       // MULTIPROCESSOR_COUNT
        {36, 2619000},   // MEMORY_CLOCK_RATE, kHz
        {37, 5120},      // GLOBAL_MEMORY_BUS_WIDTH
        {38, 50 << 20},  // L2_CACHE_SIZE
        {39, 2048},      // MAX_THREADS_PER_MULTIPROCESSOR
        {41, 1},         // UNIFIED_ADDRESSING
        {75, 9},         // COMPUTE_CAPABILITY_MAJOR
        {76, 0},         // COMPUTE_CAPABILITY_MINOR
    };
    if (device >= device_count()) return kInvalidDevice;
    const auto* found = std::ranges::find(kValues, attribute, &std::pair<int, int>::first);
    *value = found == std::end(kValues) ? 0 : found->second;
    return kSuccess;
  });
}

EXPORT int cuDevicePrimaryCtxRetain(Context** context, int device) {
  struct {
    void* context;
    int device;
  } parameters = {context, device};
  return api_call("cuDevicePrimaryCtxRetain", 386, &parameters, [&] { return retain(device, context); });
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  return api_call("cuDevicePrimaryCtxRelease_v2", 544, &device, [&] { return release(device); });
}
EXPORT int cuDevicePrimaryCtxRelease(int device) {
  return api_call("cuDevicePrimaryCtxRelease", 387, &device, [&] { return release(device); });
}
EXPORT int cuDevicePrimaryCtxReset_v2(int device) {
  return api_call("cuDevicePrimaryCtxReset_v2", 545, &device, [&] { return reset(device); });
}
EXPORT int cuDevicePrimaryCtxReset(int device) {
  return api_call("cuDevicePrimaryCtxReset", 389, &device, [&] { return reset(device); });
}
EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  struct {
    int device;
    unsigned* flags;
    int* active;
  } parameters = {device, flags, active};
  return api_call("cuDevicePrimaryCtxGetState", 392, &parameters, [&] {
    std::lock_guard held(state().lock);
    *flags = 0;
    *active = static_cast<int>(state().primary.count(device));
    return kSuccess;
  });
}

EXPORT int cuCtxGetCurrent(Context** context) {
  return api_call("cuCtxGetCurrent", 304, &context, [&] {
    if (usable() != kSuccess) return usable();
    std::lock_guard held(state().lock);
    *context = current_context();
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuCtxSetCurrent(Context* context) {
  return api_call("cuCtxSetCurrent", 303, &context, [&] {
    if (usable() != kSuccess) return usable();
    std::lock_guard held(state().lock);
    if (context != nullptr && !state().live.count(context)) return static_cast<int>(kInvalidContext);
    set_current_context(context);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuCtxPushCurrent_v2(Context* context) {
  return api_call("cuCtxPushCurrent_v2", 323, &context, [&] {
    if (context_stack == nullptr) context_stack = new std::vector<Context*>;
    std::lock_guard held(state().lock);
    context_stack->push_back(current_context());
    set_current_context(context);
    return kSuccess;
  });
}
EXPORT int cuCtxPopCurrent_v2(Context** context) {
  return api_call("cuCtxPopCurrent_v2", 324, &context, [&] {
    if (context_stack == nullptr || context_stack->empty()) return kInvalidContext;
    std::lock_guard held(state().lock);
    if (context != nullptr) *context = current_context();
    set_current_context(context_stack->back());
    context_stack->pop_back();
    return kSuccess;
  });
}
EXPORT int cuCtxCreate_v2(Context** context, unsigned flags, int device) {
  struct {
    void* context;
    unsigned flags;
    int device;
  } parameters = {context, flags, device};
  return api_call("cuCtxCreate_v2", 235, &parameters, [&] {
    if (usable() != kSuccess) return usable();
    *context = make_context(device, false);
    set_current_context(*context);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuCtxDestroy_v2(Context* context) {
  return api_call("cuCtxDestroy_v2", 322, &context, [&] {
    if (usable() != kSuccess) return usable();
    destroy_context(context);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuCtxGetDevice(int* device) {
  return api_call("cuCtxGetDevice", 16, &device, [&] {
    std::lock_guard held(state().lock);
    if (current_context() == nullptr) return kInvalidContext;
    *device = current_context()->device;
    return kSuccess;
  });
}

EXPORT int cuGetProcAddress_v2(const char* symbol, void** function, int version, unsigned long long flags,
                               int* status) {
  struct {
    const char* symbol;
    void** function;
    int version;
    unsigned long long flags;
    int* status;
  } parameters = {symbol, function, version, flags, status};
  return api_call("cuGetProcAddress_v2", 677, &parameters, [&] {
    *function = fake::find_function(symbol, (flags & 2) != 0);      // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    if (status != nullptr) *status = *function == nullptr ? 1 : 0;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
    return *function == nullptr ? kNotFound : kSuccess;
  });
}
EXPORT int cuGetErrorString(int, const char** text) {
  *text = "an error of the stand-in driver";
  return kSuccess;
}
EXPORT int cuGetErrorName(int, const char** text) {
  *text = "CUDA_ERROR_OF_THE_STAND_IN";
  return kSuccess;
}
