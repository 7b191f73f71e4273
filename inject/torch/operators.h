#pragma once

namespace xsp::guest {

/// Operators of PyTorch as spans: callbacks that libtorch runs around every at::RecordFunction, of every thread. See
/// doc/frameworks.md.

/// Registers the callbacks with the loaded libtorch_cpu, once for the process and its children; cheap afterwards. For
/// hosts without Python: once `import torch` has begun it does nothing, and watch_python_operators() does it. Must not
/// be called while the loader is at work.
void watch_operators();

/// `import torch` begins; operators that the import itself runs are not the program's.
void expect_python_torch();

/// The import is complete. A worker of multiprocessing runs operators to load data: there they are watched only from
/// its first model call on, and cost nothing before.
void watch_python_operators(bool is_worker);

/// A model call begins.
void watch_operators_of_model();

}  // namespace xsp::guest
