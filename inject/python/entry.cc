#include "inject/python/entry.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/settings.h"
#include "inject/interpose/weak_references.h"
#include "inject/objects/loader_functions.h"
#include "inject/python/bootstrap.h"
#include "inject/python/cpython.h"
#include "inject/record/process.h"
#include "inject/torch/operators.h"

namespace xsp::guest {
namespace {

/// Modules whose import arms the bootstrap. The first one seen runs bootstrap.py.
constexpr const char* kWatchedModules[] = {"torch",
                                           "torch._dynamo",
                                           "onnxruntime.capi.onnxruntime_inference_collection",
                                           "mxnet.gluon.block",
                                           "keras.src.layers.layer",
                                           "keras.src.engine.base_layer",
                                           "keras.engine.base_layer"};

bool watched(const char* module) {
  for (const char* name : kWatchedModules) {
    if (strcmp(module, name) == 0) return true;
  }
  return false;
}

void tell_of_subinterpreter() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) notify(1, "python", "what a subinterpreter imports is not recorded");
}

/// Always returns 0: any other result would raise in the program.
int on_audit_event(const char* event, PyObject* arguments, void*) {
  // Every audit event of the program comes here, most of them for opened files and compiled code.
  if (event[0] != 'i' || strcmp(event, "import") != 0) return 0;
  if (state.load(std::memory_order_relaxed) == State::kOff || arguments == nullptr) return 0;
  const ErrnoGuard errno_guard;
  if (!load_cpython()) return 0;
  PyObject* name = python.PyTuple_GetItem(arguments, 0);
  const char* text = name == nullptr ? nullptr : python.PyUnicode_AsUTF8AndSize(name, nullptr);
  if (text == nullptr) {
    python.PyErr_Clear();
    return 0;
  }
  if (watched(text)) {
    if (!is_main_interpreter()) {
      tell_of_subinterpreter();
      return 0;
    }
    if (strcmp(text, "torch") == 0) expect_python_torch();
    // The import may run while the program handles an exception, which our calls must not see or clear.
    const ExceptionKeeper exception;
    expect_import(name);
  }
  return 0;
}

__attribute__((constructor)) void on_load() {
  // In the constructor, as the program's own constructors may already ask by such references.
  clear_unmet_weak_references();
  watch_python_imports();
}

}  // namespace

void watch_python_imports() {
  using AuditHook = int (*)(const char*, PyObject*, void*);
  using AddAuditHook = int (*)(AuditHook, void*);
  const auto add_hook = reinterpret_cast<AddAuditHook>(next_loader().dlsym(RTLD_DEFAULT, "PySys_AddAuditHook"));
  if (add_hook != nullptr) add_hook(on_audit_event, nullptr);
}

}  // namespace xsp::guest
