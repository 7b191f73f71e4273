#include "inject/python/torch_modules.h"

#include <stdlib.h>
#include <string.h>

#include "inject/guard/errno_guard.h"
#include "inject/interpose/loaded_library.h"
#include "inject/library/abandoned_calls.h"
#include "inject/python/module_names.h"
#include "inject/python/python_api.h"
#include "inject/python/tensor_shape.h"
#include "inject/python/torch_streams.h"
#include "inject/ranges/range_stack.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "inject/torch/allocations.h"
#include "inject/torch/operators.h"

namespace xsp::guest {
namespace {

constexpr auto kKindModule = static_cast<uint8_t>(wire::Kind::kTorchModule);
constexpr auto kKindContainer = static_cast<uint8_t>(wire::Kind::kTorchContainer);
constexpr auto kKindRoot = static_cast<uint8_t>(wire::Kind::kTorchRoot);
constexpr auto kKindScript = static_cast<uint8_t>(wire::Kind::kTorchScript);

/// Two hooks called from one Python frame see stack addresses this close; a module called from inside lies further down
/// by several interpreter frames.
constexpr intptr_t kSameFrame = 256;

/// torch::jit::tracer::getTracingState(): a reference to a thread-local shared_ptr, whose first word is null unless the
/// thread is tracing. Found in libtorch; else Python's torch._C._get_tracing_state() is asked, at thirty times the
/// cost.
using TracingState = void* const* (*)();
constinit TracingState native_tracing_state = nullptr;
constinit PyObject* get_tracing_state = nullptr;
constinit uint8_t deepest_level = kLevelLayer;

PyObject* as_object(const void* object) { return static_cast<PyObject*>(const_cast<void*>(object)); }

bool is_tracing() {
  if (native_tracing_state != nullptr) return *native_tracing_state() != nullptr;
  if (get_tracing_state == nullptr) return false;
  const Owned tracing(python.PyObject_CallFunctionObjArgs(get_tracing_state, static_cast<PyObject*>(nullptr)));
  if (!tracing) python.PyErr_Clear();
  return tracing && tracing.get() != python.none;
}

/// Types of the values that stand for tensors while a model is traced or compiled. What is called with them computes
/// nothing.
constexpr int kMostStandIns = 4;
constinit PyObject* stand_ins[kMostStandIns] = {};

/// `first`: the first positional argument, null without one.
bool is_called_with_stand_in(PyObject* first) {
  if (stand_ins[0] == nullptr || first == nullptr) return false;
  const Owned type(python.PyObject_Type(first));
  for (const PyObject* stand_in : stand_ins) {
    if (stand_in == type.get()) return true;
  }
  return false;
}

Thread::Mark* innermost_module(Thread& thread) {
  for (uint32_t slot = thread.depth(); slot > 0; --slot) {
    if (thread.marks[slot - 1].object != nullptr) return &thread.marks[slot - 1];
  }
  return nullptr;
}

/// The exception that the thread is handling, as an address to compare; null outside `except`.
const void* handled_exception() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  python.PyErr_GetExcInfo(&type, &value, &traceback);
  const Owned owned_type(type);
  const Owned owned_value(value);
  const Owned owned_traceback(traceback);
  return value == python.none ? nullptr : value;
}

/// What the call in `slot` has allocated, and if it is a model's, what was live.
void tell_memory(Thread& thread, uint32_t slot, SpanResult* result) {
  tell_allocations(thread, slot, result);
  if (thread.ring->open[slot].kind == kKindRoot) end_memory_of_call(thread, slot);
}

/// Closes the model's own span, or forgets it where model calls are too many to be kept.
void close_root(Thread& thread, uint32_t slot, uint64_t end, const SpanResult& result) {
  if (end_model_call(thread, slot)) {
    close_span(thread, slot, end, kKindRoot, result);
  } else {
    abandon_spans(thread, slot);
  }
}

/// Calls left by an exception never reach their forward hook (PyTorch before 2.1). Their stack frames are gone, which
/// is how they are known: they lie at or below the caller's. They are recorded as failed, ending now.
void close_unwound_calls(Thread& thread, const char* frame, bool same_frame_too) {
  close_abandoned_calls(thread, frame);
  for (uint32_t slot; (slot = slot_below_ranges(thread)) != kNoSlot;) {
    const Thread::Mark& mark = thread.marks[slot];
    if (mark.object == nullptr) return;
    const intptr_t above = static_cast<const char*>(mark.stack_address) - frame;
    if (above > kSameFrame || (!same_frame_too && above >= -kSameFrame)) return;
    const uint8_t opened_as = thread.ring->open[slot].kind;
    SpanResult result;
    result.failed = true;
    close_ranges_above(thread, slot, now());
    tell_memory(thread, slot, &result);
    if (opened_as == kKindRoot) {
      close_root(thread, slot, now(), result);
    } else {
      close_span(thread, slot, now(), mark.has_inner ? kKindContainer : opened_as, result);
    }
  }
}

/// A call that lies wholly below the frame in which the outermost unrecorded one began, and so inside it.
bool is_inside_unrecorded(const Thread& thread, const char* frame) {
  return thread.unrecorded_root.object != nullptr &&
         static_cast<const char*>(thread.unrecorded_root.stack_address) - frame > kSameFrame;
}

/// Outside the recording window only the outermost call is kept in mind: when the window opens inside it, what follows
/// is a part of it and no model of its own.
void pass_module(PyObject* module, const char* frame) {
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  if (thread->depth() != 0) close_unwound_calls(*thread, frame, true);
  if (innermost_module(*thread) == nullptr && !is_inside_unrecorded(*thread, frame)) {
    thread->unrecorded_root = {module, frame};
  }
}

/// Inside a model call that is not sampled only its having parts is noted, for its scope; true: the call goes on.
bool is_inside_muted(Thread& thread, const char* frame) {
  Thread::Mark& mark = thread.marks[thread.model_call.slot];
  if (mark.object != nullptr && static_cast<const char*>(mark.stack_address) - frame <= kSameFrame) {
    // Before PyTorch 2.1 a call that raises ends so.
    close_unwound_calls(thread, frame, true);
    if (!is_muted(thread)) return false;
  }
  if (mark.object != nullptr && !mark.has_inner && thread.own_calls == 0 && !is_tracing()) mark.has_inner = true;
  return true;
}

/// Where nothing is recorded on the thread now: it, if a model call may begin on it all the same.
Thread* unrecorded_thread(PyObject* module, const char* frame, bool* is_inside) {
  if (!is_window_open()) {
    pass_module(module, frame);
    return nullptr;
  }
  if (!is_sampling.load(std::memory_order_relaxed)) return nullptr;
  Thread* muted = known_thread();
  *is_inside = muted != nullptr && is_muted(*muted) && is_inside_muted(*muted, frame);
  return *is_inside ? nullptr : model_call_thread();
}

/// A model call begins: where its kernels are not recorded, its time on the device is taken by events.
void time_on_device(Thread& thread, Recorded recorded) {
  drop_stream_interval(thread.stream_interval);  // of a call that never ended
  thread.stream_interval = 0;
  DeviceStream where{};
  if (recorded == Recorded::kCounted) return;
  const bool has_kernels = is_full(recorded) && are_kernels_recorded();
  if (!has_kernels && current_stream(&where)) thread.stream_interval = prepare_stream_interval(where);
}

/// `tells_failure`: the end will be told whether the call raised, which the exception in hand need not tell.
/// Returns false for a call inside one that is not sampled: its end is of no interest.
bool begin_call(PyObject* module, PyObject* first, const char* frame, bool tells_failure) {
  Thread* thread = recording_thread();
  const ErrnoGuard errno_guard;
  const HookTimer timer(thread != nullptr ? thread : known_thread());
  if (thread == nullptr) {
    bool is_inside = false;
    thread = unrecorded_thread(module, frame, &is_inside);
    if (thread == nullptr) return !is_inside;
  }
  close_unwound_calls(*thread, frame, true);
  Thread::Mark* outer = innermost_module(*thread);
  const bool is_inside = outer != nullptr || is_inside_unrecorded(*thread, frame);
  if (is_inside && deepest_level < kLevelLayer) {
    // That it has parts is what its scope depends on, which is to be the same at every level.
    if (outer != nullptr && !outer->has_inner && thread->own_calls == 0 && !is_tracing()) outer->has_inner = true;
    return true;
  }
  if (is_tracing() || thread->own_calls != 0 || (outer != nullptr && outer->is_whole)) return true;
  if (!is_inside && is_called_with_stand_in(first)) return true;
  PyObject* root = outer != nullptr ? as_object(outer->root)
                   : is_inside      ? as_object(thread->unrecorded_root.object)
                                    : module;
  const uint32_t instance = outer == nullptr ? root_instance(root) : outer->root_instance;
  // Of an unrecorded root the names are not there yet.
  if (is_inside && outer == nullptr) module_info(root, instance, nullptr, root);
  PyObject* around = outer != nullptr ? as_object(outer->object) : is_inside ? root : nullptr;
  const ModuleInfo* info = module_info(root, instance, around, module);
  if (info == nullptr) return true;
  if (outer != nullptr) outer->has_inner = true;
  const void* handled = tells_failure ? nullptr : handled_exception();
  Recorded recorded = Recorded::kInsideOne;
  if (!is_inside) {
    watch_operators_of_model();
    recorded = begin_model_call(*thread);
    time_on_device(*thread, recorded);
    if (is_full(recorded)) begin_memory_of_call(*thread);
  }
  const uint32_t slot = is_inside ? open_span(*thread, kLevelLayer, kKindModule, info->name, info->type, 0)
                                  : open_span(*thread, kLevelModel, kKindRoot, info->name, info->type, 0);
  if (!is_inside) model_call_opened(*thread, slot, recorded);
  if (!is_inside && thread->stream_interval != 0 && !begin_stream_interval(thread->stream_interval)) {
    thread->stream_interval = 0;
  }
  if (slot != kNoSlot)
    thread->marks[slot] = {.object = module,
                           .root = root,
                           .stack_address = frame,
                           .allocated_before = thread->allocated_bytes,
                           .handled = handled,
                           .root_instance = instance,
                           .has_inner = false,
                           .is_whole = info->is_script};
  return true;
}

PyObject* module_begins(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1) return return_none();
  const bool has_first = count > 1 && is_a(arguments[1], python.tuple_type) && python.PyTuple_Size(arguments[1]) > 0;
  begin_call(arguments[0], has_first ? python.PyTuple_GetItem(arguments[1], 0) : nullptr,
             static_cast<const char*>(__builtin_frame_address(0)), false);
  return return_none();
}

