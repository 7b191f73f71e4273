#pragma once

#include "inject/onnxruntime/ort_abi.h"

namespace xsp::guest {

/// With how many threads sessions are made, where XSP_CONCURRENCY says so. A session that shares the threads of its
/// environment is left alone.

/// Whether sessions of these options, null for the default, get other numbers than the program's.
bool wants_session_threads(const void* options);

/// Sets the numbers, and the parallel mode where operators are to run side by side, in options of our own. False if
/// ONNX Runtime refuses one of them.
bool set_session_threads(const ort::Api& api, void* options);

/// A session was made so.
void tell_session_threads();

/// The program has its sessions share threads (DisablePerSessionThreads), copied or released the options.
void users_shared_threads(const void* options, bool on);
bool uses_shared_threads(const void* options);

}  // namespace xsp::guest
