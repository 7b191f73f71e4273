#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/torch/record_function_abi.h"

namespace xsp::guest {

/// What the guest calls of the loaded libtorch_cpu: exported functions whose signatures have no type of libstdc++, so
/// that one build serves both of its string ABIs.
struct TorchLibrary {
  uint64_t (*add_global_callback)(torch_abi::Callback callback);
  const char* (*name)(const torch_abi::RecordFunction* function);
  bool (*is_async)(const torch_abi::RecordFunction* function);
};

/// Finds the functions; false where libtorch_cpu is not loaded, or hides one of them.
bool find_torch_library(TorchLibrary* library);

}  // namespace xsp::guest
