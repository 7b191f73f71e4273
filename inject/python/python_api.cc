#include "inject/python/python_api.h"

#include <string_view>

#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "inject/send/process_packets.h"

namespace xsp::guest {
namespace {

std::string_view text_of(PyObject* object) {
  Py_ssize_t length = 0;
  const char* text = python.PyUnicode_AsUTF8AndSize(object, &length);
  if (text == nullptr) {
    python.PyErr_Clear();
    return {};
  }
  return {text, static_cast<size_t>(length)};
}

uint64_t number_of(PyObject* object) {
  const auto number = static_cast<uint64_t>(python.PyLong_AsLongLong(object));
  if (python.PyErr_Occurred() != nullptr) python.PyErr_Clear();
  return number;
}

uint64_t handle_of(PyObject* object) {
  const uint64_t handle = python.PyLong_AsUnsignedLongLong(object);
  if (python.PyErr_Occurred() == nullptr) return handle;
  python.PyErr_Clear();
  return 0;
}

/// Begins a model call that may end on another thread. Returns what is recorded of it as one number for record_span; 0:
/// nothing.
PyObject* py_begin_call(PyObject*, PyObject* const*, Py_ssize_t) {
  const HookTimer timer(known_thread());
  const bool samples = is_sampling.load(std::memory_order_relaxed);
  const bool records = (samples ? model_call_thread() : recording_thread()) != nullptr;
  const AsyncModelCall call = records ? begin_async_model_call() : AsyncModelCall{};
  return python.PyLong_FromUnsignedLongLong(
      records ? 1 + (uint64_t{call.place} << 8 | static_cast<uint64_t>(call.recorded)) : 0);
}

PyObject* py_time_now(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(awake_process() == nullptr ? 0 : now());
}

PyObject* py_record_span(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const uint64_t end = now();
  const HookTimer timer(known_thread(), end);
  if (count != 9) return return_none();
  const uint64_t begin = handle_of(arguments[0]);
  const uint64_t begun = handle_of(arguments[8]);
  if (begin == 0 || begun == 0) return return_none();
  const AsyncModelCall call{static_cast<Recorded>((begun - 1) & 0xff), static_cast<uint8_t>((begun - 1) >> 8)};
  // In any case: sampling waits for the end of a call that is recorded in full.
  end_async_model_call(call);
  Thread* thread = ending_thread();
  if (thread == nullptr || !is_window_open() || call.recorded == Recorded::kCounted) return return_none();
  shm::Record span{};
  span.begin = begin;
  span.end = end;
  span.name = intern(text_of(arguments[1]));
  span.type = intern(text_of(arguments[2]));
  span.kind = static_cast<uint8_t>(number_of(arguments[3]));
  span.level = static_cast<uint8_t>(number_of(arguments[4]));
  span.input = intern(text_of(arguments[5]));
  span.scope = intern(text_of(arguments[6]));
  span.flags = static_cast<uint8_t>((number_of(arguments[7]) != 0 ? shm::kFlagFailed : 0) |
                                    (call.recorded == Recorded::kShallow ? shm::kFlagShallow : 0));
  record_span(*thread, span);
  return return_none();
}

PyObject* py_announce_profile(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 6) return return_none();
  wire::ProfileFile file{.format = static_cast<uint32_t>(wire::ProfileFileFormat::kOrtJson)};
  file.path = text_of(arguments[0]);
  file.scope = text_of(arguments[1]);
  file.complete = number_of(arguments[2]) != 0;
  file.keep = number_of(arguments[3]) != 0;
  file.start_realtime_ns = number_of(arguments[4]);
  file.realtime_offset_ns = static_cast<int64_t>(number_of(arguments[5]));
  post_profile_file(file);
  return return_none();
}

PyObject* py_tell(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 3) {
    notify(static_cast<uint32_t>(number_of(arguments[0])), text_of(arguments[1]), text_of(arguments[2]));
  }
  return return_none();
}

PyObject* py_scratch_dir(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyUnicode_FromString(read_settings().scratch_dir);
}

PyObject* py_wants_layers(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(read_settings().deepest_level >= kLevelLayer ? 1 : 0);
}

/// Whether model calls are sampled: then recordings by other means than spans (profiles) should be kept short.
PyObject* py_samples_calls(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(read_settings().sample_by == SampleBy::kAll ? 0 : 1);
}

PyObject* py_may_record(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(
      state.load(std::memory_order_relaxed) != State::kOff && wanted(read_settings()) ? 1 : 0);
}

template <typename Function>
PyMethodDef method(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function), kMethodFastCall, nullptr};
}

}  // namespace

bool add_function(PyObject* globals, PyMethodDef* definition) {
  const Owned function(python.PyCFunction_NewEx(definition, nullptr, nullptr));
  return function && python.PyDict_SetItemString(globals, definition->name, function.get()) == 0;
}

bool add_python_api(PyObject* globals) {
  static PyMethodDef methods[] = {
      method("begin_call", py_begin_call),
      method("samples_calls", py_samples_calls),
      method("time_now", py_time_now),
      method("record_span", py_record_span),
      method("announce_profile", py_announce_profile),
      method("tell", py_tell),
      method("scratch_dir", py_scratch_dir),
      method("wants_layers", py_wants_layers),
      method("may_record", py_may_record),
  };
  for (PyMethodDef& definition : methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
