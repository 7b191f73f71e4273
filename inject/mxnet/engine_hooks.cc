#include "inject/mxnet/engine_hooks.h"

#include <string.h>

#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/guard/settings.h"
#include "inject/hooks/any_call.h"
#include "inject/mxnet/mxnet_library.h"
#include "inject/mxnet/open_calls.h"
#include "inject/mxnet/operator_names.h"
#include "inject/mxnet/operator_spans.h"
#include "inject/mxnet/pushed_work.h"
#include "inject/objects/writable_slots.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constinit std::atomic<bool> has_layers{false};

/// Whether the hook runs inside another one of the engine: a function that pushes calls another one that does.
bool is_inside_push(const MxnetThread& mine, const void* frame) { return mine.pushing_frame > frame; }

constexpr size_t kLongestWorkName = 128;

struct Push {
  Thread* thread;
  StdFunction function;  // pushed in place of the program's
  const void* outer_frame;
};

void push_ended(void* of) {
  auto& push = *static_cast<Push*>(of);
  push.thread->of<MxnetThread>().pushing_frame = push.outer_frame;
  push.function.destroy();
}

/// What the engine pushes for itself, and what runs operators that have been pushed one by one.
bool is_own_work(const char* name) {
  for (const char* own : {"ImperativeBulk", "DeleteVariable", "WaitForVar", "WaitForAll"}) {
    if (strcmp(name, own) == 0) return true;
  }
  return strncmp(name, "Resource", 8) == 0;  // sets the state of random numbers
}

/// The thread, if what it pushes may be recorded or belongs to a call: one that is not sampled may have a span, too,
/// which lasts as long.
Thread* pushing_thread() {
  if (Thread* thread = mxnet_thread()) return thread;
  Thread* thread = known_thread();
  return thread != nullptr && thread->of<MxnetThread>().call != 0 ? thread : nullptr;
}

/// Pushes what `words.b` is, in a function of ours if it belongs to a model's call or is an operator. `name`: what the
/// engine calls it.
void* push_work(xsp_any_function real, xsp_any_words words, xsp_stack_words stack, const char* name) {
  const void* frame = __builtin_frame_address(0);
  Thread* thread = pushing_thread();
  auto* function = static_cast<StdFunction*>(words.b);
  const auto plain = [&] { return real(words.a, words.b, words.c, words.d, words.e, words.f, stack); };
  if (thread == nullptr || is_inside_push(thread->of<MxnetThread>(), frame)) return plain();
  auto& mine = thread->of<MxnetThread>();
  Push pushing{.thread = thread, .function = {}, .outer_frame = mine.pushing_frame};
  const bool is_own = name != nullptr && is_own_work(name);
  if (!is_own && (mine.call != 0 || has_layers.load(std::memory_order_relaxed))) {
    PushedOperator pushed{};
    if (mine.type != 0) {
      pushed = {.name = mine.name, .type = mine.type, .shape = mine.shape, .bytes = mine.bytes};
    } else if (name != nullptr) {
      pushed.type = intern({name, strnlen(name, kLongestWorkName)});
    }
    if (!has_layers.load(std::memory_order_relaxed)) pushed.type = 0;
    const MxnetCall call = hold_mxnet_call(*thread);
    pushing.function = wrap_work(*function, call, pushed);
    if (pushing.function.manager == nullptr) release_mxnet_call(call, 0);
  }
  if (pushing.function.manager != nullptr) words.b = &pushing.function;
  mine.pushing_frame = frame;
  return xsp_call_any(real, &words, stack, push_ended, &pushing);
}

/// PushSync and PushAsync, whose parameters differ only behind the name.
void* push(xsp_any_function real, const xsp_any_words& words, const xsp_stack_words& stack) {
  return push_work(real, words, stack, reinterpret_cast<const char*>(stack.words[1]));
}

