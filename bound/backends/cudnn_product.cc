#include <algorithm>
#include <numeric>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

int64_t product_of(const Dimensions& dimensions, size_t begin, size_t end) {
  return std::accumulate(dimensions.begin() + static_cast<std::ptrdiff_t>(begin),
                         dimensions.begin() + static_cast<std::ptrdiff_t>(end), int64_t{1}, std::multiplies<>());
}

/// With ones before its dimensions.
Dimensions of_rank(Dimensions dimensions, size_t rank) {
  if (dimensions.size() < rank) dimensions.insert(dimensions.begin(), rank - dimensions.size(), 1);
  return dimensions;
}

/// The batch as one dimension where every operand has all of it or only one matrix.
class BatchFold {
 public:
  BatchFold(const Dimensions& result, std::initializer_list<const Dimensions*> operands) : rank_(result.size()) {
    const int64_t whole = product_of(result, 0, rank_ - 2);
    for (const Dimensions* operand : operands) {
      const Dimensions padded = of_rank(*operand, rank_);
      const int64_t own = product_of(padded, 0, rank_ - 2);
      can_fold_ = can_fold_ && (own == whole || own == 1);
    }
  }

  Dimensions folded(const Dimensions& dimensions) const {
    const Dimensions padded = of_rank(dimensions, std::max<size_t>(rank_, 3));
    if (!can_fold_) return padded;
    const size_t rank = padded.size();
    return {product_of(padded, 0, rank - 2), padded[rank - 2], padded[rank - 1]};
  }

 private:
  size_t rank_;
  bool can_fold_ = true;
};

TensorId matrix(Draft* draft, size_t operand, Dimensions dimensions, bool is_transposed) {
  Dimensions strides = strides_of(dimensions, DataLayout::kPlain);
  if (is_transposed) {
    const size_t rank = dimensions.size();
    std::swap(dimensions[rank - 1], dimensions[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  return draft->view(operand, std::move(dimensions), std::move(strides));
}

}  // namespace

Status draw_product(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto form = product_form(input.problem());
  const auto source = input.operand("src"), weights = input.operand("wei"), bias = input.operand("bias");
  if (!form || !source || !weights) return {"no product of matrices", ""};
  const Dimensions none;
  const Dimensions& bias_dimensions = bias ? input.dimensions_of(*bias) : none;
  const BatchFold fold(input.result(),
                       {&input.dimensions_of(*source), &input.dimensions_of(*weights), &bias_dimensions});
  Draft draft(input, DataLayout::kPlain);
  const TensorId a = matrix(&draft, *source, fold.folded(input.dimensions_of(*source)), form->is_source_transposed);
  const TensorId b = matrix(&draft, *weights, fold.folded(input.dimensions_of(*weights)), form->is_weight_transposed);
  TensorId c = draft.product(a, b, fold.folded(input.result()));
  if (const double alpha = input.problem().number("alpha", 1); alpha != 1) {
    c = draft.binary(CUDNN_POINTWISE_MUL, c, alpha);
  }
  if (bias) {
    TensorId addend = draft.operand(*bias, fold.folded(bias_dimensions));
    if (const double beta = input.problem().number("beta", 1); beta != 1) {
      addend = draft.binary(CUDNN_POINTWISE_MUL, addend, beta);
    }
    c = draft.binary(CUDNN_POINTWISE_ADD, c, addend);
  }
  if (Status status = draft.apply_post(&c); !status.ok()) return status;
  graphs->push_back(std::move(draft).finish(c));
  return {};
}

}  // namespace xsp::bound::cudnn
