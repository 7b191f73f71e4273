#include "analysis/timeline/bookkeeping_operators.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace xsp::analysis {
namespace {

constexpr std::string_view kView = "another view of the same memory";
constexpr std::string_view kMemory = "takes memory and writes nothing into it";
constexpr std::string_view kGradients = "adds a parameter's gradient to what it has";
constexpr std::string_view kBuckets = "copies gradients to or from the buffers in which they are reduced";
constexpr std::string_view kRecord = "marks what is recorded";
constexpr std::string_view kQuestion = "asks a tensor what it is";
constexpr std::string_view kGroup = "orders a stream behind communication, and moves no data";

constexpr BookkeepingOperator kOperators[] = {
    {"AccumulateGrad", kGradients},
    {"torch::autograd::AccumulateGrad", kGradients},
    {"torch::autograd::CopySlices", kView},
    {"torch::autograd::GraphRoot", "begins a backward pass"},

    {"torch::distributed::reducer::*", kBuckets},
    {"torch.distributed.ddp.reducer::*", kBuckets},

    {"record_param_comms", kRecord},
    {"profiler::_record_function_enter*", kRecord},
    {"profiler::_record_function_exit*", kRecord},

    {"_c10d_functional::wait_tensor", kGroup},
    {"c10d_functional::wait_tensor", kGroup},

    {"aten::view", kView},
    {"aten::view_as", kView},
    {"aten::view_as_real", kView},
    {"aten::view_as_complex", kView},
    {"aten::_unsafe_view", kView},
    {"aten::_reshape_alias", kView},
    {"aten::reshape", kView},
    {"aten::reshape_as", kView},
    {"aten::flatten", kView},
    {"aten::unflatten", kView},
    {"aten::as_strided", kView},
    {"aten::as_strided_", kView},
    {"aten::detach", kView},
    {"aten::detach_", kView},
    {"aten::alias", kView},
    {"aten::t", kView},
    {"aten::t_", kView},
    {"aten::numpy_T", kView},
    {"aten::transpose", kView},
    {"aten::transpose_", kView},
    {"aten::swapaxes", kView},
    {"aten::swapdims", kView},
    {"aten::movedim", kView},
    {"aten::permute", kView},
    {"aten::expand", kView},
    {"aten::expand_as", kView},
    {"aten::broadcast_to", kView},
    {"aten::broadcast_tensors", kView},
    {"aten::slice", kView},
    {"aten::select", kView},
    {"aten::narrow", kView},
    {"aten::diagonal", kView},
    {"aten::split", kView},
    {"aten::split_with_sizes", kView},
    {"aten::chunk", kView},
    {"aten::tensor_split", kView},
    {"aten::unbind", kView},
    {"aten::unfold", kView},
    {"aten::squeeze", kView},
    {"aten::squeeze_", kView},
    {"aten::unsqueeze", kView},
    {"aten::unsqueeze_", kView},
    {"aten::real", kView},
    {"aten::imag", kView},
    {"aten::conj", kView},
    {"aten::_conj", kView},
    {"aten::resolve_conj", kView},
    {"aten::resolve_neg", kView},
    {"aten::lift", kView},
    {"aten::lift_fresh", kView},
    {"aten::set_data", kView},
    {"aten::set_", kView},

    {"aten::empty", kMemory},
    {"aten::empty_like", kMemory},
    {"aten::empty_strided", kMemory},
    {"aten::empty_permuted", kMemory},
    {"aten::empty_quantized", kMemory},
    {"aten::new_empty", kMemory},
    {"aten::new_empty_strided", kMemory},
    {"aten::resize_", kMemory},
    {"aten::resize_as_", kMemory},

    {"aten::_has_compatible_shallow_copy_type", kQuestion},
    {"aten::_has_same_storage_numel", kQuestion},
    {"aten::_version", kQuestion},
    {"aten::_nested_tensor_*", kQuestion},
    {"aten::is_complex", kQuestion},
    {"aten::is_contiguous", kQuestion},
    {"aten::is_floating_point", kQuestion},
    {"aten::is_leaf", kQuestion},
    {"aten::is_pinned", kQuestion},
    {"aten::is_same_size", kQuestion},
    {"aten::_is_zerotensor", kQuestion},
    {"aten::requires_grad_", kQuestion},
    {"aten::result_type", kQuestion},
    {"aten::size", kQuestion},
    {"aten::stride", kQuestion},
    {"aten::dim", kQuestion},
    {"aten::numel", kQuestion},
    {"aten::sym_*", kQuestion},
    {"aten::output_nr", kQuestion},
};

/// A pattern's * stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  if (rest.empty()) return true;
  const std::string_view after = name.substr(star);
  for (size_t i = 0; i <= after.size(); ++i) {
    if (matches(rest, after.substr(i))) return true;
  }
  return false;
}

}  // namespace

std::span<const BookkeepingOperator> bookkeeping_operators() { return kOperators; }

const BookkeepingOperator* find_bookkeeping(std::string_view operator_name) {
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
  if (operator_name.starts_with(kEngine)) operator_name.remove_prefix(kEngine.size());
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const BookkeepingOperator& known) { return matches(known.name, operator_name); });
  return found == std::end(kOperators) ? nullptr : found;
}

bool is_communication_operator(std::string_view operator_name) {
  constexpr std::array<std::string_view, 6> kPrefixes = {
      "nccl:", "c10d::", "_c10d_functional::", "c10d_functional::", "symm_mem::", "gloo:"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return operator_name.starts_with(prefix); });
}

}  // namespace xsp::analysis
