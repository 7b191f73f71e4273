#include "inject/tensorflow/kernel_slots.h"

#include <string.h>

#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "inject/guard/errno_guard.h"
#include "inject/objects/writable_slots.h"
#include "inject/record/process.h"
#include "inject/tensorflow/allocated_bytes.h"
#include "inject/tensorflow/async_kernels.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/kernel_spans.h"
#include "inject/tensorflow/step_functions.h"
#include "inject/tensorflow/tensorflow_objects.h"

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

/// How many words of all libraries had the function. Several libraries may define it: all of their tables hold the
/// address of one of them.
template <typename Function>
size_t hook_function(const TensorflowObjects& libraries, const char* name, Function hook, Function* real_function) {
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

void hook_kernels(const TensorflowObjects& libraries) {
  if (!can_name_kernels()) {
    return notify(0, "tensorflow",
                  "this version does not name its kernels: its calls have no layers (those of 1.15 and 2.13 have)");
  }
  size_t replaced = 0;
  for (size_t index = 0; index < kComputes; ++index) {
    replaced += hook_function(libraries, kComputeNames[index], kComputeHooks[index], &real_computes[index]);
  }
  for (size_t index = 0; index < kAsyncs; ++index) {
    hook_function(libraries, kAsyncNames[index], kAsyncHooks[index], &real_asyncs[index]);
  }
  if (replaced == 0) notify(0, "tensorflow", "this build runs its kernels in another way: its calls have no layers");
}

/// Whether it may be a function that is called through a slot and replaced there. There are hundreds of thousands.
bool may_be_replaced(const char* name) {
  constexpr const char* kClasses[] = {"_ZNK10tensorflow29ProcessFunctionLibraryRuntime",
                                      "_ZN10tensorflow13DirectSession", "_ZN10tensorflow15OpKernelContext"};
  for (const char* of : kClasses) {
    if (strncmp(name, of, strlen(of)) == 0) return true;
  }
  return false;
}

void hook_slots(const TensorflowObjects& libraries, bool with_kernels) {
  for (size_t i = 0; i < libraries.count; ++i) {
    const ElfObject& object = libraries.objects[i];
    each_slot(object, [&](const SymbolSlot& slot) {
      if (!may_be_replaced(slot.name)) return;
      hook_step(libraries, object, slot);
      if (with_kernels) hook_allocation(libraries, object, slot);
    });
  }
}

enum class Hooking : uint8_t { kNotBegun, kRunning, kDone };
constinit std::atomic<Hooking> hooking{Hooking::kNotBegun};

}  // namespace

void watch_kernels() {
  Hooking known = hooking.load(std::memory_order_acquire);
  if (__builtin_expect(known != Hooking::kNotBegun, 1)) return;
  if (!hooking.compare_exchange_strong(known, Hooking::kRunning)) return;
  const ErrnoGuard errno_guard;
  const TensorflowObjects libraries = find_tensorflow_objects();
  const bool with_kernels = read_settings().deepest_level >= kLevelLayer;
  hook_slots(libraries, with_kernels);
  if (with_kernels) hook_kernels(libraries);
  hooking.store(Hooking::kDone, std::memory_order_release);
}

}  // namespace xsp::guest
