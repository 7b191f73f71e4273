#include "inject/python/keras_layers.h"

#include <stdio.h>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fixed_text.h"
#include "inject/python/method_calls.h"
#include "inject/python/open_modules.h"
#include "inject/python/python_api.h"
#include "inject/python/tensor_shape.h"
#include "inject/python/text_ids.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/sampling.h"
#include "inject/record/tracer.h"
#include "inject/tensorflow/kernel_slots.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/torch/torch_thread.h"

namespace xsp::guest {

/// A call of a layer while it runs, on the stack of its hook.
struct KerasCall {
  KerasCall* outer;
  uint32_t name;
  uint32_t type;
  uint64_t handle;  // 0: it has no span
  uint32_t scope;   // of a model that runs on TensorFlow
  bool has_inner;
};

namespace {

constexpr auto kKindRun = static_cast<uint8_t>(wire::Kind::kRun);

PyObject* call_layer(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords);

/// Those of keras.Layer.__call__.
constinit MethodCalls layer_calls{.ours = call_layer};

struct KerasNames {
  PyObject* dict;
  PyObject* name;
  PyObject* private_name;  // Keras 2
  PyObject* class_name;    // __name__
};
constinit KerasNames keras_names{};
constinit PyObject* eager_function = nullptr;
constinit PyObject* traced_function = nullptr;
constinit PyObject* backend_name = nullptr;
/// On PyTorch layers are its modules, whose calls are recorded as such (module_spans.h).
constinit bool are_modules = false;
constinit bool is_jax = false;

bool tells(PyObject* function, bool otherwise) {
  if (function == nullptr) return otherwise;
  const Owned answer(python.PyObject_CallFunctionObjArgs(function, static_cast<PyObject*>(nullptr)));
  if (answer) return python.PyObject_IsTrue(answer.get()) == 1;
  python.PyErr_Clear();
  return otherwise;
}

uint32_t class_of(PyObject* object) {
  const Owned type(python.PyObject_Type(object));
  const Owned name(python.PyObject_GetAttr(type.get(), keras_names.class_name));
  const uint32_t id = name ? text_id(name.get()) : 0;
  python.PyErr_Clear();
  return id;
}

/// Whether the object stands for an array that is not there: JAX traces with such, and Keras builds functional models.
bool is_symbolic(PyObject* object) {
  const Owned type(python.PyObject_Type(object));
  const Owned name(python.PyObject_GetAttr(type.get(), keras_names.class_name));
  Py_ssize_t length = 0;
  const char* text = name ? python.PyUnicode_AsUTF8AndSize(name.get(), &length) : nullptr;
  python.PyErr_Clear();
  const std::string_view view(text == nullptr ? "" : text, text == nullptr ? 0 : static_cast<size_t>(length));
  return view.ends_with("Tracer") || view == "KerasTensor";
}

/// The first array of a call.
PyObject* first_of(PyObject* argument) {
  const bool is_list = is_a(argument, python.list_type);
  if (!is_list && !is_a(argument, python.tuple_type)) return argument;
  PyObject* first = is_list ? python.PyList_GetItem(argument, 0) : python.PyTuple_GetItem(argument, 0);
  if (first != nullptr) return first;
  python.PyErr_Clear();
  return argument;
}

bool is_traced(PyObject* const* arguments, Py_ssize_t count) {
  const ExceptionKeeper exception;
  return !tells(eager_function, true) || tells(traced_function, false) ||
         (count > 1 && is_symbolic(first_of(arguments[1])));
}

/// The layer's own name, as an attribute of the object: Keras' property would be a call. Null if it has none.
PyObject* text_of_name(PyObject* layer) {
  const Owned state(python.PyObject_GetAttr(layer, keras_names.dict));
  PyObject* name = nullptr;
  for (PyObject* each : {keras_names.name, keras_names.private_name}) {
    if (state && name == nullptr) name = python.PyDict_GetItemWithError(state.get(), each);
  }
  python.PyErr_Clear();
  return name;
}

uint32_t layer_name(PyObject* layer) {
  PyObject* name = text_of_name(layer);
  const uint32_t id = name == nullptr ? 0 : text_id(name);
  return id != 0 ? id : class_of(layer);
}

uint32_t given_shapes(PyObject* const* values, Py_ssize_t count) {
  const ExceptionKeeper exception;
  Shapes shapes;
  for (Py_ssize_t i = 0; i < count; ++i) collect_shapes(values[i], Shapes::kMaxTensors, 2, &shapes);
  return intern_shapes(shapes);
}

/// What is inside a layer that is no model has both names: "block1/conv1".
uint32_t name_inside(const KerasCall& outer, uint32_t name) {
  if (outer.outer == nullptr) return name;
  const Process* process = awake_process();
  if (process == nullptr) return name;
  const auto text = [&](uint32_t id) { return process->strings.text(process->region, id); };
  return intern(FixedText<256>().put(text(outer.name)).put("/").put(text(name)).view());
}

/// JAX computes in the background.
void tell_of_dispatch() {
  static constinit bool told = false;
  if (!told)
    notify(0, "keras", "JAX computes in the background: calls and layers end when they return, which may be earlier");
  told = true;
}

void begin_model(Thread& thread, KerasCall* call, uint32_t input, const void* frame) {
  const bool is_tensorflow = eager_function != nullptr;
  if (is_jax) tell_of_dispatch();
  if (is_tensorflow) {
    watch_kernels();
    call->scope = open_tensorflow_call(thread, frame);
    // Inside a call that has a span.
    if (call->scope == 0) return;
  }
  const Recorded recorded = begin_model_call(thread);
  call->handle = start_model_span(thread, recorded, call->name, kKindRun, text_id(backend_name), input);
}

/// False: nothing of it is recorded, nor remembered.
bool begin_layer(KerasCall* call, PyObject* const* arguments, Py_ssize_t count, const void* frame) {
  const ErrnoGuard errno_guard;
  Thread* thread = ending_thread();
  if (thread == nullptr) {
    if (wake_process() == nullptr || (thread = ending_thread()) == nullptr) return false;
  }
  const HookTimer timer(thread);
  KerasCall*& innermost = thread->of<PythonThread>().keras_call;
  call->outer = innermost;
  const bool is_model = innermost == nullptr;
  Thread* recording =
      is_model && is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  if (recording != nullptr) {
    call->type = class_of(arguments[0]);
    call->name = layer_name(arguments[0]);
    if (is_model) {
      begin_model(*thread, call, given_shapes(arguments + 1, count - 1), frame);
    } else {
      innermost->has_inner = true;
      if (read_settings().deepest_level < kLevelLayer) return false;
      tell_of_layers(*thread);
      call->name = name_inside(*innermost, call->name);
      call->handle = start_span(call->name, kLevelLayer, kKindModule, call->type, 0);
    }
  }
  innermost = call;
  return true;
}

void set_container(Thread& thread, uint64_t layer) {
  const SpanHandle handle = unpack_handle(layer);
  shm::OpenSpan& span = thread.ring->open[handle.slot % shm::kMaxOpenSpans];
  if (handle.ring == thread.ring_index && span.id.load(std::memory_order_relaxed) == handle.id) {
    span.kind = kKindContainer;
  }
}

/// A model without layers inside is its own layer.
void record_as_layer(Thread& thread, const KerasCall& call, uint64_t end, const SpanResult& result) {
  const SpanHandle handle = unpack_handle(call.handle);
  const shm::OpenSpan& span = thread.ring->open[handle.slot % shm::kMaxOpenSpans];
  if (span.id.load(std::memory_order_relaxed) != handle.id || has_layers(call.scope)) return;
  shm::Record layer{};
  layer.begin = span.begin;
  layer.end = end;
  layer.parent = handle.id;
  layer.name = call.name;
  layer.type = call.type;
  layer.shape = result.shape;
  layer.flags = static_cast<uint8_t>(result.failed ? shm::kFlagFailed : 0);
  layer.level = kLevelLayer;
  layer.kind = kKindModule;
  record_span(thread, layer);
}

void end_layer(KerasCall* call, PyObject* output) {
  const uint64_t end = now();
  const ErrnoGuard errno_guard;
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  const HookTimer timer(thread, end);
  thread->of<PythonThread>().keras_call = call->outer;
  if (call->handle != 0) {
    SpanResult result;
    result.failed = output == nullptr;
    if (output != nullptr) result.shape = given_shapes(&output, 1);
    const bool is_model = call->outer == nullptr;
    if (is_model) {
      result.scope = call->scope;
      if (!call->has_inner && read_settings().deepest_level >= kLevelLayer && thread->recording_ring != nullptr) {
        record_as_layer(*thread, *call, end, result);
      }
    } else if (call->has_inner) {
      set_container(*thread, call->handle);
    }
    finish_span_at(call->handle, end, result);
  }
  if (call->scope != 0) close_tensorflow_call(*thread);
}

/// PyTorch must not take a call that computes nothing for that of a model.
PyObject* call_as_module(PyObject* const* arguments, size_t flags, PyObject* keywords, bool computes) {
  Thread* thread = computes ? nullptr : known_thread();
  if (thread != nullptr) ++thread->of<TorchThread>().own_calls;
  PyObject* output = call_plain(layer_calls, arguments, flags, keywords);
  if (thread != nullptr && (thread = known_thread()) != nullptr && thread->of<TorchThread>().own_calls != 0) {
    --thread->of<TorchThread>().own_calls;
  }
  return output;
}

PyObject* call_layer(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords) {
  const auto count = static_cast<Py_ssize_t>(flags & ~kMayUseSlotBefore);
  if (are_modules) return call_as_module(arguments, flags, keywords, !is_traced(arguments, count));
  KerasCall call{};
  const bool is_recorded = layer_calls.are_intercepted && count >= 1 &&
                           state.load(std::memory_order_relaxed) != State::kOff &&
                           is_a(arguments[0], layer_calls.owner) && !is_traced(arguments, count) &&
                           begin_layer(&call, arguments, count, __builtin_frame_address(0));
  PyObject* output = call_plain(layer_calls, arguments, flags, keywords);
  if (!is_recorded) return output;
  if (__builtin_expect(output != nullptr, 1)) {
    end_layer(&call, output);
  } else {
    const ExceptionKeeper exception;
    end_layer(&call, nullptr);
  }
  return output;
}

PyObject* kept_unless_none(PyObject* object) {
  if (object == python.none) return nullptr;
  python.Py_IncRef(object);
  return object;
}

PyObject* use_keras(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return return_none();
  backend_name = kept_unless_none(arguments[1]);
  Py_ssize_t length = 0;
  const char* backend = backend_name == nullptr ? nullptr : python.PyUnicode_AsUTF8AndSize(backend_name, &length);
  const std::string_view named(backend == nullptr ? "" : backend, static_cast<size_t>(length));
  are_modules = named == "PyTorch";
  is_jax = named == "JAX";
  eager_function = kept_unless_none(arguments[2]);
  traced_function = kept_unless_none(arguments[3]);
  intercept_calls(layer_calls, arguments[0], "__call__");
  return return_none();
}

PyObject* use_arrays(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 3) {
    add_array_type(
        {.type = arguments[0], .sizes = arguments[1], .is_method = python.PyObject_IsTrue(arguments[2]) == 1});
  }
  return return_none();
}

PyMethodDef keras_methods[] = {
    {"use_keras", reinterpret_cast<void*>(use_keras), kMethodFastCall, nullptr},
    {"use_arrays", reinterpret_cast<void*>(use_arrays), kMethodFastCall, nullptr},
};

}  // namespace

bool keras_layer_name(PyObject* object, char* to, size_t bytes) {
  if (layer_calls.owner == nullptr || !is_a(object, layer_calls.owner)) return false;
  PyObject* name = text_of_name(object);
  Py_ssize_t length = 0;
  const char* text = name == nullptr ? nullptr : python.PyUnicode_AsUTF8AndSize(name, &length);
  if (text == nullptr) {
    python.PyErr_Clear();
    return false;
  }
  snprintf(to, bytes, "%s", text);
  return true;
}

bool add_keras_functions(PyObject* globals) {
  keras_names = {.dict = python.PyUnicode_InternFromString("__dict__"),
                 .name = python.PyUnicode_InternFromString("name"),
                 .private_name = python.PyUnicode_InternFromString("_name"),
                 .class_name = python.PyUnicode_InternFromString("__name__")};
  for (const PyObject* name : {keras_names.dict, keras_names.name, keras_names.private_name, keras_names.class_name}) {
    if (name == nullptr) return false;
  }
  for (PyMethodDef& definition : keras_methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