/// Whether this hook runs inside one that pushes: what is kept there is kept for this once.
bool is_inside_any_push() {
  Thread* thread = known_thread();
  return thread != nullptr && is_inside_push(thread->of<MxnetThread>(), __builtin_frame_address(0));
}

/// An executor keeps functions that run its operators, to push them again and again.
void* keep_operator(xsp_any_function real, const xsp_any_words& given, const xsp_stack_words& stack) {
  xsp_any_words words = given;
  if (is_inside_any_push()) return real(words.a, words.b, words.c, words.d, words.e, words.f, stack);
  StdFunction kept = wrap_kept_work(*static_cast<StdFunction*>(words.b));
  if (kept.manager != nullptr) words.b = &kept;
  void* made = real(words.a, words.b, words.c, words.d, words.e, words.f, stack);
  kept.destroy();
  return made;
}

/// Where an engine's operator has its function, in words. Looked for in the first ones that are pushed again.
constexpr uint32_t kUnknownPlace = UINT32_MAX;
constinit std::atomic<uint32_t> function_at{kUnknownPlace};
constinit std::atomic<uint32_t> searches{0};
constexpr uint32_t kOperatorWords = 15;  // of the smallest, so that the next one is not taken for it
constexpr uint32_t kMostSearches = 64;

__attribute__((noinline, cold)) void find_function_in(const uintptr_t* an_operator) {
  const ErrnoGuard errno_guard;
  if (searches.fetch_add(1, std::memory_order_relaxed) >= kMostSearches) return;
  StdFunction copy;
  for (uint32_t at = 0; at < kOperatorWords && copy_safely(an_operator + at, &copy, sizeof copy); ++at) {
    if (is_kept_work(copy)) return function_at.store(at, std::memory_order_relaxed);
  }
}

const StdFunction* kept_function_in(const void* an_operator) {
  const auto* words = static_cast<const uintptr_t*>(an_operator);
  if (__builtin_expect(function_at.load(std::memory_order_relaxed) == kUnknownPlace, 0)) find_function_in(words);
  const uint32_t at = function_at.load(std::memory_order_relaxed);
  const auto* function = reinterpret_cast<const StdFunction*>(words + at);
  return at != kUnknownPlace && is_kept_work(*function) ? function : nullptr;
}

void* push_kept(xsp_any_function real, const xsp_any_words& words, const xsp_stack_words& stack) {
  Thread* thread = is_inside_any_push() ? nullptr : pushing_thread();
  if (thread != nullptr) {
    if (const StdFunction* kept = kept_function_in(words.b)) push_again(*kept, hold_mxnet_call(*thread));
  }
  return real(words.a, words.b, words.c, words.d, words.e, words.f, stack);
}

/// Tells the call's input: the first of its first operator.
template <typename Read>
void tell_input(MxnetCall call, Read&& read) {
  if (!wants_mxnet_input(call)) return;
  Arrays inputs;
  read(&inputs);
  inputs.shapes.keep(1);
  tell_mxnet_input(call, intern_shapes(inputs.shapes));
}

/// An operator is pushed by its name: the hooks of the engine inside take it from the thread.
void* push_operator(xsp_any_function real, const xsp_any_words& words, const xsp_stack_words& stack) {
  Thread* thread = mxnet_thread();
  if (thread == nullptr) return real(words.a, words.b, words.c, words.d, words.e, words.f, stack);
  auto& mine = thread->of<MxnetThread>();
  {
    const ErrnoGuard errno_guard;
    const OperatorName found = name_of_pushed(words.b, words.c);
    mine.type = found.type;
    mine.name = found.name != 0 ? found.name : mine.block;
    Arrays outputs;
    add_arrays(reinterpret_cast<const void*>(stack.words[2]), &outputs);
    mine.shape = intern_shapes(outputs.shapes);
    mine.bytes = outputs.bytes;
    tell_input(mine.call, [&](Arrays* to) { add_arrays(reinterpret_cast<const void*>(stack.words[1]), to); });
  }
  const auto forget = [](void* of) { static_cast<MxnetThread*>(of)->type = 0; };
  return xsp_call_any(real, &words, stack, forget, &mine);
}

