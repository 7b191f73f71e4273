#include "inject/tensorflow/kernel_names.h"

#include <string.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// A string_view: libstdc++'s begins with the size, absl's own with the address.
struct View {
  uintptr_t words[2];

  std::string_view view(bool is_size_first) const {
    return {reinterpret_cast<const char*>(words[is_size_first]), words[!is_size_first]};
  }
};

/// libstdc++'s std::string as a function returns it, since C++11. Before, it is one word, and its size lies in front of
/// the text.
struct CxxString {
  const char* text;
  size_t size;
  char local[16];
};
using TraceString = CxxString* (*)(CxxString* result, const void* kernel, const void* context, bool with_shapes);
struct TraceStringName {
  const char* symbol;
  bool is_size_in_front;
};
/// Since 2.9, and before: the wheels were built with strings of before C++11.
constexpr TraceStringName kTraceStrings[] = {
    {"_ZNK10tensorflow8OpKernel11TraceStringB5cxx11ERKNS_15OpKernelContextEb", false},
    {"_ZNK10tensorflow8OpKernel11TraceStringERKNS_15OpKernelContextEb", true},
    {"_ZN10tensorflow8OpKernel11TraceStringEPNS_15OpKernelContextEb", true},
};

constexpr size_t kSearchedBytes = 512;  // of a kernel, which may be smaller
constexpr size_t kLongestText = 512;
constexpr uint32_t kConfirmations = 8;
constexpr uint32_t kMaxFailures = 64;

/// `const std::string&` of 1.15, as it is returned.
struct TextReference {
  const char* text;
  size_t size;  // not in the strings of before C++11, where it lies in front of the text
};
using TextOf = const TextReference* (*)(const void* kernel);
constexpr size_t kOldSizeAt = 3 * sizeof(size_t);

constinit std::atomic<TraceString> trace_string{nullptr};
constinit std::atomic<TextOf> name_of{nullptr};
constinit std::atomic<TextOf> type_of{nullptr};
constinit std::atomic<bool> is_size_in_front{false};
constinit std::atomic<uint32_t> names_at{0};
constinit std::atomic<bool> is_size_first{true};
constinit std::atomic<uint32_t> confirmations{0};
constinit std::atomic<uint32_t> failures{0};

/// Copies as much of the kernel as can be read, by halves.
size_t copy_kernel(const void* kernel, void* to) {
  for (size_t bytes = kSearchedBytes; bytes >= kSearchedBytes / 4; bytes /= 2) {
    if (copy_safely(kernel, to, bytes)) return bytes;
  }
  return 0;
}

bool holds(std::string_view view, std::string_view expected) {
  char text[kLongestText];
  return view.size() == expected.size() && copy_safely(view.data(), text, expected.size()) &&
         memcmp(text, expected.data(), expected.size()) == 0;
}

/// "name:type", as TraceString makes it. The name may have colons, the type has none.
bool is_name(const KernelName& read, std::string_view told) {
  const size_t colon = told.rfind(':');
  if (colon == std::string_view::npos) return false;
  return holds(read.name, {told.data(), colon}) && holds(read.type, {told.data() + colon + 1, told.size() - colon - 1});
}

void fail() {
  if (failures.fetch_add(1, std::memory_order_relaxed) + 1 != kMaxFailures) return;
  notify(0, "tensorflow", "this TensorFlow keeps the names of kernels elsewhere: there are no layers");
}

/// Looks in the kernel for what TraceString says of it. The few strings are not freed: which allocator made them is not
/// known.
__attribute__((noinline, cold)) bool confirm(const void* kernel, const void* context, KernelName* name) {
  if (failures.load(std::memory_order_relaxed) >= kMaxFailures) return false;
  const ErrnoGuard errno_guard;
  CxxString told{};
  trace_string.load(std::memory_order_relaxed)(&told, kernel, context, false);
  if (is_size_in_front.load(std::memory_order_relaxed)) memcpy(&told.size, told.text - kOldSizeAt, sizeof told.size);
  const std::string_view text(told.text, told.size);
  alignas(View) char copy[kSearchedBytes];
  const size_t bytes = copy_kernel(kernel, copy);
  const uint32_t known = names_at.load(std::memory_order_relaxed);
  for (size_t at = sizeof(void*); at + 2 * sizeof(View) <= bytes && text.size() < kLongestText; at += sizeof(void*)) {
    if (known != 0 && at != known) continue;
    View views[2];
    memcpy(views, copy + at, sizeof views);
    for (const bool size_first : {true, false}) {
      const KernelName read{views[0].view(size_first), views[1].view(size_first)};
      if ((known != 0 && size_first != is_size_first.load(std::memory_order_relaxed)) || !is_name(read, text)) continue;
      is_size_first.store(size_first, std::memory_order_relaxed);
      names_at.store(static_cast<uint32_t>(at), std::memory_order_relaxed);
      confirmations.fetch_add(1, std::memory_order_release);
      *name = read;
      return true;
    }
  }
  fail();
  return false;
}

