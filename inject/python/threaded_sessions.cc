#include "inject/python/threaded_sessions.h"

#include "inject/concurrency/thread_settings.h"
#include "inject/concurrency/told_counts.h"
#include "inject/python/python_api.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

PyObject* session_threads_of_python(PyObject*, PyObject* const*, Py_ssize_t) {
  const SessionThreads threads = wake_process() == nullptr ? SessionThreads{} : session_threads();
  return python.PyLong_FromUnsignedLongLong(threads.intra | uint32_t{threads.inter} << 16);
}

PyObject* tell_threaded_session(PyObject*, PyObject* const*, Py_ssize_t) {
  const SessionThreads threads = session_threads();
  tell_session(threads.intra, threads.inter);
  return return_none();
}

PyObject* are_threads_changed_here(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(wake_process() != nullptr && are_threads_changed() ? 1 : 0);
}

PyObject* threads_of_program(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(number_of_program());
}

PyObject* leave_threads(PyObject*, PyObject* const*, Py_ssize_t) {
  leave_threads_to_program();
  return return_none();
}

PyMethodDef threaded_methods[] = {
    {"are_threads_changed", reinterpret_cast<void*>(are_threads_changed_here), kMethodFastCall, nullptr},
    {"threads_of_program", reinterpret_cast<void*>(threads_of_program), kMethodFastCall, nullptr},
    {"leave_threads", reinterpret_cast<void*>(leave_threads), kMethodFastCall, nullptr},
    {"session_threads", reinterpret_cast<void*>(session_threads_of_python), kMethodFastCall, nullptr},
    {"tell_threaded_session", reinterpret_cast<void*>(tell_threaded_session), kMethodFastCall, nullptr},
};

}  // namespace

bool add_session_thread_functions(PyObject* globals) {
  for (PyMethodDef& definition : threaded_methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
