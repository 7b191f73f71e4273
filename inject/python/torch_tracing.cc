#include "inject/python/torch_tracing.h"

#include "inject/objects/loaded_library.h"

namespace xsp::guest {
namespace {

/// torch::jit::tracer::getTracingState(): a reference to a thread-local shared_ptr, whose first word is null unless the
/// thread is tracing. Found in libtorch; if it is not, Python's torch._C._get_tracing_state() is called at thirty times
/// the cost.
using TracingState = void* const* (*)();
constinit TracingState native_tracing_state = nullptr;
constinit PyObject* get_tracing_state = nullptr;

constexpr int kMostStandIns = 4;
constinit PyObject* stand_ins[kMostStandIns] = {};

}  // namespace

bool is_tracing() {
  if (native_tracing_state != nullptr) return *native_tracing_state() != nullptr;
  if (get_tracing_state == nullptr) return false;
  const Owned tracing(python.PyObject_CallFunctionObjArgs(get_tracing_state, static_cast<PyObject*>(nullptr)));
  if (!tracing) python.PyErr_Clear();
  return tracing && tracing.get() != python.none;
}

bool is_called_with_stand_in(PyObject* first) {
  if (stand_ins[0] == nullptr || first == nullptr) return false;
  const Owned type(python.PyObject_Type(first));
  for (const PyObject* stand_in : stand_ins) {
    if (stand_in == type.get()) return true;
  }
  return false;
}

void add_stand_in(PyObject* type) {
  for (PyObject*& stand_in : stand_ins) {
    if (stand_in == type) return;
    if (stand_in != nullptr) continue;
    python.Py_IncRef(type);
    stand_in = type;
    return;
  }
}

void find_tracing_state(PyObject* python_function) {
  native_tracing_state = reinterpret_cast<TracingState>(
      symbol_in_loaded_library("libtorch_cpu.so", "_ZN5torch3jit6tracer15getTracingStateEv"));
  if (python_function == python.none) return;
  python.Py_IncRef(python_function);
  get_tracing_state = python_function;
}

}  // namespace xsp::guest
