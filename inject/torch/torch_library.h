#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/torch/record_function_abi.h"

namespace xsp::guest {

/// What the guest calls of the loaded libtorch_cpu: exported functions whose signatures have no type of libstdc++, so
/// that one build serves both of its string ABIs.
struct TorchLibrary {
  uint64_t (*add_global_callback)(torch_abi::Callback callback);
  void (*disable_callback)(uint64_t handle);
  void (*enable_callback)(uint64_t handle);
  const char* (*name)(const torch_abi::RecordFunction* function);
  bool (*is_async)(const torch_abi::RecordFunction* function);
  /// Number of arguments and of results in its schema; 0 where it has only a name.
  size_t (*num_inputs)(const torch_abi::RecordFunction* function);
  size_t (*num_outputs)(const torch_abi::RecordFunction* function);
  uint64_t (*current_thread)();  // numbered by PyTorch, from 1
  uint64_t (*next_sequence)();   // of the next autograd node that this thread makes
};

/// Finds the functions; false where libtorch_cpu is not loaded, or hides one of them.
bool find_torch_library(TorchLibrary* library);

/// Finds the functions that disable and enable callbacks; false where one is missing.
bool find_callback_switches(TorchLibrary* library);

}  // namespace xsp::guest
