#include <algorithm>
#include <cctype>
#include <limits>

#include "analysis/work/library_work.h"
#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

std::optional<TensorShape> shape_of(const ExecutionPlan::Tensor& tensor) {
  return TensorShape::of(tensor.type, tensor.dimensions);
}

/// The tensor in a role whatever its case: plans have "X" and "dX".
std::optional<TensorShape> tensor_in(const ExecutionPlan& plan, const ExecutionPlan::Operation& operation,
                                     std::string_view role) {
  for (const auto& [name, index] : operation.tensors) {
    if (in_lower_case(name) == role) return shape_of(plan.tensors[index]);
  }
  return {};
}

bool is_written(const std::string& kind, const std::string& role) {
  if (kind == "matmul") return role == "c";
  static constexpr std::string_view kWritten[] = {"y",     "dx",     "dw",    "o",   "dq",    "dk",       "dv",
                                                  "stats", "dscale", "dbias", "sum", "sqsum", "eq_scale", "eq_bias"};
  return std::find(std::begin(kWritten), std::end(kWritten), role) != std::end(kWritten);
}

/// Flops of one operation; nothing for one that is not known.
std::optional<double> flops_of(const ExecutionPlan& plan, const ExecutionPlan::Operation& operation) {
  const auto tensor = [&](std::string_view role) { return tensor_in(plan, operation, role); };
  const std::string& kind = operation.kind;
  if (kind.starts_with("convolution")) {
    auto filter = tensor("w");
    auto result = tensor("y");
    if (!filter) filter = tensor("dw");
    if (!result) result = tensor("dy");
    if (!filter || !result || filter->rank() < 3 || filter->dimension(0) == 0) return {};
    return 2 * result->elements * (filter->elements / static_cast<double>(filter->dimension(0)));
  }
  if (kind == "matmul") {
    const auto a = tensor("a");
    const auto c = tensor("c");
    if (!a || !c || a->rank() < 2) return {};
    return 2 * c->elements * static_cast<double>(a->dimension(-1));
  }
  if (kind == "pointwise") {
    const auto flops = pointwise_flops(operation.mode);
    auto result = tensor("y");
    if (!result) result = tensor("dx");
    return flops && result ? std::optional(*flops * result->elements) : std::nullopt;
  }
  if (kind == "reduction") {
    const auto x = tensor("x");
    if (!x) return {};
    const bool compares = operation.mode == "MAX" || operation.mode == "MIN" || operation.mode == "AMAX";
    return (compares ? 0 : operation.mode == "NORM2" ? 2 : 1) * x->elements;
  }
  if (kind == "gen_stats") {
    const auto x = tensor("x");
    return x ? std::optional(3 * x->elements) : std::nullopt;
  }
  if (kind == "norm_forward" || kind == "norm_backward") {
    const auto x = tensor("x");
    return x ? std::optional((kind == "norm_forward" ? 7 : 9) * x->elements) : std::nullopt;
  }
  static constexpr std::string_view kMoving[] = {"reshape", "transpose",         "slice", "concat", "rng",
                                                 "signal",  "diagonal_band_mask"};
  if (std::find(std::begin(kMoving), std::end(kMoving), kind) != std::end(kMoving)) return 0;
  return {};
}

}  // namespace

std::optional<CallWork> plan_work(const ExecutionPlan& plan) {
  double flops = 0;
  std::vector<bool> read(plan.tensors.size());
  std::vector<bool> written(plan.tensors.size());
  DataType type = DataType::kUnknown;
  double most = -1;
  auto formula = FormulaId::kFusedPlan;
  for (const ExecutionPlan::Operation& operation : plan.operations) {
    const auto of_operation = flops_of(plan, operation);
    if (!of_operation) return {};
    flops += *of_operation;
    for (const auto& [role, index] : operation.tensors) {
      (is_written(operation.kind, in_lower_case(role)) ? written : read)[index] = true;
    }
    // The type is that of the inputs of the largest operation.
    if (*of_operation > most && !operation.tensors.empty()) {
      most = *of_operation;
      type = data_type_of(plan.tensors[operation.tensors.front().second].type);
      formula = operation.kind.starts_with("convolution") || operation.kind == "matmul" ? FormulaId::kFusedPlan
                                                                                        : FormulaId::kElementwise;
    }
  }
  double bytes_read = 0;
  double bytes_written = 0;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const auto& tensor = plan.tensors[i];
    if (tensor.is_virtual || tensor.is_by_value) continue;
    const auto shape = shape_of(tensor);
    const double bytes = shape ? shape->bytes() : std::numeric_limits<double>::quiet_NaN();
    if (read[i]) bytes_read += bytes;
    if (written[i]) bytes_written += bytes;
  }
  const auto work = work_of(formula, flops, bytes_read, bytes_written, type);
  return work ? std::optional(CallWork{*work}) : std::nullopt;
}

}  // namespace xsp::analysis
