#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bound/shapes/einsum.h"
#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// NumPy's product: the last two dimensions are matrices, those before are broadcast, vectors lose their dimension.
Finding multiply(Dimensions left, Dimensions right, Dimensions* result) {
  const Finding wrong = Finding::impossible(fmt::format("a product of {} and {}", text_of(left), text_of(right)));
  if (left.empty() || right.empty()) return wrong;
  const bool row = left.size() == 1;
  const bool column = right.size() == 1;
  if (row) left.insert(left.begin(), 1);
  if (column) right.push_back(1);
  if (left.back() != right[right.size() - 2]) return wrong;
  const int64_t rows = left[left.size() - 2];
  const int64_t columns = right.back();
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  Dimensions shape;
  if (!broadcast(left, right, &shape)) return wrong;
  if (!row) shape.push_back(rows);
  if (!column) shape.push_back(columns);
  *result = std::move(shape);
  return Finding::known();
}

Finding multiply_inputs(OperatorCall& call, size_t left, size_t right) {
  Dimensions shape;
  Finding finding = multiply(call.shape(left), call.shape(right), &shape);
  if (finding.is_known()) call.set_shape(0, std::move(shape));
  return finding;
}

Finding product(OperatorCall& call) { return multiply_inputs(call, 0, 1); }
Finding quantized_product(OperatorCall& call) { return multiply_inputs(call, 0, 3); }

/// Reads an operand as stored transposed. With `batch` its first dimension is the row, behind those of the batch.
Dimensions transposed(Dimensions shape, bool is_transposed, bool batch) {
  if (shape.size() < 2) return shape;
  if (batch && shape.size() > 2) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  if (is_transposed) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

Finding fused_product(OperatorCall& call) {
  const Node& node = call.node();
  Dimensions shape;
  Finding finding =
      multiply(transposed(call.shape(0), node.integer("transA", 0) != 0, node.integer("transBatchA", 0) != 0),
               transposed(call.shape(1), node.integer("transB", 0) != 0, node.integer("transBatchB", 0) != 0), &shape);
  if (finding.is_known()) call.set_shape(0, std::move(shape));
  return finding;
}

Finding multiply_general(OperatorCall& call, size_t left, size_t right) {
  const Node& node = call.node();
  if (call.rank(left) != 2) return wrong_rank("A", call.shape(left));
  if (call.rank(right) != 2) return wrong_rank("B", call.shape(right));
  const Dimensions a = transposed(call.shape(left), node.integer("transA", 0) != 0, false);
  const Dimensions b = transposed(call.shape(right), node.integer("transB", 0) != 0, false);
  if (a[1] != b[0]) return Finding::impossible(fmt::format("a product of {} and {}", text_of(a), text_of(b)));
  call.set_shape(0, {a[0], b[1]});
  return Finding::known();
}

Finding general_product(OperatorCall& call) {
  Finding finding = multiply_general(call, 0, 1);
  if (!finding.is_known() || !call.has(2)) return finding;
  Dimensions sum;
  const Dimensions& shape = call.output(0).dimensions;
  if (!broadcast(shape, call.shape(2), &sum) || sum != shape)
    return Finding::impossible(fmt::format("C is {}, the product {}", text_of(call.shape(2)), text_of(shape)));
  return finding;
}

Finding quantized_general_product(OperatorCall& call) { return multiply_general(call, 0, 3); }

/// Weights of few bits in blocks, N and K as attributes.
Finding blocked_product(OperatorCall& call) {
  Dimensions shape = call.shape(0);
  if (shape.empty() || shape.back() != call.node().integer("K", -1)) return wrong_rank("A", shape);
  shape.back() = call.node().integer("N", -1);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding einsum(OperatorCall& call) {
  std::vector<const Dimensions*> operands;
  for (size_t i = 0; i < call.input_count(); ++i) {
    if (!call.has(i)) return Finding::impossible("an input is left out");
    operands.push_back(&call.shape(i));
  }
  Dimensions shape;
  Finding finding = einsum_shape(call.node().text("equation", ""), operands, &shape);
  if (finding.is_known()) call.set_shape(0, std::move(shape));
  return finding;
}

Finding determinant(OperatorCall& call) {
  const Dimensions& shape = call.shape(0);
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2]) return wrong_rank("the input", shape);
  call.set_shape(0, Dimensions(shape.begin(), shape.end() - 2));
  return Finding::known();
}

constexpr OperatorRule kProductRules[] = {
    {"", "Det", 1, "0", determinant},
    {"", "Einsum", 1, "0", einsum},
    {"", "Gemm", 2, "0", general_product},
    {"", "MatMul", 2, "0", product},
    {"", "MatMulInteger", 2, "i32", product},
    {"", "QLinearMatMul", 8, "7", quantized_product},
    {"com.microsoft", "DynamicQuantizeMatMul", 2, "0", product},
    {"com.microsoft", "FusedGemm", 2, "0", general_product},
    {"com.microsoft", "FusedMatMul", 2, "0", fused_product},
    {"com.microsoft", "FusedMatMulActivation", 2, "0", fused_product},
    {"com.microsoft", "MatMulBnb4", 1, "0", blocked_product},
    {"com.microsoft", "MatMulInteger16", 2, "i32", product},
    {"com.microsoft", "MatMulIntegerToFloat", 4, "2", product},
    {"com.microsoft", "MatMulNBits", 1, "0", blocked_product},
    {"com.microsoft", "QGemm", 6, "8:1", quantized_general_product},
    {"com.microsoft", "TransposeMatMul", 2, "0", fused_product},
};

}  // namespace

std::span<const OperatorRule> product_rules() { return kProductRules; }

}  // namespace xsp::bound
