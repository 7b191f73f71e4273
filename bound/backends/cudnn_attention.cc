#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

/// The operands of an attention, as its graphs see them.
struct Attention {
  TensorId q, k, v;
  Dimensions scores;  // [B, H, L, S]
  Dimensions result;
};

/// `transposes_keys`: they are seen as columns.
Attention attention_of(Draft* draft, bool transposes_keys) {
  const ProblemInput& input = draft->input();
  const Dimensions& q = input.dimensions_of(*input.operand("q"));
  Dimensions k = input.dimensions_of(*input.operand("k"));
  Dimensions k_strides = strides_of(k, DataLayout::kPlain);
  const Dimensions scores{q[0], q[1], q[2], k[2]};
  if (transposes_keys) {
    std::swap(k[2], k[3]);
    std::swap(k_strides[2], k_strides[3]);
  }
  return {draft->operand(*input.operand("q"), q), draft->view(*input.operand("k"), k, k_strides),
          draft->operand(*input.operand("v"), input.dimensions_of(*input.operand("v"))), scores, input.result()};
}

/// MatMul, factor, mask, the parts of a softmax, MatMul: the pattern that engines for attention look for. That the
/// logarithm of the sums is computed, too, and not written, tells those of flash attention that they are meant.
Graph composed(const ProblemInput& input) {
  Draft draft(input, DataLayout::kPlain);
  const Attention attention = attention_of(&draft, true);
  TensorId scores = draft.product(attention.q, attention.k, attention.scores);
  scores = draft.binary(CUDNN_POINTWISE_MUL, scores, input.problem().number("scale", 1));
  if (const auto mask = input.operand("mask")) {
    Dimensions dimensions = input.dimensions_of(*mask);
    dimensions.insert(dimensions.begin(), 4 - dimensions.size(), 1);
    scores = draft.binary(CUDNN_POINTWISE_ADD, scores, draft.operand(*mask, dimensions));
  }
  Dimensions rows = attention.scores;
  rows.back() = 1;
  const TensorId largest = draft.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, rows);
  const TensorId weights = draft.unary(CUDNN_POINTWISE_EXP, draft.binary(CUDNN_POINTWISE_SUB, scores, largest));
  const TensorId sum = draft.reduce(CUDNN_REDUCE_TENSOR_ADD, weights, rows);
  draft.binary(CUDNN_POINTWISE_ADD, largest, draft.unary(CUDNN_POINTWISE_LOG, sum));
  const TensorId shares = draft.binary(CUDNN_POINTWISE_DIV, weights, sum);
  draft.set_element(shares, input.element_of(*input.operand("q")));
  const TensorId result = draft.product(shares, attention.v, attention.result);
  return std::move(draft).finish(result);
}

/// The operation that versions since 9.13 have for all of it but the mask.
Graph whole(const ProblemInput& input) {
  Draft draft(input, DataLayout::kPlain, "sdpa");
  const Attention attention = attention_of(&draft, false);
  const TensorId scale = draft.scalar(input.problem().number("scale", 1), 4);
  const TensorId result = draft.add({CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
                                     {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, std::vector{attention.q}},
                                      {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, std::vector{attention.k}},
                                      {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, std::vector{attention.v}},
                                      {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, std::vector{scale}}}},
                                    CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, attention.result);
  return std::move(draft).finish(result);
}

}  // namespace

Status draw_attention(const ProblemInput& input, std::vector<Graph>* graphs) {
  if (!input.operand("q") || !input.operand("k") || !input.operand("v")) return {"an attention without operands", ""};
  graphs->push_back(composed(input));
  if (!input.operand("mask")) graphs->push_back(whole(input));
  return {};
}

}  // namespace xsp::bound::cudnn