uint32_t output_shape(ModuleInfo& info, PyObject* output) {
  Shapes shapes;
  collect_shapes(output, 1, 2, &shapes);
  if (shapes.tensors == 0) return 0;
  const auto rank = static_cast<int>(shapes.sizes[0]);
  const size_t bytes = static_cast<size_t>(rank) * sizeof shapes.sizes[0];
  if (info.output_id == 0 || rank != info.last_rank || memcmp(shapes.sizes + 1, info.last_output, bytes) != 0) {
    info.last_rank = rank;
    memcpy(info.last_output, shapes.sizes + 1, bytes);
    info.output_id = intern_shapes(shapes);
  }
  return info.output_id;
}

/// What a call was given: a hook's tuple and dictionary, or the values themselves.
struct Given {
  PyObject* const* values;
  Py_ssize_t count;
  bool are_unpacked;
};

uint32_t input_shapes(ModuleInfo& info, const Given& given) {
  Shapes shapes;
  for (Py_ssize_t i = 0; i < given.count; ++i) {
    collect_shapes(given.values[i], Shapes::kMaxTensors, given.are_unpacked ? 1 : 2, &shapes);
  }
  if (shapes.tensors == 0) return 0;
  if (info.inputs == nullptr) info.inputs = static_cast<Shapes*>(calloc(1, sizeof(Shapes)));
  if (info.inputs == nullptr) return intern_shapes(shapes);
  if (info.inputs_id == 0 || !(shapes == *info.inputs)) {
    *info.inputs = shapes;
    info.inputs_id = intern_shapes(shapes);
  }
  return info.inputs_id;
}

