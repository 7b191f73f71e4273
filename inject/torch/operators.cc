#include "inject/torch/operators.h"

#include <string.h>

#include <initializer_list>
#include <string_view>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "inject/torch/allocations.h"
#include "inject/torch/forward_spans.h"
#include "inject/torch/function_layout.h"
#include "inject/torch/open_operators.h"
#include "inject/torch/operator_names.h"
#include "inject/torch/operator_shapes.h"
#include "inject/torch/torch_library.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

using torch_abi::NoContext;
using torch_abi::RecordFunction;

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);
constexpr auto kKindConstruction = static_cast<uint8_t>(wire::Kind::kTorchConstruction);

constinit TorchLibrary torch{};
constinit std::atomic<uint8_t> deepest_level{kLevelDevice};

enum class Import : uint8_t { kNone, kRunning, kComplete, kOfWorker };
constinit std::atomic<Import> python_import{Import::kNone};
constinit std::atomic<bool> is_watching{false};

/// State of the process that registered the callbacks; a forked child finds zeros.
struct Registrar {
  std::atomic<bool> may_wake;
};
constinit ForkWiped<Registrar> registrar;

/// For a thread that has not recorded before. A guest that is asleep is woken only by operators of a process that may
/// run models.
__attribute__((noinline, cold)) Thread* new_operator_thread() {
  const State now_in = state.load(std::memory_order_relaxed);
  if (now_in == State::kOff || now_in == State::kPaused) return nullptr;
  if (awake_process() == nullptr) {
    const Registrar* known = registrar.get();
    if (known == nullptr || !known->may_wake.load(std::memory_order_relaxed)) return nullptr;
  }
  return attach_thread();
}

inline Thread* operator_thread() {
  Thread* thread = this_thread;
  const bool is_known =
      state.load(std::memory_order_relaxed) == State::kOn && thread != nullptr && thread->recording_ring != nullptr;
  return __builtin_expect(is_known, 1) ? thread : new_operator_thread();
}

/// What a module's constructor calls is no model, nor is what runs inside.
bool is_in_model(const Thread& thread) {
  for (uint32_t slot = thread.depth(); slot-- > 0;) {
    const shm::OpenSpan& span = thread.ring->open[slot];
    if (span.level == kLevelModel || span.kind == kKindConstruction) return true;
  }
  return false;
}

/// Whether an operator is open around. Operators inside operators get no shapes: there are many of them, and no table
/// shows them.
bool is_in_operator(Thread& thread) {
  drop_closed_slots(thread);
  const uint32_t depth = thread.depth();
  return depth != 0 && thread.ring->open[depth - 1].kind == kKindOperator;
}

/// The function's name; never null, whatever a later version returns.
const char* name_of(const RecordFunction& function) {
  const char* name = torch.name(&function);
  return __builtin_expect(name != nullptr, 1) ? name : "";
}

/// The engine's own RecordFunction around a node's is known by its name alone. Its span is marked at its begin, while
/// it is known to be alive.
constexpr uint64_t kIsEngine = 1;  // a value of `forward`, whose upper half is never 0 otherwise

bool is_engine(const char* name) {
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function";
  return name[0] == 'a' && name[1] == 'u' && strncmp(name, kEngine.data(), kEngine.size()) == 0;
}

NoContext function_begins(const RecordFunction& function) {
  Thread* thread = operator_thread();
  if (thread == nullptr) return {};
  const HookTimer timer(thread);
  forget_unended(*thread, &function);
  const char* text = name_of(function);
  const uint32_t name = operator_name(text);
  const uint32_t input = is_in_operator(*thread) ? 0 : shapes_of(inputs_of(torch, function));
  const int64_t sequence = forward_sequence(torch, function);
  const uint32_t slot = open_operator(*thread, kLevelApplication, kKindOperator, name, input, &function);
  if (slot == kNoSlot) return {};
  if (__builtin_expect(is_engine(text), 0)) thread->marks[slot].forward = kIsEngine;
  if (sequence >= 0) {
    if (uint64_t& number = thread->of<TorchThread>().number; number == 0) number = torch.current_thread();
    keep_forward_span(*thread, sequence, thread->ring->open[slot].id.load(std::memory_order_relaxed));
  }
  return {};
}

/// Where RecordFunctions hold the number of their forward thread. Settled by the first place that leads to a forward
/// span.
constinit std::atomic<uint32_t> forward_thread_place{kForwardThreadPlaces};

