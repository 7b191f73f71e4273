#include <algorithm>

#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {
namespace {

struct ProductOperands {
  size_t source, weights;
  std::optional<size_t> bias;
  PlainView source_view, weight_view;
};

/// A matrix that is stored transposed, as what it is in the product.
PlainView matrix_view(const Dimensions& dimensions, size_t rank, bool is_transposed) {
  PlainView view = row_major_of_rank(dimensions, rank);
  if (is_transposed) {
    std::swap(view.dimensions[rank - 1], view.dimensions[rank - 2]);
    std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  }
  return view;
}

/// A row that is added to all rows.
bool is_one_row(const Dimensions& bias, int64_t columns) {
  return !bias.empty() && bias.back() == columns &&
         std::all_of(bias.begin(), bias.end() - 1, [](int64_t dimension) { return dimension == 1; });
}

/// What the product is multiplied by.
double factor_of(const PlanInput& input) { return input.problem().number("alpha", 1); }

Status add_factor(const PlanInput& input, Plan* plan) {
  if (factor_of(input) == 1) return {};
  const auto form = input.dialect().eltwise("linear", factor_of(input), 0);
  if (!form) return {"this oneDNN has no post-op linear"};
  plan->request.post_ops.push_back({PostOp::Kind::kEltwise, form->algorithm, form->alpha, form->beta, nullptr});
  return {};
}

/// Adds the bias as what the primitive calls one, or else, as a post-op, with all the dimensions that it may have.
Status add_bias(const PlanInput& input, size_t operand, Plan* plan) {
  const Dimensions& result = input.result();
  const PlainView view = row_major_of_rank(input.dimensions_of(operand), result.size());
  Description bias = input.described(input.type_of(operand), view);
  if (!bias) return {"the bias cannot be described"};
  // What the primitive calls a bias is multiplied, too, by a factor that comes behind it.
  if (factor_of(input) == 1 && is_one_row(view.dimensions, result.back())) {
    plan->request.bias = std::move(bias);
    plan->arguments.push_back({kBias, operand, view});
    return {};
  }
  plan->arguments.push_back({input.dialect().addend_argument(plan->request.post_ops.size()), operand, view});
  plan->request.post_ops.push_back({PostOp::Kind::kAddend, 0, 0, 0, std::move(bias)});
  return {};
}

Status add_matmul(const PlanInput& input, const ProductOperands& operands, bool packs_weights,
                  std::vector<Plan>* plans) {
  Plan plan;
  PrimitiveRequest& request = plan.request;
  request.kind = PrimitiveKind::kMatmul;
  request.sources = {input.described(input.type_of(operands.source), operands.source_view)};
  request.weights = packs_weights ? input.described(input.type_of(operands.weights), operands.weight_view.dimensions,
                                                    DataLayout::kAny)
                                  : input.described(input.type_of(operands.weights), operands.weight_view);
  request.destination = input.described(input.result_type(), input.result(), DataLayout::kPlain);
  if (!request.sources[0] || !request.weights || !request.destination) return {"oneDNN cannot describe these matrices"};
  plan.arguments = {{kSource, operands.source, operands.source_view},
                    {kWeights, operands.weights, operands.weight_view},
                    {kDestination, {}, row_major(input.result())}};
  plan.layout = packs_weights ? "weights any" : "plain";
  if (packs_weights) plan.chosen_argument = kWeights;
  if (Status status = add_factor(input, &plan); !status.ok()) return status;
  if (operands.bias) {
    if (Status status = add_bias(input, *operands.bias, &plan); !status.ok()) return status;
  }
  return add_with_post_ops(input, plan, DataLayout::kPlain, plans);
}

/// The primitive of fully connected layers: weights are [N, K].
Status add_inner_product(const PlanInput& input, const ProductOperands& operands, std::vector<Plan>* plans) {
  Plan plan;
  PrimitiveRequest& request = plan.request;
  request.kind = PrimitiveKind::kInnerProduct;
  PlainView weights = operands.weight_view;
  std::swap(weights.dimensions[0], weights.dimensions[1]);
  std::swap(weights.strides[0], weights.strides[1]);
  request.sources = {input.described(input.type_of(operands.source), operands.source_view)};
  request.weights = input.described(input.type_of(operands.weights), weights.dimensions, DataLayout::kAny);
  request.destination = input.described(input.result_type(), input.result(), DataLayout::kPlain);
  plan.arguments = {{kSource, operands.source, operands.source_view},
                    {kWeights, operands.weights, weights},
                    {kDestination, {}, row_major(input.result())}};
  if (operands.bias) {
    const PlainView view = row_major({input.result().back()});
    request.bias = input.described(input.type_of(*operands.bias), view);
    plan.arguments.push_back({kBias, operands.bias, view});
  }
  if (!request.sources[0] || !request.weights || !request.destination || (operands.bias && !request.bias))
    return {"oneDNN cannot describe these matrices"};
  plan.layout = "inner product, weights any";
  plan.chosen_argument = kWeights;
  if (Status status = add_factor(input, &plan); !status.ok()) return status;
  return add_with_post_ops(input, plan, DataLayout::kPlain, plans);
}

}  // namespace

Status plan_product(const PlanInput& input, std::vector<Plan>* plans) {
  const auto form = product_form(input.problem());
  const auto source = input.operand("src"), weights = input.operand("wei");
  if (!form || !source || !weights) return {"no product of matrices"};
  if (input.operand("bias") && input.problem().number("beta", 1) != 1) return {"oneDNN multiplies no bias by beta"};
  const size_t rank = input.result().size();
  const ProductOperands operands{*source, *weights, input.operand("bias"),
                                 matrix_view(input.dimensions_of(*source), rank, form->is_source_transposed),
                                 matrix_view(input.dimensions_of(*weights), rank, form->is_weight_transposed)};
  // Matrices of a batch are results of other layers: packing them would be part of the work.
  const bool has_one_weight_matrix =
      std::all_of(operands.weight_view.dimensions.begin(), operands.weight_view.dimensions.end() - 2,
                  [](int64_t dimension) { return dimension == 1; });
  if (has_one_weight_matrix) {
    if (Status status = add_matmul(input, operands, true, plans); !status.ok()) return status;
  }
  if (Status status = add_matmul(input, operands, false, plans); !status.ok()) return status;
  const bool has_plain_bias =
      !operands.bias ||
      (factor_of(input) == 1 && is_one_row(input.dimensions_of(*operands.bias), input.result().back()));
  if (rank != 2 || form->is_source_transposed || !has_plain_bias) return {};
  return add_inner_product(input, operands, plans);
}

}  // namespace xsp::bound::onednn
