#include "bound/fusion/group_work.h"

#include <algorithm>

#include "bound/model/layer_work.h"
#include "bound/onnx/element_type.h"
#include "bound/problems/geometry.h"
#include "bound/problems/operand_shapes.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound {
namespace {

/// Flops of an element, by the names of doc/metrics.md; what is not listed is one.
struct RateOfStep {
  std::string_view alg;
  double flops;
};
constexpr RateOfStep kRates[] = {
    {"abs", 0},      {"ceil", 0},      {"clip", 0},        {"elu", 3},       {"floor", 0},
    {"gelu_erf", 8}, {"gelu_tanh", 8}, {"hardsigmoid", 2}, {"hardswish", 3}, {"max", 0},
    {"min", 0},      {"mish", 5},      {"neg", 0},         {"relu", 0},      {"round", 0},
    {"selu", 3},     {"sigmoid", 3},   {"silu", 4},        {"softplus", 3},
};

double rate_of(std::string_view alg) {
  const auto* const found = std::ranges::find(kRates, alg, &RateOfStep::alg);
  return found == std::end(kRates) ? 1 : found->flops;
}

double elements_of(const Dimensions& dimensions) { return static_cast<double>(elements_in(dimensions).value_or(0)); }

double bytes_of_type(const std::string& element) {
  return bytes_of(element_type_named(element).value_or(ElementType::kF32));
}

/// Of the operation itself for each element of the result; those of products apart.
double flops_per_result(const Problem& problem) {
  const std::string_view kind = problem.kind();
  if (kind == "eltwise" || kind == "binary") return rate_of(problem.field("alg"));
  // Mean, difference, square, sum, ÷ deviation, and what is scaled and added.
  if (kind == "layernorm") return 6 + static_cast<double>(problem.integer("bias"));
  if (kind == "addnorm")
    return 7 + static_cast<double>(problem.integer("bias")) + static_cast<double>(problem.integer("row"));
  return 0;
}

}  // namespace

std::optional<GroupWork> work_of_group(const Problem& problem) {
  const auto result = checked_result_dimensions(problem);
  if (!result) return {};
  const double results = elements_of(*result);
  GroupWork work{2 * multiply_adds_of(problem) + flops_per_result(problem) * results, 0};
  const bool is_product = problem.kind() == "conv" || problem.kind() == "deconv" || problem.kind() == "matmul";
  if (is_product && problem.field("bias") != "0") work.flops += results;
  if (problem.kind() == "sdpa") {
    const Dimensions query = problem.dimensions("q"), key = problem.dimensions("k");
    work.flops = 2 * elements_of({query[0], query[1], query[2], key[2]}) * static_cast<double>(key[3] + (*result)[3]);
  }
  for (const PostStep& step : post_steps(problem.field("post"))) work.flops += rate_of(step.alg) * results;
  for (const OperandShape& operand : operand_shapes(problem))
    work.bytes += elements_of(operand.dimensions) * bytes_of_type(operand.element);
  work.bytes += results * bytes_of_type(problem.types().destination);
  return work;
}

}  // namespace xsp::bound