/// A model without modules inside is its own only layer.
void record_as_layer(Thread& thread, const shm::OpenSpan& span, uint64_t end, const ModuleInfo& info,
                     const SpanResult& result) {
  shm::Record layer{};
  layer.begin = span.begin;
  layer.end = end;
  layer.parent = span.id.load(std::memory_order_relaxed);
  layer.name = info.name;
  layer.type = info.type;
  layer.shape = result.shape;
  layer.bytes = result.bytes;
  layer.flags =
      static_cast<uint8_t>((result.failed ? shm::kFlagFailed : 0) | (result.has_bytes ? shm::kFlagHasBytes : 0));
  layer.level = kLevelLayer;
  layer.kind = info.is_script ? kKindScript : kKindModule;
  record_span(thread, layer);
}

/// `output` is null where the call is known to have raised, and None where it may have.
void end_call(PyObject* module, const char* frame, const Given& given, PyObject* output) {
  const uint64_t end = now();
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  const ErrnoGuard errno_guard;
  const HookTimer timer(thread, end);
  if (thread->unrecorded_root.object == module && !is_inside_unrecorded(*thread, frame)) thread->unrecorded_root = {};
  if (is_muted(*thread) && thread->marks[thread->model_call.slot].object != module) return;
  close_unwound_calls(*thread, frame, false);
  // A hook of the program's that pops the range of its module comes behind this one.
  const uint32_t slot = slot_below_ranges(*thread);
  if (slot == kNoSlot) return;
  const Thread::Mark mark = thread->marks[slot];
  if (mark.object != module || is_tracing()) return;
  // A call of the same module inside it, which is not recorded.
  const bool has_unrecorded = thread->recording_ring == nullptr || !is_window_open();
  if (has_unrecorded && static_cast<const char*>(mark.stack_address) - frame > kSameFrame) return;
  close_ranges_above(*thread, slot, end);
  // What began has an entry, so nothing is searched for here.
  ModuleInfo* info = module_info(as_object(mark.root), mark.root_instance, as_object(mark.object), module);
  if (info == nullptr) {
    abandon_spans(*thread, slot);
    return;
  }
  const bool is_root = thread->ring->open[slot].kind == kKindRoot;
  if (thread->ring->open[slot].type != info->type) thread->ring->open[slot].type = info->type;
  if (is_root && thread->stream_interval != 0) {
    const uint32_t span = thread->ring->open[slot].id.load(std::memory_order_relaxed);
    end_stream_interval(thread->stream_interval, thread->ring_index, span);
    thread->stream_interval = 0;
  }
  SpanResult result;
  tell_memory(*thread, slot, &result);
  if (output != nullptr) result.shape = output_shape(*info, output);
  result.failed =
      output == nullptr || (output == python.none && !given.are_unpacked && handled_exception() != mark.handled);
  if (!is_root) {
    const uint8_t kind = mark.has_inner ? kKindContainer : info->is_script ? kKindScript : kKindModule;
    close_span(*thread, slot, end, kind, result);
    return;
  }
  thread->ring->open[slot].input = input_shapes(*info, given);
  if (!mark.has_inner && deepest_level >= kLevelLayer && thread->recording_ring != nullptr) {
    record_as_layer(*thread, thread->ring->open[slot], end, *info, result);
  }
  if (mark.has_inner || info->is_script) result.scope = instance_scope(*info);
  close_root(*thread, slot, end, result);
}