ForwardSpan forward_of(const RecordFunction& function, int64_t sequence) {
  const uint32_t known = forward_thread_place.load(std::memory_order_relaxed);
  if (known != kForwardThreadPlaces) return forward_span(forward_thread_at(function, known), sequence);
  for (uint32_t place = 0; place < kForwardThreadPlaces; ++place) {
    const ForwardSpan found = forward_span(forward_thread_at(function, place), sequence);
    if (found.id == 0) continue;
    forward_thread_place.store(place, std::memory_order_relaxed);
    return found;
  }
  return {};
}

void link_engine(Thread& thread, uint32_t slot, uint64_t forward) {
  if (slot == 0 || thread.ring->open[slot - 1].kind != kKindOperator) return;
  Thread::Mark& around = thread.marks[slot - 1];
  if (around.forward == kIsEngine) around.forward = forward;
}

/// The root of the graph has a sequence number, too, but no operator, hence the comparison.
NoContext backward_begins(const RecordFunction& function) {
  Thread* thread = operator_thread();
  if (thread == nullptr) return {};
  const HookTimer timer(thread);
  forget_unended(*thread, &function);
  const char* name = name_of(function);
  const int64_t sequence = backward_sequence(function);
  const bool has_forward = sequence >= 0 && strcmp(name, "torch::autograd::GraphRoot") != 0;
  const ForwardSpan forward = has_forward ? forward_of(function, sequence) : ForwardSpan{};
  const uint32_t slot = open_operator(*thread, kLevelApplication, kKindOperator, operator_name(name), 0, &function);
  if (slot == kNoSlot) return {};
  if (forward.id != 0) {
    const uint64_t packed = uint64_t{forward.ring} << 32 | forward.id;
    thread->marks[slot].forward = packed;
    link_engine(*thread, slot, packed);
  }
  return {};
}

/// Whether this is the interpreter's own RecordFunction for a method that runs as a model already.
bool is_same_call(const Thread& thread, uint32_t name) {
  const uint32_t depth = thread.depth();
  if (depth == 0 || thread.object_of(depth - 1) != nullptr) return false;
  const shm::OpenSpan& around = thread.ring->open[depth - 1];
  return around.kind == kKindRoot && around.name == name;
}

NoContext script_begins(const RecordFunction& function) {
  Thread* thread = operator_thread();
  if (thread == nullptr && is_sampling.load(std::memory_order_relaxed)) thread = model_call_thread();
  if (thread == nullptr) return {};
  const char* text = name_of(function);
  // "defaults" yields default arguments while a program is compiled: it is no model.
  const bool is_model =
      thread->of<TorchThread>().own_calls == 0 && !is_in_model(*thread) && strcmp(text, "defaults") != 0;
  if (!is_model && deepest_level.load(std::memory_order_relaxed) < kLevelLayer) return {};
  const uint32_t name = operator_name(text);
  if (!is_model && is_same_call(*thread, name)) return {};
  const uint32_t input = shapes_of(inputs_of(torch, function));
  if (!is_model) {
    open_operator(*thread, kLevelApplication, kKindOperator, name, input, &function);
    return {};
  }
  const Recorded recorded = begin_model_call(*thread);
  if (is_full(recorded)) begin_memory_of_call(*thread);
  model_call_opened(*thread, open_operator(*thread, kLevelModel, kKindRoot, name, input, &function), recorded);
  return {};
}

NoContext annotation_begins(const RecordFunction& function) {
  if (Thread* thread = operator_thread()) {
    const uint32_t name = operator_name(name_of(function));
    open_annotation(*thread, name, &function, torch.is_async(&function));
  }
  return {};
}

bool has_shapes(const Thread& thread, uint32_t slot) {
  return slot == 0 || thread.ring->open[slot - 1].kind != kKindOperator;
}

void operator_ends(const RecordFunction& function, void*) {
  const uint64_t end = now();
  Thread* thread = known_thread();
  if (thread == nullptr) return;
  const HookTimer timer(thread, end);
  const uint32_t slot = slot_of_operator(*thread, &function);
  if (slot == kNoSlot) return;
  SpanResult result;
  if (has_shapes(*thread, slot)) result.shape = shapes_of(outputs_of(torch, function));
  if (const uint64_t forward = thread->marks[slot].forward; forward > kIsEngine) {
    result.has_forward = true;
    // Two fields that an operator does not need carry the reference (shm::kFlagForward).
    result.scope = static_cast<uint32_t>(forward >> 32);
    result.correlation = static_cast<uint32_t>(forward);
  }
  close_operator(*thread, slot, end, result);
}

