#include "inject/python/module_spans.h"

#include "inject/concurrency/thread_settings.h"
#include "inject/guard/errno_guard.h"
#include "inject/python/open_modules.h"
#include "inject/python/torch_streams.h"
#include "inject/python/torch_tracing.h"
#include "inject/python/unevaluated_calls.h"
#include "inject/ranges/range_stack.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "inject/torch/allocations.h"
#include "inject/torch/operators.h"

namespace xsp::guest {
namespace {

constinit uint8_t deepest_level = kLevelLayer;

PyObject* as_object(const void* object) { return static_cast<PyObject*>(const_cast<void*>(object)); }

/// The exception that the thread is handling, as an address for comparison; null outside `except`.
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

/// Outside the recording window only the outermost call is remembered: if the window opens inside it, the calls that
/// follow are parts of it and no models of their own. Returns whether it is this one, whose end must be reported.
bool pass_module(PyObject* module, const char* frame) {
  Thread* thread = ending_thread();
  if (thread == nullptr) return false;
  if (thread->depth() != 0) close_unwound_calls(*thread, frame, true);
  if (innermost_module(*thread) != nullptr || is_inside_unrecorded(*thread, frame)) return false;
  thread->of<PythonThread>().unrecorded_root = {module, frame};
  return true;
}

/// Inside a model call that is not sampled we note only that it has parts, which its scope depends on. Returns whether
/// that call is still running.
bool is_inside_muted(Thread& thread, const char* frame) {
  Thread::Mark& mark = thread.marks[thread.model_call.slot];
  const auto is_module = [&] { return thread.object_of(thread.model_call.slot) != nullptr; };
  if (is_module() && static_cast<const char*>(mark.stack_address) - frame <= kSameFrame) {
    // Before PyTorch 2.1 this is how we learn that a call has raised.
    close_unwound_calls(thread, frame, true);
    if (!is_muted(thread)) return false;
  }
  if (is_module() && !mark.has_inner && thread.of<TorchThread>().own_calls == 0 && !is_tracing()) mark.has_inner = true;
  return true;
}

/// For a thread on which nothing is recorded now: returns it if a model call may begin on it all the same, else null.
Thread* unrecorded_thread(PyObject* module, const char* frame, bool* is_inside) {
  if (!is_window_open()) {
    *is_inside = !pass_module(module, frame);
    return nullptr;
  }
  if (!is_sampling.load(std::memory_order_relaxed)) return nullptr;
  Thread* muted = known_thread();
  *is_inside = muted != nullptr && is_muted(*muted) && is_inside_muted(*muted, frame);
  return *is_inside ? nullptr : model_call_thread();
}

/// A model call begins: if its kernels are not recorded, its time on the device is measured with events.
void time_on_device(Thread& thread, Recorded recorded) {
  drop_stream_interval(thread.of<PythonThread>().stream_interval);  // of a call that never ended
  thread.of<PythonThread>().stream_interval = 0;
  DeviceStream where{};
  if (recorded == Recorded::kCounted) return;
  const bool has_kernels = is_full(recorded) && are_kernels_recorded();
  if (!has_kernels && current_stream(&where))
    thread.of<PythonThread>().stream_interval = prepare_stream_interval(where);
}

/// Records a model that has no modules inside as its own single layer.
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

/// What of it takes time lies outside the span, which begins anew where a number was set.
void begin_threads(Thread& thread, uint32_t slot, bool is_model, ModuleInfo& info) {
  if (is_model) {
    begin_call_threads(thread, slot, info.instance);
  } else {
    begin_layer_threads(thread, slot, info.threads, info.type);
  }
}

void end_threads(Thread& thread, uint32_t slot, uint64_t end, ModuleInfo& info, bool failed) {
  if (thread.ring->open[slot].kind == kKindRoot) {
    end_call_threads(thread, slot, end, failed);
  } else {
    end_layer_threads(thread, slot, info.threads, end, !thread.marks[slot].has_inner);
  }
}

}  // namespace

void set_deepest_level(uint8_t level) { deepest_level = level; }

bool begin_module_call(PyObject* module, PyObject* first, const char* frame, bool tells_failure) {
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
    // A model's scope depends on whether it has parts, and must be the same at every level.
    if (outer != nullptr && !outer->has_inner && thread->of<TorchThread>().own_calls == 0 && !is_tracing())
      outer->has_inner = true;
    return false;
  }
  if (is_tracing() || thread->of<TorchThread>().own_calls != 0 || (outer != nullptr && outer->is_whole)) return true;
  if (!is_inside && is_called_with_stand_in(first)) return true;
  PyObject* root = outer != nullptr ? as_object(outer->root)
                   : is_inside      ? as_object(thread->of<PythonThread>().unrecorded_root.object)
                                    : module;
  RootCall call{.instance = outer == nullptr ? 0 : outer->root_instance, .is_construction = false};
  if (!is_inside) {
    call = begin_root_call(root);
    // Between sampled calls nothing is recorded but what may be one.
    if (call.is_construction && thread->recording_ring == nullptr) return true;
  } else if (outer == nullptr) {
    call.instance = root_instance(root);
  }
  const uint32_t instance = call.instance;
  // The names below a root that was not recorded are not known yet.
  if (is_inside && outer == nullptr) module_info(root, instance, nullptr, root);
  PyObject* around = outer != nullptr ? as_object(outer->object) : is_inside ? root : nullptr;
  ModuleInfo* info = module_info(root, instance, around, module);
  if (info == nullptr) return true;
  if (outer != nullptr) outer->has_inner = true;
  // Where only the hook sees the end: if another exception is handled then, the call has raised.
  const void* handled = tells_failure ? nullptr : handled_exception();
  Recorded recorded = Recorded::kInsideOne;
  const bool is_model = !is_inside && !call.is_construction;
  if (is_model) {
    watch_operators_of_model();
    recorded = begin_model_call(*thread);
    // Prepared before the span begins, as creating events may take long; recorded right after it has begun.
    time_on_device(*thread, recorded);
    if (is_full(recorded)) begin_memory_of_call(*thread);
  }
  const uint8_t level = is_model ? kLevelModel : is_inside ? kLevelLayer : kLevelApplication;
  const uint8_t kind = is_model ? kKindRoot : is_inside ? kKindModule : kKindConstruction;
  const uint32_t slot = open_span(*thread, level, kind, info->name, info->type, 0);
  if (is_model) model_call_opened(*thread, slot, recorded);
  if (is_model && thread->of<PythonThread>().stream_interval != 0 &&
      !begin_stream_interval(thread->of<PythonThread>().stream_interval)) {
    thread->of<PythonThread>().stream_interval = 0;
  }
  if (slot != kNoSlot)
    thread->marks[slot] = {.object = module,
                           .root = root,
                           .stack_address = frame,
                           .allocated_before = thread->of<TorchThread>().allocated_bytes,
                           .handled = handled,
                           .root_instance = instance,
                           .span = thread->ring->open[slot].id.load(std::memory_order_relaxed),
                           .has_inner = false,
                           .is_whole = info->is_script};
  if (__builtin_expect(are_threads_told, 0)) begin_threads(*thread, slot, is_model, *info);
  return true;
}

