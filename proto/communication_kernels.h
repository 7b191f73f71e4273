#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace xsp::wire {

/// Parts of the names of kernels that move data between ranks, as the libraries' sources have them. A name that could
/// be part of another word includes its ending.
inline constexpr std::array<std::string_view, 20> kCommunicationKernels = {
    "ncclKernel",               // NCCL before 2.19, and RCCL
    "ncclDevKernel",            // NCCL from 2.19 on
    "ncclSymkDevKernel",        // NCCL from 2.27 on: symmetric memory
    "ncclSymDevKernel",         // likewise
    "rcclGenericKernel",        // RCCL
    "mscclKernel",              // RCCL's MSCCL
    "mscclpp",                  // MSCCL++
    "onecclKernel",             // oneCCL
    "oneccl_",                  //
    "nvshmem",                  // NVSHMEM and what is built on it
    "deep_ep",                  // DeepEP
    "cross_device_reduce",      // vLLM, SGLang
    "allreduce_fusion_kernel",  // TensorRT-LLM, FlashInfer
    "oneShotAllReduceKernel",   // TensorRT-LLM
    "twoShotAllReduceKernel",   // likewise
    "one_shot_all_reduce",      // PyTorch's symmetric memory
    "two_shot_all_reduce",      // likewise
    "multimem_all_reduce",      // likewise
    "multimem_one_shot",        // likewise
    "multimem_all_gather",      // likewise
};

/// Whether the name of a kernel (mangled or not) says that it moves data between ranks: those of NCCL, RCCL, oneCCL and
/// NVSHMEM, and the all-reduces that PyTorch, vLLM, TensorRT-LLM and FlashInfer bring themselves.
inline bool is_communication_kernel(std::string_view name) {
  return std::any_of(kCommunicationKernels.begin(), kCommunicationKernels.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace xsp::wire
