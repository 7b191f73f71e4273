#include <fmt/format.h>

#include <algorithm>

#include "bound/backends/onednn_plan.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound::onednn {
namespace {

Status append_function(const PlanInput& input, const PostStep& step, Plan* plan) {
  const auto form = input.dialect().eltwise(step.alg, step.alpha, step.beta);
  if (!form) return {fmt::format("this oneDNN has no post-op {}", step.alg)};
  plan->request.post_ops.push_back({PostOp::Kind::kEltwise, form->algorithm, form->alpha, form->beta, nullptr});
  return {};
}

Status append_addend(const PlanInput& input, size_t operand, DataLayout layout, Plan* plan) {
  const Dimensions& dimensions = input.dimensions_of(operand);
  Description addend = input.described(input.type_of(operand), dimensions, layout);
  if (!addend) return {"the addend cannot be described"};
  plan->arguments.push_back(
      {input.dialect().addend_argument(plan->request.post_ops.size()), operand, row_major(dimensions)});
  plan->request.post_ops.push_back({PostOp::Kind::kAddend, 0, 0, 0, std::move(addend)});
  return {};
}

Status append_post_ops(const PlanInput& input, DataLayout layout, bool sums, Plan* plan) {
  size_t added = 0;
  for (const PostStep& step : post_steps(input.problem().field("post"))) {
    if (!step.is_add()) {
      if (Status status = append_function(input, step, plan); !status.ok()) return status;
      continue;
    }
    const auto operand = input.operand(added == 0 ? "add" : fmt::format("add.{}", added));
    if (!operand) return {"a problem whose addend has no operand"};
    if (sums && added == 0) {
      plan->request.post_ops.push_back({PostOp::Kind::kSum, 0, 0, 0, nullptr});
      plan->initial_destination = operand;
    } else if (Status status = append_addend(input, *operand, layout, plan); !status.ok()) {
      return status;
    }
    ++added;
  }
  return {};
}

}  // namespace

Status add_with_post_ops(const PlanInput& input, const Plan& plan, DataLayout layout, std::vector<Plan>* plans) {
  // What lies in the destination comes first: it is what frameworks ask for. Behind another step some implementations
  // of version 2 add it before that step.
  const auto steps = post_steps(input.problem().field("post"));
  const bool is_first = std::ranges::none_of(
      plan.request.post_ops, [](const PostOp& earlier) { return earlier.kind == PostOp::Kind::kEltwise; });
  if (is_first && !steps.empty() && steps.front().is_add()) {
    Plan with_sum = plan;
    if (Status status = append_post_ops(input, layout, true, &with_sum); !status.ok()) return status;
    plans->push_back(std::move(with_sum));
  }
  Plan without_sum = plan;
  if (Status status = append_post_ops(input, layout, false, &without_sum); !status.ok()) return status;
  plans->push_back(std::move(without_sum));
  return {};
}

}  // namespace xsp::bound::onednn