void annotation_ends(const RecordFunction& function, void*) {
  const uint64_t end = now();
  if (Thread* thread = known_thread()) close_annotation(*thread, &function, end);
}

enum class NeededValues : uint8_t { kNone, kInputs, kInputsAndOutputs };

uint64_t add_callback(torch_abi::StartCallback start, torch_abi::EndCallback end, NeededValues values,
                      std::initializer_list<uint32_t> scopes) {
  torch_abi::Callback callback{};
  callback.start = start;
  callback.end = end;
  callback.sampling_probability = 1;
  callback.needs_inputs = values != NeededValues::kNone;
  callback.needs_outputs = values == NeededValues::kInputsAndOutputs;
  for (const uint32_t scope : scopes) callback.scopes[scope] = true;
  return torch.add_global_callback(callback);
}

/// Callbacks that are of no use while hooks are paused: outside the recording window, and inside model calls that are
/// not sampled. They cost even then, as PyTorch boxes the inputs of every operator for them. PyTorch calls a disabled
/// callback only for the ends of what it has begun.
constexpr size_t kSwitchedCallbacks = 3;
constinit uint64_t switched_callbacks[kSwitchedCallbacks] = {};
struct CallbackSwitch {
  SpinLock<LockOrder::kOperatorCallbacks> lock;
  std::atomic<bool> is_known;  // false in a forked child, whose callbacks are as the parent's were
  bool is_on;
};
constinit ForkWiped<CallbackSwitch> callback_switch;

void follow_hooks() {
  CallbackSwitch* known = callback_switch.make();
  if (known == nullptr) return;
  const LockGuard lock(known->lock);
  // Asked under the lock, not passed in: listeners of two threads may come here in the other order than hooks changed.
  const bool is_on = are_hooks_running();
  if (known->is_known.load(std::memory_order_relaxed) && known->is_on == is_on) return;
  known->is_on = is_on;
  known->is_known.store(true, std::memory_order_relaxed);
  for (const uint64_t handle : switched_callbacks) (is_on ? torch.enable_callback : torch.disable_callback)(handle);
}

void register_callbacks() {
  if (is_watching.load(std::memory_order_relaxed) || state.load(std::memory_order_relaxed) == State::kOff) return;
  const Settings settings = read_settings();
  if (!wanted(settings) || is_watching.exchange(true)) return;
  const ErrnoGuard errno_guard;
  // `is_watching` stays set: this libtorch will not have the functions later either.
  if (!find_torch_library(&torch)) {
    notify(1, "torch", "this libtorch hides what operators are recorded by: there are layers of modules only");
    return;
  }
  if (Registrar* made = registrar.make()) made->may_wake.store(true, std::memory_order_relaxed);
  deepest_level.store(settings.deepest_level, std::memory_order_relaxed);
  add_callback(script_begins, operator_ends, NeededValues::kInputs,
               {torch_abi::kTorchScriptFunction, torch_abi::kLiteInterpreter, torch_abi::kStaticRuntimeModel});
  if (settings.deepest_level < kLevelLayer) return;
  switched_callbacks[0] = add_callback(function_begins, operator_ends, NeededValues::kInputsAndOutputs,
                                       {torch_abi::kFunction, torch_abi::kStaticRuntimeOperator});
  switched_callbacks[1] =
      add_callback(backward_begins, operator_ends, NeededValues::kNone, {torch_abi::kBackwardFunction});
  switched_callbacks[2] =
      add_callback(annotation_begins, annotation_ends, NeededValues::kNone, {torch_abi::kUserScope});
  if (!find_callback_switches(&torch)) return;
  set_window_listener(WindowListener::kOperators, follow_hooks);
  follow_hooks();
}

}  // namespace

void watch_operators() {
  if (python_import.load(std::memory_order_relaxed) == Import::kNone) register_callbacks();
}

void expect_python_torch() {
  Import none = Import::kNone;
  python_import.compare_exchange_strong(none, Import::kRunning);
}

void watch_python_operators(bool is_worker) {
  python_import.store(is_worker ? Import::kOfWorker : Import::kComplete, std::memory_order_relaxed);
  if (!is_worker) register_callbacks();
}

void watch_operators_of_model() {
  const CallbackSwitch* known = callback_switch.get();
  if (__builtin_expect(known != nullptr && !known->is_known.load(std::memory_order_relaxed), 0)) follow_hooks();
  Import of_worker = Import::kOfWorker;
  if (python_import.load(std::memory_order_relaxed) != of_worker) return;
  if (python_import.compare_exchange_strong(of_worker, Import::kComplete)) register_callbacks();
}

}  // namespace xsp::guest
