#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Runs of ONNX Runtime's sessions in Python as model spans. onnxruntime_runs.py puts a function around each way to run
/// a session, which does nothing but call
///   call_run(run, way, arguments, keywords) -> what run(*arguments, **keywords) returns or raises
///   way: where the shapes of the inputs are; 0: `input_feed`, 1: `input_dict_ort_values`, 2: `iobinding`, 3: nowhere
/// and uses
///   use_sessions(name_of)          for a session without a known name: name_of(session) -> str, which remembers it
///   feed_shapes(feed) -> str       "[1,3,224,224];[1,77]", of the first eight
/// What is known of a session lies in its dictionary: `_xsp_name`, `_xsp_scope`, and `_xsp_profile` while it has one:
/// enter_run() is called before a run and leave_run(session) after it, which returns whether it has ended the profile.
bool add_session_run_functions(PyObject* globals);

}  // namespace xsp::guest
