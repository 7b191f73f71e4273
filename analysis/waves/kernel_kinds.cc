#include "analysis/waves/kernel_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>
#include <string>

#include "proto/communication_kernels.h"

namespace xsp::analysis {
namespace {

/// Parts of names in lower case, as the libraries and profiles at hand have them.
constexpr std::array<std::string_view, 8> kPersistentParts = {
    "persist",     // cuDNN's recurrent and batch norm kernels, Triton's tutorials
    "stream_k",    // CUTLASS 2, Triton
    "streamk",     //
    "stream-k",    //
    "sm90_xmma",   // cuBLAS and cuDNN for compute capability 9.0
    "sm100_xmma",  // and 10.0
    "sm90tma",     // schedules of CUTLASS 3
    "kerneltmawarpspecialized",
};
/// With "cutlass" in the same name.
constexpr std::array<std::string_view, 2> kPersistentOfCutlass = {"sm90", "sm100"};

constexpr std::array<std::string_view, 3> kWeightGradientParts = {"wgrad", "bwdfilter", "backward_filter"};
constexpr std::array<std::string_view, 6> kChannelParts = {"bn_fw",      "bn_bw",        "batchnorm",
                                                           "batch_norm", "instancenorm", "instance_norm"};
constexpr std::array<std::string_view, 8> kReductionParts = {"reduce",     "softmax",  "layer_norm", "layernorm",
                                                             "group_norm", "rms_norm", "rmsnorm",    "moments"};
constexpr std::array<std::string_view, 13> kProductParts = {"gemm",     "gemv",     "xmma",  "cutlass",  "scudnn",
                                                            "884cudnn", "816cudnn", "dgrad", "winograd", "convolve",
                                                            "conv2d",   "matmul",   "fprop"};
// Not "grad" alone: Winograd.
constexpr std::array<std::string_view, 8> kBackwardParts = {"backward", "_bwd",  "bwd_",  "_bw_",
                                                            "dgrad",    "wgrad", "_grad", "gradinput"};

/// Longer names are not read to their end.
constexpr size_t kMostLetters = 4096;

std::string lower_case(std::string_view name) {
  std::string lower(name.substr(0, kMostLetters));
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

bool has_any(std::string_view name, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

constexpr std::string_view kAnonymous = "(anonymous namespace)";

/// Of "void a::f<int>(char*)": "f", and what stands between its angle brackets.
struct FunctionName {
  std::string_view name;
  std::string_view arguments;
  std::string_view head;  // all that stands before its parameters
};

FunctionName function_name(std::string_view text) {
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  size_t begin = 0;
  size_t end = std::string_view::npos;  // of the name, where a bracket follows it
  size_t closed = std::string_view::npos;
  size_t depth = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '<') {
      if (depth++ == 0 && end == std::string_view::npos) end = i;
    } else if (letter == '>') {
      if (depth != 0 && --depth == 0 && closed == std::string_view::npos) closed = i;
    } else if (depth == 0 && letter == '(') {
      if (!text.substr(i).starts_with(kAnonymous)) break;
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && text.substr(i).starts_with("::")) {
      begin = i + 2;
      end = closed = std::string_view::npos;
      ++i;
    }
  }
  const std::string_view name = text.substr(begin, std::min(end, i) - begin);
  if (end == std::string_view::npos || closed == std::string_view::npos) return {name, {}, text.substr(0, i)};
  return {name, text.substr(end + 1, closed - end - 1), text.substr(0, i)};
}

/// The first of "a<b, c>, d".
std::string_view first_argument(std::string_view arguments) {
  size_t depth = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == '<' || arguments[i] == '(') ++depth;
    if ((arguments[i] == '>' || arguments[i] == ')') && depth != 0) --depth;
    if (arguments[i] == ',' && depth == 0) return arguments.substr(0, i);
  }
  return arguments;
}

}  // namespace

std::string_view name_of(KernelRole role) {
  static constexpr std::array<std::string_view, 3> kNames = {"", "communication", "persistent"};
  return kNames[static_cast<size_t>(role)];
}

KernelRole role_of_kernel(std::string_view name) {
  if (wire::is_communication_kernel(name)) return KernelRole::kCommunicates;
  // Types of parameters say what a kernel is given, not what it is.
  const std::string lower = lower_case(function_name(name).head);
  const bool is_cutlass = lower.find("cutlass") != std::string::npos;
  const bool is_persistent = has_any(lower, kPersistentParts) || (is_cutlass && has_any(lower, kPersistentOfCutlass));
  return is_persistent ? KernelRole::kIsPersistent : KernelRole::kComputes;
}

KernelRole KernelRoles::of_execution(uint32_t execution) {
  const uint32_t name = trace_.spans.name[trace_.executions.row[execution]];
  const auto [found, is_new] = known_.try_emplace(name);
  if (is_new) found->second = role_of_kernel(names_.text(name));
  return found->second;
}

KernelKind kind_of_kernel(std::string_view name) {
  const std::string lower = lower_case(bare_kernel_name(name));
  if (has_any(lower, kWeightGradientParts)) return KernelKind::kWeightGradient;
  if (has_any(lower, kChannelParts)) return KernelKind::kChannelNormalization;
  if (has_any(lower, kReductionParts)) return KernelKind::kReduction;
  if (has_any(lower, kProductParts)) return KernelKind::kProduct;
  return KernelKind::kOther;
}

bool is_backward_kernel(std::string_view name) { return has_any(lower_case(bare_kernel_name(name)), kBackwardParts); }

std::string_view bare_kernel_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kWrappers = {"Kernel", "Kernel2", "device_kernel"};
  const FunctionName function = function_name(name);
  if (std::find(kWrappers.begin(), kWrappers.end(), function.name) != kWrappers.end()) {
    const std::string_view wrapped = function_name(first_argument(function.arguments)).name;
    if (!wrapped.empty()) return wrapped;
  }
  return function.name.empty() ? name : function.name;
}

}  // namespace xsp::analysis