struct ExecutorRun {
  OperatorSpan span;
  const void* executor;
  MxnetCall call;
};

void executor_ended(void* of) {
  auto& run = *static_cast<ExecutorRun*>(of);
  const ErrnoGuard errno_guard;
  Arrays outputs;
  if (!run.span.is_open()) return;
  add_executor_arrays(run.executor, Side::kOutputs, &outputs);
  mxnet_operator_ended(run.call, run.span.close(intern_shapes(outputs.shapes), outputs.bytes));
}

/// An executor's operator runs.
void* run_operator(xsp_any_function real, const xsp_any_words& words, const xsp_stack_words& stack) {
  Thread* thread = mxnet_thread();
  if (thread == nullptr) return real(words.a, words.b, words.c, words.d, words.e, words.f, stack);
  const auto& mine = thread->of<MxnetThread>();
  ExecutorRun run{.span = {}, .executor = words.a, .call = mine.running != 0 ? mine.running : mine.call};
  if (run.call == 0) run.call = only_mxnet_call();
  {
    const ErrnoGuard errno_guard;
    const OperatorName found = name_of_executor(words.a);
    tell_input(run.call, [&](Arrays* to) { add_executor_arrays(words.a, Side::kInputs, to); });
    run.span.open(run.call, found.name, found.type);
  }
  return xsp_call_any(real, &words, stack, executor_ended, &run);
}

using Hook = void* (*)(xsp_any_function real, const xsp_any_words& words, const xsp_stack_words& stack);

/// A function that is replaced. By its address in the virtual tables, or, if `in_tables` is false, in the table of the
/// library's calls by all names that begin so.
struct Hooked {
  const char* name;
  Hook hook;
  bool in_tables;
  bool is_layer;  // not needed where only models are recorded
};

#define XSP_WORK "St8functionIFvNS_10RunContextENS0_18CallbackOnCompleteEEE"
#define XSP_SYNC_WORK "St8functionIFvNS_10RunContextEEE"
#define XSP_VARS "RKSt6vectorIPNS0_3VarESaIS"
constexpr Hooked kHooked[] = {
    {"_ZN5mxnet6engine14ThreadedEngine8PushSyncE" XSP_SYNC_WORK "NS_7ContextE" XSP_VARS "9_EESD_NS_10FnPropertyEiPKc",
     push, true, false},
    {"_ZN5mxnet6engine14ThreadedEngine9PushAsyncE" XSP_WORK "NS_7ContextE" XSP_VARS "A_EESE_NS_10FnPropertyEiPKcb",
     push, true, false},
    {"_ZN5mxnet6engine11NaiveEngine9PushAsyncE" XSP_WORK "NS_7ContextE" XSP_VARS "A_EESE_NS_10FnPropertyEiPKcb", push,
     true, false},
    {"_ZN5mxnet6engine14ThreadedEngine11NewOperatorE" XSP_WORK XSP_VARS "9_EESD_NS_10FnPropertyEPKcb", keep_operator,
     true, false},
    {"_ZN5mxnet6engine14ThreadedEngine4PushEPNS0_3OprENS_7ContextEib", push_kept, true, false},
    {"_ZN5mxnet4exec16FComputeExecutor3RunENS_10RunContextEb", run_operator, true, true},
    {"_ZN5mxnet4exec18FComputeExExecutor3RunENS_10RunContextEb", run_operator, true, true},
    {"_ZN5mxnet4exec23StatefulComputeExecutor3RunENS_10RunContextEb", run_operator, true, true},
    {"_ZN5mxnet4exec25StatefulComputeExExecutor3RunENS_10RunContextEb", run_operator, true, true},
    {"_ZN5mxnet10imperative12PushFComputeERKSt8function", push_operator, false, true},
    {"_ZN5mxnet10imperative14PushFComputeExERKSt8function", push_operator, false, true},
    {"_ZN5mxnet10imperative12PushOperatorERKNS_10OpStatePtr", push_operator, false, true},
};
#undef XSP_VARS
#undef XSP_SYNC_WORK
#undef XSP_WORK
constexpr size_t kHooks = std::size(kHooked);
constinit xsp_any_function real_functions[kHooks]{};

