#include "inject/tensorflow/kernel_slots.h"

#include <string.h>

#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "inject/guard/errno_guard.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/writable_slots.h"
#include "inject/record/process.h"
#include "inject/tensorflow/allocated_bytes.h"
#include "inject/tensorflow/async_kernels.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/kernel_spans.h"
#include "inject/tensorflow/open_calls.h"

namespace xsp::guest {
namespace {

/// The devices' implementations: of the CPU, of those that add nothing to Device's own, of GPUs, of plug-ins.
constexpr const char* kComputeNames[] = {
    "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow6Device7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow13BaseGPUDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow15PluggableDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
    "_ZN10tensorflow19NextPluggableDevice7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE",
};
constexpr size_t kComputes = std::size(kComputeNames);
constinit Compute real_computes[kComputes]{};

template <size_t index>
void compute(void* device, void* kernel, void* context) {
  run_kernel(real_computes[index], device, kernel, context);
}

template <size_t... indices>
constexpr auto hooks_of(std::index_sequence<indices...>) {
  return std::array<Compute, kComputes>{compute<indices>...};
}
constexpr auto kComputeHooks = hooks_of(std::make_index_sequence<kComputes>());

constexpr const char* kAsyncNames[] = {
    "_ZN10tensorflow16ThreadPoolDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextESt8functionIFvvEE",
    "_ZN10tensorflow6Device12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextESt8functionIFvvEE",
    "_ZN10tensorflow13BaseGPUDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextESt8functionIFvvEE",
    "_ZN10tensorflow15PluggableDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextESt8functionIFvvEE",
    "_ZN10tensorflow19NextPluggableDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_15OpKernelContextESt8functionIFvvEE",
};
constexpr size_t kAsyncs = std::size(kAsyncNames);
constinit ComputeAsync real_asyncs[kAsyncs]{};

template <size_t index>
void compute_async(void* device, void* kernel, void* context, void* done) {
  run_async_kernel(real_asyncs[index], device, kernel, context, done);
}

template <size_t... indices>
constexpr auto asyncs_of(std::index_sequence<indices...>) {
  return std::array<ComputeAsync, kAsyncs>{compute_async<indices>...};
}
constexpr auto kAsyncHooks = asyncs_of(std::make_index_sequence<kAsyncs>());

/// Functions that begin a step: all are called with up to nine words and return at most one, and the step is a
/// parameter, or the first member of one. absl's version is part of the names' ends.
using Begin = void* (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*);
struct StepFunction {
  const char* prefix;
  int parameter;
  bool is_value;
};
constexpr StepFunction kStepFunctions[] = {
    {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncERKNS_22FunctionLibraryRuntime7OptionsEmN", 2, false},
    {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncERKNS_22FunctionLibraryRuntime7OptionsEmP", 2, false},
    {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime3RunERKNS_22FunctionLibraryRuntime7OptionsEmN", 1, false},
    {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime3RunERKNS_22FunctionLibraryRuntime7OptionsEmP", 1, false},
    {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime3RunERKNS_22FunctionLibraryRuntime7OptionsEmR", 1, false},
    {"_ZN10tensorflow13DirectSession11RunInternalEl", 2, true},
};
constexpr size_t kSteps = std::size(kStepFunctions);
constinit Begin real_begins[kSteps]{};

template <size_t index>
void* begin(void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i) {
  constexpr StepFunction kFunction = kStepFunctions[index];
  if (Thread* thread = known_thread(); thread != nullptr && thread->of<TensorflowThread>().call != 0) {
    void* const told = kFunction.parameter == 1 ? b : c;
    begin_step(*thread, kFunction.is_value ? reinterpret_cast<int64_t>(told) : *static_cast<const int64_t*>(told));
  }
  return real_begins[index](a, b, c, d, e, f, g, h, i);
}

template <size_t... indices>
constexpr auto begins_of(std::index_sequence<indices...>) {
  return std::array<Begin, kSteps>{begin<indices>...};
}
constexpr auto kBeginHooks = begins_of(std::make_index_sequence<kSteps>());

bool is_tensorflow(const ElfObject& object) {
  const char* name = object.file_name();
  return strncmp(name, "libtensorflow", 13) == 0 || strncmp(name, "_pywrap_tensorflow_internal", 27) == 0;
}

/// Up to this many libraries of TensorFlow are looked at.
constexpr size_t kMaxLibraries = 8;
struct Libraries {
  ElfObject objects[kMaxLibraries];
  size_t count = 0;
};

Libraries find_libraries() {
  Libraries found;
  each_object([&](const ElfObject& object) {
    if (is_tensorflow(object) && found.count < kMaxLibraries) found.objects[found.count++] = object;
    return false;
  });
  return found;
}

/// How many words of all libraries had the function. Several libraries may define it: all of their tables hold the
/// address of one of them.
template <typename Function>
size_t hook_function(const Libraries& libraries, const char* name, Function hook, Function* real_function) {
  for (size_t definer = 0; definer < libraries.count; ++definer) {
    void* real = find_symbol(libraries.objects[definer], name, nullptr);
    if (real == nullptr) continue;
    *real_function = reinterpret_cast<Function>(real);
    size_t replaced = 0;
    for (size_t i = 0; i < libraries.count; ++i) {
      replaced += replace_function(libraries.objects[i], real, reinterpret_cast<const void*>(hook));
    }
    if (replaced != 0) return replaced;
  }
  return 0;
}

/// Replaces what calls from library to library, and within one, go through.
void hook_steps(const Libraries& libraries) {
  for (size_t i = 0; i < libraries.count; ++i) {
    const ElfObject& object = libraries.objects[i];
    each_slot(object, [&](const SymbolSlot& slot) {
      if (strncmp(slot.name, "_ZN", 3) != 0) return;
      for (size_t index = 0; index < kSteps; ++index) {
        const char* prefix = kStepFunctions[index].prefix;
        if (strncmp(slot.name, prefix, strlen(prefix)) != 0) continue;
        void* real = nullptr;
        for (size_t definer = 0; definer < libraries.count && real == nullptr; ++definer) {
          real = find_symbol(libraries.objects[definer], slot.name, nullptr);
        }
        const auto begin = reinterpret_cast<Begin>(real);
        if (begin == nullptr || (real_begins[index] != nullptr && real_begins[index] != begin)) return;
        const WritableSlots writable(object, slot.place, sizeof *slot.place);
        if (!writable) return;
        real_begins[index] = begin;
        __atomic_store_n(slot.place, reinterpret_cast<uintptr_t>(kBeginHooks[index]), __ATOMIC_RELEASE);
      }
    });
  }
}

void hook_all() {
  if (!can_name_kernels()) {
    return notify(0, "tensorflow",
                  "this version does not name its kernels: its calls have no layers (those of 2.13 have)");
  }
  const Libraries libraries = find_libraries();
  hook_steps(libraries);
  for (size_t i = 0; i < libraries.count; ++i) hook_allocations(libraries.objects[i]);
  size_t replaced = 0;
  for (size_t index = 0; index < kComputes; ++index) {
    replaced += hook_function(libraries, kComputeNames[index], kComputeHooks[index], &real_computes[index]);
  }
  for (size_t index = 0; index < kAsyncs; ++index) {
    hook_function(libraries, kAsyncNames[index], kAsyncHooks[index], &real_asyncs[index]);
  }
  if (replaced == 0) notify(0, "tensorflow", "this build runs its kernels in another way: its calls have no layers");
}

enum class Hooking : uint8_t { kNotBegun, kRunning, kDone };
constinit std::atomic<Hooking> hooking{Hooking::kNotBegun};

}  // namespace

void watch_kernels() {
  Hooking known = hooking.load(std::memory_order_acquire);
  if (__builtin_expect(known != Hooking::kNotBegun, 1)) return;
  if (!hooking.compare_exchange_strong(known, Hooking::kRunning)) return;
  const ErrnoGuard errno_guard;
  if (read_settings().deepest_level >= kLevelLayer) hook_all();
  hooking.store(Hooking::kDone, std::memory_order_release);
}

}  // namespace xsp::guest