std::string_view view_of(const TextReference* reference) {
  const bool in_front = is_size_in_front.load(std::memory_order_relaxed);
  size_t size = reference->size;
  if (in_front) memcpy(&size, reference->text - kOldSizeAt, sizeof size);
  return {reference->text, size};
}

/// Whether the string's size, where it lies in strings of that age, is the length of its text.
bool has_size(const TextReference* reference, bool in_front) {
  const char* text = nullptr;
  size_t size = 0;
  char copy[kLongestText];
  const bool is_read = copy_safely(&reference->text, &text, sizeof text) &&
                       (in_front ? copy_safely(text - kOldSizeAt, &size, sizeof size)
                                 : copy_safely(&reference->size, &size, sizeof size));
  return is_read && size < sizeof copy && copy_safely(text, copy, size + 1) && strnlen(copy, size + 1) == size;
}

__attribute__((noinline, cold)) bool confirm_texts(const TextReference* name, const TextReference* type) {
  if (failures.load(std::memory_order_relaxed) >= kMaxFailures) return false;
  const ErrnoGuard errno_guard;
  const bool is_first = confirmations.load(std::memory_order_relaxed) == 0;
  for (const bool in_front : {false, true}) {
    if (!is_first && in_front != is_size_in_front.load(std::memory_order_relaxed)) continue;
    if (!has_size(name, in_front) || !has_size(type, in_front)) continue;
    is_size_in_front.store(in_front, std::memory_order_relaxed);
    confirmations.fetch_add(1, std::memory_order_release);
    return true;
  }
  fail();
  return false;
}

}  // namespace

bool can_name_kernels() {
  for (const TraceStringName& name : kTraceStrings) {
    void* function = symbol_in_loaded_library("libtensorflow_framework.so", name.symbol);
    if (function == nullptr) continue;
    is_size_in_front.store(name.is_size_in_front, std::memory_order_relaxed);
    trace_string.store(reinterpret_cast<TraceString>(function), std::memory_order_relaxed);
    return true;
  }
  // Where strings are those of C++11, the names say so.
  const auto text_of = [](const char* symbol, const char* since_cxx11) {
    void* function = symbol_in_loaded_library("libtensorflow_framework.so", symbol);
    if (function == nullptr) function = symbol_in_loaded_library("libtensorflow_framework.so", since_cxx11);
    return reinterpret_cast<TextOf>(function);
  };
  name_of.store(text_of("_ZNK10tensorflow8OpKernel4nameEv", "_ZNK10tensorflow8OpKernel4nameB5cxx11Ev"),
                std::memory_order_relaxed);
  type_of.store(text_of("_ZNK10tensorflow8OpKernel11type_stringEv", "_ZNK10tensorflow8OpKernel11type_stringB5cxx11Ev"),
                std::memory_order_relaxed);
  return name_of.load(std::memory_order_relaxed) != nullptr && type_of.load(std::memory_order_relaxed) != nullptr;
}

bool read_kernel_name(const void* kernel, const void* context, KernelName* name) {
  if (const TextOf name_function = name_of.load(std::memory_order_relaxed)) {
    const TextReference* texts[] = {name_function(kernel), type_of.load(std::memory_order_relaxed)(kernel)};
    if (confirmations.load(std::memory_order_acquire) < kConfirmations && !confirm_texts(texts[0], texts[1])) {
      return false;
    }
    *name = {view_of(texts[0]), view_of(texts[1])};
    return true;
  }
  if (__builtin_expect(confirmations.load(std::memory_order_acquire) < kConfirmations, 0)) {
    return confirm(kernel, context, name);
  }
  const auto* views =
      reinterpret_cast<const View*>(static_cast<const char*>(kernel) + names_at.load(std::memory_order_relaxed));
  const bool size_first = is_size_first.load(std::memory_order_relaxed);
  *name = {views[0].view(size_first), views[1].view(size_first)};
  return true;
}

bool is_bookkeeping(std::string_view type) {
  // In the order of how often they run.
  constexpr std::string_view kTypes[] = {"ReadVariableOp",
                                         "_Arg",
                                         "Const",
                                         "Identity",
                                         "NoOp",
                                         "_Retval",
                                         "VarHandleOp",
                                         "IdentityN",
                                         "_HostConst",
                                         "Placeholder",
                                         "_DeviceArg",
                                         "_DeviceRetval",
                                         "StopGradient",
                                         "_Send",
                                         "_Recv",
                                         "_HostSend",
                                         "_HostRecv",
                                         "VariableV2",
                                         "Variable",
                                         "VarIsInitializedOp",
                                         "IsVariableInitialized"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

}  // namespace xsp::guest
