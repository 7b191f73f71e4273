#include "inject/python/session_runs.h"

#include "inject/guard/errno_guard.h"
#include "inject/python/feed_shapes.h"
#include "inject/python/python_api.h"
#include "inject/python/text_ids.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOrtRun = static_cast<uint8_t>(wire::Kind::kOrtRun);

/// Interned, so that dictionaries find them by their address.
struct Names {
  PyObject* dict;
  PyObject* name;
  PyObject* scope;
  PyObject* profile;
  PyObject* enter_run;
  PyObject* leave_run;
  PyObject* session_type;
};
constinit Names session_names{};
constinit PyObject* name_of = nullptr;

/// Borrowed references: the caller of call_run() has its own.
struct RunCall {
  InputPlace inputs;
  PyObject* arguments;
  PyObject* keywords;
};

/// One run. If a function leaves an exception of the program's set, it returns false.
class SessionRun {
 public:
  bool begin(const RunCall& call);
  bool end(bool failed);

 private:
  bool start_span(const RunCall& call);
  bool leave_profile();

  PyObject* session_ = nullptr;
  Owned state_{nullptr};
  Owned profile_{nullptr};
  uint64_t handle_ = 0;
};

bool SessionRun::begin(const RunCall& call) {
  const HookTimer timer(known_thread());
  const ErrnoGuard errno_guard;
  session_ = python.PyTuple_GetItem(call.arguments, 0);
  if (session_ != nullptr) state_ = Owned(python.PyObject_GetAttr(session_, session_names.dict));
  if (!state_) return forget_failure();
  profile_ = Owned::share(python.PyDict_GetItemWithError(state_.get(), session_names.profile));
  if (profile_) {
    const Owned entered(
        python.PyObject_CallMethodObjArgs(profile_.get(), session_names.enter_run, static_cast<PyObject*>(nullptr)));
    if (!entered) return false;
  }
  if (start_span(call)) return true;
  if (profile_) {
    const ExceptionKeeper exception;
    if (!leave_profile()) python.PyErr_Clear();
  }
  return false;
}

bool SessionRun::start_span(const RunCall& call) {
  if ((awake_process() == nullptr && wake_process() == nullptr) || !is_window_open()) return true;
  Owned name = Owned::share(python.PyDict_GetItemWithError(state_.get(), session_names.name));
  if (!name) name = Owned(python.PyObject_CallFunctionObjArgs(name_of, session_, static_cast<PyObject*>(nullptr)));
  if (!name && !forget_failure()) return false;
  Shapes shapes;
  if (!read_input_shapes(call.inputs, call.arguments, call.keywords, &shapes)) return false;
  // Only now: the program's objects that were asked above may do anything, even run a session or fork.
  Thread* thread = is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  if (thread == nullptr) return true;
  const uint32_t name_id = name ? text_id(name.get()) : 0;
  const uint32_t type_id = text_id(session_names.session_type);
  const uint32_t input = feed_shapes_id(shapes);
  const Recorded recorded = begin_model_call(*thread);
  handle_ = start_model_span(*thread, recorded, name_id, kKindOrtRun, type_id, input);
  return true;
}

bool SessionRun::end(bool failed) {
  const uint64_t end = now();
  const HookTimer timer(known_thread(), end);
  const ErrnoGuard errno_guard;
  if (handle_ != 0) {
    // A run that fails on one provider may have recreated the session for another, with a new scope.
    PyObject* scope = python.PyDict_GetItemWithError(state_.get(), session_names.scope);
    SpanResult result;
    result.scope = scope == nullptr ? 0 : text_id(scope);
    result.failed = failed;
    finish_span_at(handle_, end, result);
  }
  return !profile_ || leave_profile();
}

/// Ends the profile if it is due. That is rare and long, so its time is added on its own to what recording costs.
bool SessionRun::leave_profile() {
  const uint64_t begin = now();
  const Owned ended(python.PyObject_CallMethodObjArgs(profile_.get(), session_names.leave_run, session_,
                                                      static_cast<PyObject*>(nullptr)));
  Thread* thread = known_thread();
  if (thread != nullptr && ended && python.PyObject_IsTrue(ended.get()) == 1) add_hook_time(*thread, now() - begin);
  return static_cast<bool>(ended);
}

PyObject* call_run(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return return_none();
  SessionRun run;
  if (!run.begin({.inputs = static_cast<InputPlace>(python.PyLong_AsLongLong(arguments[1])),
                  .arguments = arguments[2],
                  .keywords = arguments[3]})) {
    return nullptr;
  }
  PyObject* result = python.PyObject_Call(arguments[0], arguments[2], arguments[3]);
  if (__builtin_expect(result != nullptr, 1)) {
    if (run.end(false)) return result;
    python.Py_DecRef(result);
    return nullptr;
  }
  ExceptionKeeper exception;
  if (!run.end(true)) exception.forget();
  return nullptr;
}

PyObject* use_sessions(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 1) return return_none();
  python.Py_IncRef(arguments[0]);
  name_of = arguments[0];
  return return_none();
}

PyObject* feed_shapes(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Shapes shapes;
  if (count != 1 || !read_feed_shapes(arguments[0], &shapes)) return nullptr;
  char buffer[kShapesTextBytes];  // has room for a null
  const std::string_view text = text_of(shapes, buffer);
  buffer[text.size()] = '\0';
  return python.PyUnicode_FromString(buffer);
}

PyMethodDef session_methods[] = {
    {"call_run", reinterpret_cast<void*>(call_run), kMethodFastCall, nullptr},
    {"use_sessions", reinterpret_cast<void*>(use_sessions), kMethodFastCall, nullptr},
    {"feed_shapes", reinterpret_cast<void*>(feed_shapes), kMethodFastCall, nullptr},
};

}  // namespace

bool add_session_run_functions(PyObject* globals) {
  session_names = {.dict = python.PyUnicode_InternFromString("__dict__"),
                   .name = python.PyUnicode_InternFromString("_xsp_name"),
                   .scope = python.PyUnicode_InternFromString("_xsp_scope"),
                   .profile = python.PyUnicode_InternFromString("_xsp_profile"),
                   .enter_run = python.PyUnicode_InternFromString("enter_run"),
                   .leave_run = python.PyUnicode_InternFromString("leave_run"),
                   .session_type = python.PyUnicode_InternFromString("InferenceSession")};
  for (const PyObject* name : {session_names.dict, session_names.name, session_names.scope, session_names.profile,
                               session_names.enter_run, session_names.leave_run, session_names.session_type}) {
    if (name == nullptr) return false;
  }
  for (PyMethodDef& definition : session_methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