template <size_t index>
void* hook(void* a, void* b, void* c, void* d, void* e, void* f, xsp_stack_words stack) {
  return kHooked[index].hook(real_functions[index], {a, b, c, d, e, f}, stack);
}

template <size_t... indices>
constexpr auto hooks_of(std::index_sequence<indices...>) {
  return std::array<xsp_any_function, kHooks>{hook<indices>...};
}
constexpr auto kHookFunctions = hooks_of(std::make_index_sequence<kHooks>());

/// Whether the function's address was found in a virtual table, and replaced.
bool hook_in_tables(const ElfObject& library, size_t index) {
  void* real = find_symbol(library, kHooked[index].name, nullptr);
  if (real == nullptr) return false;
  real_functions[index] = reinterpret_cast<xsp_any_function>(real);
  return replace_function(library, real, reinterpret_cast<const void*>(kHookFunctions[index])) != 0;
}

/// Whether the library calls such a function through its table, and it was replaced.
bool hook_in_calls(const ElfObject& library, size_t index) {
  const char* prefix = kHooked[index].name;
  bool is_replaced = false;
  each_slot(library, [&](const SymbolSlot& slot) {
    if (strncmp(slot.name, prefix, strlen(prefix)) != 0) return;
    void* real = find_symbol(library, slot.name, nullptr);
    if (real == nullptr) return;
    const WritableSlots writable(library, slot.place, sizeof *slot.place);
    if (!writable) return;
    real_functions[index] = reinterpret_cast<xsp_any_function>(real);
    __atomic_store_n(slot.place, reinterpret_cast<uintptr_t>(kHookFunctions[index]), __ATOMIC_RELEASE);
    is_replaced = true;
  });
  return is_replaced;
}

void hook_all() {
#if defined(__x86_64__)
  ElfObject library;
  if (!find_mxnet_object(&library) || mxnet_library() == nullptr) {
    return notify(0, "mxnet", "this MXNet lacks functions of its C API: calls end when they return, without layers");
  }
  const bool wants_layers = read_settings().deepest_level >= kLevelLayer;
  has_layers.store(wants_layers);
  size_t hooked = 0;
  size_t layers = 0;
  for (size_t index = 0; index < kHooks; ++index) {
    if (kHooked[index].is_layer && !wants_layers) continue;
    const bool is_hooked = kHooked[index].in_tables ? hook_in_tables(library, index) : hook_in_calls(library, index);
    (kHooked[index].is_layer ? layers : hooked) += is_hooked ? 1 : 0;
  }
  if (hooked == 0) notify(0, "mxnet", "this build's engine is not known: calls end when they return, without layers");
  if (hooked != 0 && wants_layers && layers == 0) notify(0, "mxnet", "this build runs its operators in another way");
#endif
}

enum class Hooking : uint8_t { kNotBegun, kRunning, kDone };
constinit std::atomic<Hooking> hooking{Hooking::kNotBegun};

}  // namespace

void watch_mxnet() {
  Hooking known = hooking.load(std::memory_order_acquire);
  if (__builtin_expect(known != Hooking::kNotBegun, 1)) return;
  if (!hooking.compare_exchange_strong(known, Hooking::kRunning)) return;
  const ErrnoGuard errno_guard;
  hook_all();
  hooking.store(Hooking::kDone, std::memory_order_release);
}

}  // namespace xsp::guest
