#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// Where the matrix of an operand begins that belongs to a matrix of the result.
size_t matrix_begin(const Indices& indices, size_t batch_rank, const Dimensions& operand) {
  const Dimensions batch(operand.begin(), operand.end() - 2);
  return broadcast_position(indices, batch_rank, batch) *
         static_cast<size_t>(operand[operand.size() - 2] * operand.back());
}

double product_at(const ProductForm& form, const ReferenceInput& input, size_t position) {
  const Indices indices = indices_of(position, input.result);
  const size_t batch_rank = form.batch.size();
  const PlainTensor& source = input.operand(0);
  const PlainTensor& weight = input.operand(1);
  const auto row = static_cast<size_t>(indices[batch_rank]);
  const auto column = static_cast<size_t>(indices[batch_rank + 1]);
  const auto rows = static_cast<size_t>(form.rows);
  const auto columns = static_cast<size_t>(form.columns);
  const auto depth = static_cast<size_t>(form.depth);
  const float* const a = source.values.data() + matrix_begin(indices, batch_rank, source.dimensions);
  const float* const b = weight.values.data() + matrix_begin(indices, batch_rank, weight.dimensions);
  double sum = 0;
  for (size_t k = 0; k < depth; ++k) {
    const float x = form.is_source_transposed ? a[k * rows + row] : a[row * depth + k];
    const float y = form.is_weight_transposed ? b[column * depth + k] : b[k * columns + column];
    sum += static_cast<double>(x) * static_cast<double>(y);
  }
  sum *= input.problem.number("alpha", 1);
  if (const PlainTensor* bias = input.named("bias")) {
    const size_t at = broadcast_position(indices, input.result.size(), bias->dimensions);
    sum += input.problem.number("beta", 1) * static_cast<double>(bias->values[at]);
  }
  return sum;
}

}  // namespace

ReferenceValue product_reference(const ReferenceInput& input) {
  const auto form = product_form(input.problem).value_or(ProductForm());
  return [form, input](size_t position) { return product_at(form, input, position); };
}

}  // namespace xsp::bound
