#include "analysis/steps/communication_kernels.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

/// Parts of names, as the libraries' sources have them. What could be part of another word stands with its ending.
constexpr std::array<std::string_view, 18> kParts = {
    "ncclKernel",               // NCCL before 2.19, and RCCL
    "ncclDevKernel",            // NCCL from 2.19 on
    "ncclSymkDevKernel",        // NCCL from 2.27 on: symmetric memory
    "ncclSymDevKernel",         // likewise
    "rcclGenericKernel",        // RCCL
    "mscclKernel",              // RCCL's MSCCL
    "onecclKernel",             // oneCCL
    "oneccl_",                  //
    "nvshmem",                  // NVSHMEM and what is built on it
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

}  // namespace

bool is_communication_kernel(std::string_view name) {
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace xsp::analysis