void end_module_call(PyObject* module, const char* frame, const Given& given, PyObject* output) {
  const uint64_t end = now();
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  const ErrnoGuard errno_guard;
  const HookTimer timer(thread, end);
  if (thread->of<PythonThread>().unrecorded_root.object == module && !is_inside_unrecorded(*thread, frame))
    thread->of<PythonThread>().unrecorded_root = {};
  if (is_muted(*thread) && thread->object_of(thread->model_call.slot) != module) return;
  close_unwound_calls(*thread, frame, false);
  // A hook of the program that pops the module's range runs after this one, so open ranges lie above the module.
  const uint32_t slot = slot_below_ranges(*thread);
  if (slot == kNoSlot) return;
  const Thread::Mark mark = thread->marks[slot];
  if (thread->object_of(slot) != module || is_tracing()) return;
  // This is the end of a call of the same module inside it, which was not recorded.
  const bool has_unrecorded = thread->recording_ring == nullptr || !is_window_open();
  if (has_unrecorded && static_cast<const char*>(mark.stack_address) - frame > kSameFrame) return;
  close_ranges_above(*thread, slot, end);
  // A call that has begun has an entry, so nothing is searched here.
  ModuleInfo* info = module_info(as_object(mark.root), mark.root_instance, as_object(mark.object), module);
  if (info == nullptr) {
    abandon_spans(*thread, slot);
    if (are_threads_told) restore_unwound_threads(*thread);
    return;
  }
  SpanResult result;
  if (output != nullptr) result.shape = output_shape(*info, output);
  // What runs when it is awaited, or iterated over, is recorded as it runs.
  if (result.shape == 0 && output != nullptr && !mark.has_inner && runs_later(output)) {
    forget_call(*thread, slot);
    tell_of_unevaluated(info->type);
    return;
  }
  const uint8_t opened_as = thread->ring->open[slot].kind;
  const bool is_root = opened_as == kKindRoot;
  // A lazy module exchanges its class during its first call.
  if (thread->ring->open[slot].type != info->type) thread->ring->open[slot].type = info->type;
  if (is_root && thread->of<PythonThread>().stream_interval != 0) {
    const uint32_t span = thread->ring->open[slot].id.load(std::memory_order_relaxed);
    end_stream_interval(thread->of<PythonThread>().stream_interval, thread->ring_index, span);
    thread->of<PythonThread>().stream_interval = 0;
  }
  tell_memory(*thread, slot, &result);
  result.failed =
      output == nullptr || (output == python.none && !given.are_unpacked && handled_exception() != mark.handled);
  if (__builtin_expect(are_threads_told, 0)) end_threads(*thread, slot, end, *info, result.failed);
  if (!is_root) {
    const bool is_script = info->is_script && !mark.has_inner && opened_as == kKindModule;
    close_span(*thread, slot, end, is_script ? kKindScript : ended_kind(opened_as, mark), result);
    return;
  }
  thread->ring->open[slot].input = input_shapes(*info, given);
  if (!mark.has_inner && deepest_level >= kLevelLayer && thread->recording_ring != nullptr) {
    record_as_layer(*thread, thread->ring->open[slot], end, *info, result);
  }
  if (mark.has_inner || info->is_script) result.scope = instance_scope(*info);
  close_root(*thread, slot, end, result);
}

}  // namespace xsp::guest
