#pragma once

namespace xsp::guest {

/// Operators of PyTorch as spans: callbacks that libtorch runs around every at::RecordFunction, of every thread. See
/// doc/frameworks.md.

/// Registers the callbacks with the loaded libtorch_cpu, once for the process and its children; cheap when that is
/// done. For hosts without Python: in one whose `import torch` has begun it waits for watch_python_operators(). Not to
/// be called where the loader is at work.
void watch_operators();

/// `import torch` begins: its own operators are not the program's.
void expect_python_torch();

/// The import is complete. A worker of multiprocessing runs operators to load data: there they are watched from its first
/// model call on only, and cost nothing before.
void watch_python_operators(bool is_worker);

/// A model call begins.
void watch_operators_of_model();

}  // namespace xsp::guest