PyObject* module_ends(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 3) return return_none();
  end_call(arguments[0], static_cast<const char*>(__builtin_frame_address(0)),
           {.values = arguments + 1, .count = count - 2, .are_unpacked = false}, arguments[count - 1]);
  return return_none();
}

/// What torch.nn.Module.__call__ was and what the guest puts in its place, both kept for good.
constinit PyObject* plain_call = nullptr;
constinit PyObject* our_call = nullptr;
constinit PyObject* wrapped_class = nullptr;
constinit bool is_call_wrapped = false;

/// torch.nn.Module.__call__ while nothing has to see through it.
PyObject* call_module(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t given = count + (keywords == nullptr ? 0 : python.PyTuple_Size(keywords));
  constexpr Py_ssize_t kFew = 24;
  PyObject* few[kFew + 1];
  PyObject** all = few;
  if (__builtin_expect(given > kFew, 0)) {
    all = static_cast<PyObject**>(malloc((static_cast<size_t>(given) + 1) * sizeof *all));
    if (all == nullptr) return python.PyErr_NoMemory();
  }
  all[0] = module;
  if (given > 0) memcpy(all + 1, arguments, static_cast<size_t>(given) * sizeof *all);
  const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
  const bool is_recorded = is_call_wrapped && begin_call(module, count > 0 ? arguments[0] : nullptr, frame, true);
  PyObject* output = python.PyObject_Vectorcall(plain_call, all, static_cast<size_t>(count) + 1, keywords);
  if (is_recorded) {
    const Given values{.values = arguments, .count = given, .are_unpacked = true};
    if (__builtin_expect(output != nullptr, 1)) {
      end_call(module, frame, values, output);
    } else {
      const ExceptionKeeper exception;
      end_call(module, frame, values, nullptr);
    }
  }
  if (all != few) free(all);
  return output;
}

