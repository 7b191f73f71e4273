#include "inject/python/torch_streams.h"

#include <atomic>

#include "inject/guard/fork_wiped.h"
#include "inject/python/python_api.h"

namespace xsp::guest {
namespace {

constinit PyObject* cuda_names = nullptr;
constinit PyObject* get_device = nullptr;
constinit PyObject* get_raw_stream = nullptr;
constinit PyObject* is_in_bad_fork = nullptr;

/// Whether this process may use CUDA. A process that was forked from a user of CUDA may not, although CUDA looks
/// initialised in it.
struct ForkState {
  enum : uint32_t { kUnknown = 0, kUsable = 1, kForked = 2 };
  std::atomic<uint32_t> is_usable;
};
constinit ForkWiped<ForkState> fork_state;

bool is_true(PyObject* object) { return object != nullptr && python.PyObject_IsTrue(object) == 1; }

/// The result of a call; null, with the exception cleared, if it raises.
PyObject* called(PyObject* function, PyObject* argument = nullptr) {
  PyObject* result = python.PyObject_CallFunctionObjArgs(function, argument, static_cast<PyObject*>(nullptr));
  if (result == nullptr) python.PyErr_Clear();
  return result;
}

bool is_usable_here() {
  ForkState* here = fork_state.make();
  if (here == nullptr) return false;
  uint32_t known = here->is_usable.load(std::memory_order_relaxed);
  if (known == ForkState::kUnknown) {
    const Owned forked(called(is_in_bad_fork));
    known = !forked || is_true(forked.get()) ? ForkState::kForked : ForkState::kUsable;
    here->is_usable.store(known, std::memory_order_relaxed);
  }
  return known == ForkState::kUsable;
}

PyObject* use_cuda(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return return_none();
  for (Py_ssize_t i = 0; i < count; ++i) python.Py_IncRef(arguments[i]);
  get_device = arguments[1];
  get_raw_stream = arguments[2];
  is_in_bad_fork = arguments[3];
  cuda_names = arguments[0];
  return return_none();
}

PyObject* finish_device_times(PyObject*, PyObject* const*, Py_ssize_t) {
  finish_stream_intervals();
  return return_none();
}

PyMethodDef stream_methods[] = {
    {"use_cuda", reinterpret_cast<void*>(use_cuda), kMethodFastCall, nullptr},
    {"finish_device_times", reinterpret_cast<void*>(finish_device_times), kMethodFastCall, nullptr},
};

}  // namespace

bool add_torch_stream_functions(PyObject* globals) {
  for (PyMethodDef& definition : stream_methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

bool current_stream(DeviceStream* where) {
  if (cuda_names == nullptr || !is_true(python.PyDict_GetItemString(cuda_names, "_initialized"))) return false;
  if (!is_usable_here()) return false;
  const Owned device(called(get_device));
  if (!device) return false;
  const Owned stream(called(get_raw_stream, device.get()));
  if (!stream) return false;
  where->device = static_cast<int>(python.PyLong_AsLongLong(device.get()));
  where->stream = reinterpret_cast<void*>(python.PyLong_AsUnsignedLongLong(stream.get()));
  if (python.PyErr_Occurred() == nullptr) return where->device >= 0;
  python.PyErr_Clear();
  return false;
}

}  // namespace xsp::guest
