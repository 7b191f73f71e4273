#pragma once

#include <string_view>

namespace xsp::analysis {

/// Whether the name of a kernel (mangled or not) says that it moves data between ranks: those of NCCL, RCCL, oneCCL and
/// NVSHMEM, and the all-reduces that PyTorch, vLLM, TensorRT-LLM and FlashInfer bring themselves.
bool is_communication_kernel(std::string_view name);

}  // namespace xsp::analysis
