#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "analysis/timeline/joined_kernels.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Kernels whose grid says nothing of how much work there is.
enum class KernelRole : uint8_t {
  kComputes,      // none of these
  kCommunicates,  // moves data between ranks: its few blocks are meant to leave room, and it waits for other ranks
  kIsPersistent,  // as many blocks as the library likes, each of which works on several tiles
};
/// "", "communication", "persistent".
std::string_view name_of(KernelRole role);
/// By the name of a kernel as people read it (demangled()).
KernelRole role_of_kernel(std::string_view name);

/// Roles of the kernels of a trace; each name is looked at once.
class KernelRoles {
 public:
  /// The trace must outlive this.
  explicit KernelRoles(const Trace& trace) : trace_(trace), names_(trace) {}

  KernelRole of(const JoinedKernel& kernel) { return of_execution(kernel.execution); }
  KernelRole of_execution(uint32_t execution);

 private:
  const Trace& trace_;
  KernelNames names_;
  std::unordered_map<uint32_t, KernelRole> known_;  // by string id
};

/// What decides how many blocks a kernel has.
enum class KernelKind : uint8_t {
  kOther,
  kChannelNormalization,  // a block or a few for each channel
  kReduction,             // what is left after summing up, normalizations of rows included
  kProduct,               // matrix products and convolutions: tiles of what they compute
  kWeightGradient,        // the same of a convolution's weights: the batch adds no tiles
};
KernelKind kind_of_kernel(std::string_view name);

/// Whether the name says that the kernel is of a backward pass.
bool is_backward_kernel(std::string_view name);

/// The function's name alone: "bn_bw_1C11_kernel_new" of "void cudnn::bn_bw_1C11_kernel_new<float, 512>(float*)". Of
/// CUTLASS' wrappers (Kernel, Kernel2, device_kernel) it is that of their argument. A part of `name`.
std::string_view bare_kernel_name(std::string_view name);

}  // namespace xsp::analysis
