#include "inject/python/bootstrap.h"

#include "inject/python/bound_shapes.h"
#include "inject/python/gluon_blocks.h"
#include "inject/python/keras_layers.h"
#include "inject/python/own_calls.h"
#include "inject/python/python_api.h"
#include "inject/python/session_runs.h"
#include "inject/python/threaded_sessions.h"
#include "inject/python/torch_modules.h"
#include "inject/python/torch_streams.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// bootstrap.py and the hooks of the frameworks as a C string, made by the build.
constexpr char kBootstrapSource[] =
#include "bootstrap_source.inc"
    ;

constinit PyObject* bootstrap_globals = nullptr;

bool run_bootstrap() {
  static constinit bool tried = false;
  if (tried) return bootstrap_globals != nullptr;
  // Once, even if it fails: it would fail again at each import, and each attempt costs the program time.
  tried = true;
  PyObject* globals = python.PyDict_New();
  if (globals == nullptr) return false;
  const Owned name(python.PyUnicode_FromString("xsp_bootstrap"));
  python.PyDict_SetItemString(globals, "__builtins__", python.PyEval_GetBuiltins());
  python.PyDict_SetItemString(globals, "__name__", name.get());
  if (!add_python_api(globals) || !add_torch_functions(globals) || !add_torch_stream_functions(globals) ||
      !add_own_call_functions(globals) || !add_session_run_functions(globals) || !add_bound_shape_functions(globals) ||
      !add_session_thread_functions(globals) || !add_gluon_functions(globals) || !add_keras_functions(globals)) {
    return false;
  }
  const Owned result(python.PyRun_StringFlags(kBootstrapSource, kFileInput, globals, globals, nullptr));
  if (result) bootstrap_globals = globals;
  return static_cast<bool>(result);
}

}  // namespace

void expect_import(PyObject* module_name) {
  if (run_bootstrap()) {
    const Owned result(python.PyObject_CallFunctionObjArgs(
        python.PyDict_GetItemString(bootstrap_globals, "expect_import"), module_name, static_cast<PyObject*>(nullptr)));
    // A failure is ours alone: the program must not see the exception.
    if (result) return;
  }
  python.PyErr_Clear();
  static constinit bool told = false;
  if (!told) notify(1, "python", "the frameworks of this interpreter could not be hooked; only the API is recorded");
  told = true;
}

}  // namespace xsp::guest