PyMethodDef call_method{"__call__", reinterpret_cast<void*>(call_module), kMethodFastCall | kMethodKeywords,
                        "__call__($self, /, *args, **kwargs)\n--\n\n"};

/// wrap_calls(torch.nn.Module): whether its calls are recorded from now on. Not of the class of a PyTorch imported
/// anew: the method is one of the first.
PyObject* wrap_calls(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const bool may_wrap = count == 1 && python.PyObject_Vectorcall != nullptr &&
                        (wrapped_class == nullptr || wrapped_class == arguments[0]);
  if (!may_wrap) return python.PyLong_FromUnsignedLongLong(0);
  if (plain_call == nullptr) plain_call = python.PyObject_GetAttrString(arguments[0], call_method.name);
  if (our_call == nullptr && plain_call != nullptr) our_call = python.PyDescr_NewMethod(arguments[0], &call_method);
  is_call_wrapped = our_call != nullptr && python.PyObject_SetAttrString(arguments[0], call_method.name, our_call) == 0;
  if (is_call_wrapped && wrapped_class == nullptr) {
    python.Py_IncRef(arguments[0]);
    wrapped_class = arguments[0];
  }
  if (!is_call_wrapped) python.PyErr_Clear();
  return python.PyLong_FromUnsignedLongLong(is_call_wrapped ? 1 : 0);
}

/// unwrap_calls(torch.nn.Module): whether calls were recorded until now. A call that the program has put around ours
/// stays.
PyObject* unwrap_calls(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 1 || !is_call_wrapped) return python.PyLong_FromUnsignedLongLong(0);
  is_call_wrapped = false;
  const Owned current(python.PyObject_GetAttrString(arguments[0], call_method.name));
  if (current.get() == our_call) python.PyObject_SetAttrString(arguments[0], call_method.name, plain_call);
  if (python.PyErr_Occurred() != nullptr) python.PyErr_Clear();
  return python.PyLong_FromUnsignedLongLong(1);
}

PyObject* use_torch(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 3) return return_none();
  set_tensor_types(arguments[0], arguments[1]);
  deepest_level = read_settings().deepest_level;
  native_tracing_state = reinterpret_cast<TracingState>(
      symbol_in_loaded_library("libtorch_cpu.so", "_ZN5torch3jit6tracer15getTracingStateEv"));
  if (arguments[2] != python.none) {
    python.Py_IncRef(arguments[2]);
    get_tracing_state = arguments[2];
  }
  return return_none();
}

PyObject* pass_calls_with(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  for (PyObject*& stand_in : stand_ins) {
    if (count != 1 || stand_in == arguments[0]) break;
    if (stand_in != nullptr) continue;
    python.Py_IncRef(arguments[0]);
    stand_in = arguments[0];
    break;
  }
  return return_none();
}

PyObject* use_operators(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 1) watch_python_operators(python.PyObject_IsTrue(arguments[0]) == 1);
  return return_none();
}

PyMethodDef methods[] = {
    {"use_operators", reinterpret_cast<void*>(use_operators), kMethodFastCall, nullptr},
    {"pass_calls_with", reinterpret_cast<void*>(pass_calls_with), kMethodFastCall, nullptr},
    {"use_torch", reinterpret_cast<void*>(use_torch), kMethodFastCall, nullptr},
    {"module_begins", reinterpret_cast<void*>(module_begins), kMethodFastCall, nullptr},
    {"module_ends", reinterpret_cast<void*>(module_ends), kMethodFastCall, nullptr},
    {"wrap_calls", reinterpret_cast<void*>(wrap_calls), kMethodFastCall, nullptr},
    {"unwrap_calls", reinterpret_cast<void*>(unwrap_calls), kMethodFastCall, nullptr},
};

}  // namespace

bool add_torch_functions(PyObject* globals) {
  for (PyMethodDef& definition : methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
