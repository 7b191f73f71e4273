#include <algorithm>

#include "bound/model/fused_activation.h"
#include "bound/model/node_problem.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

struct ProductOperand {
  Dimensions dimensions;
  bool is_transposed = false;

  size_t rank() const { return dimensions.size(); }
  Dimensions batch() const { return Dimensions(dimensions.begin(), dimensions.end() - 2); }
  /// Puts other leading dimensions before the matrix.
  void set_batch(Dimensions batch) {
    batch.insert(batch.end(), dimensions.end() - 2, dimensions.end());
    dimensions = std::move(batch);
  }
};

/// A vector is a row on the left and a column on the right; transposing it means nothing.
void make_matrices(ProductOperand* left, ProductOperand* right) {
  if (left->rank() == 1) {
    left->dimensions.insert(left->dimensions.begin(), 1);
    left->is_transposed = false;
  }
  if (right->rank() == 1) {
    right->dimensions.push_back(1);
    right->is_transposed = false;
  }
}

/// The fewest dimensions that say the same.
void fold(ProductOperand* left, ProductOperand* right) {
  if (product_of(right->batch()) == 1) right->set_batch({});
  if (product_of(left->batch()) == 1) left->set_batch({});
  if (right->rank() == 2 && !left->is_transposed && left->rank() > 2) {
    const int64_t rows = product_of(left->dimensions, 0, left->rank() - 1);
    left->dimensions = {rows, left->dimensions.back()};
  } else if (right->rank() > 2 && left->batch() == right->batch()) {
    const Dimensions batch = {product_of(left->batch())};
    left->set_batch(batch);
    right->set_batch(batch);
  } else if (right->rank() == 2 && left->rank() > 3) {
    left->set_batch({product_of(left->batch())});
  } else if (left->rank() == 2 && right->rank() > 3) {
    right->set_batch({product_of(right->batch())});
  }
}

Made product(const NodeView& view, size_t left_input, size_t right_input, bool is_left_transposed,
             bool is_right_transposed, double alpha) {
  if (!view.has_shape(left_input) || !view.has_shape(right_input) || view.output(0) == nullptr) return {};
  ProductOperand left{view.input(left_input)->dimensions, is_left_transposed};
  ProductOperand right{view.input(right_input)->dimensions, is_right_transposed};
  if (left.rank() == 0 || right.rank() == 0) return {};
  make_matrices(&left, &right);
  fold(&left, &right);
  NodeProblem made{Problem("matmul"), {left_input, right_input}};
  made.problem.set_dimensions("src", left.dimensions).set_dimensions("wei", right.dimensions);
  made.problem.set_integer("ta", left.is_transposed ? 1 : 0).set_integer("tb", right.is_transposed ? 1 : 0);
  made.problem.set("bias", "0").set("post", "");
  if (alpha != 1) made.problem.set_number("alpha", alpha);
  made.problem.set("dtype", types_text(*view.input(left_input), *view.input(right_input), *view.output(0)));
  return made;
}

Made plain_product(const NodeView& view, std::string_view) { return product(view, 0, 1, false, false, 1); }

Made quantized_product(const NodeView& view, std::string_view) { return product(view, 0, 3, false, false, 1); }

/// ONNX Runtime's, with both operands and a factor.
Made fused_product(const NodeView& view, std::string_view) {
  const Node& node = view.node();
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0) return {};
  return product(view, 0, 1, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0, node.number("alpha", 1));
}

/// alpha · A · B + beta · C, of matrices.
Made general_product(const NodeView& view, std::string_view) {
  const Node& node = view.node();
  const auto activation = fused_activation(node);
  if (!view.has_shape(0) || !view.has_shape(1) || view.output(0) == nullptr || !activation) return {};
  if (view.input(0)->dimensions.size() != 2 || view.input(1)->dimensions.size() != 2) return {};
  const double alpha = node.number("alpha", 1);
  const double beta = node.number("beta", 1);
  const bool has_addend = view.input(2) != nullptr && beta != 0;
  if (has_addend && !view.has_shape(2)) return {};
  NodeProblem made{Problem("matmul"), {0, 1}};
  made.problem.set_dimensions("src", view.input(0)->dimensions).set_dimensions("wei", view.input(1)->dimensions);
  made.problem.set_integer("ta", node.integer("transA", 0) != 0 ? 1 : 0);
  made.problem.set_integer("tb", node.integer("transB", 0) != 0 ? 1 : 0);
  if (has_addend) {
    made.problem.set_dimensions("bias", view.input(2)->dimensions);
    made.operands.push_back(2);
  } else {
    made.problem.set("bias", "0");
  }
  made.problem.set("post", *activation);
  if (alpha != 1) made.problem.set_number("alpha", alpha);
  if (has_addend && beta != 1) made.problem.set_number("beta", beta);
  made.problem.set("dtype", types_text(*view.input(0), *view.input(1), *view.output(0)));
  return made;
}

constexpr ProblemRule kProductProblems[] = {
    {"", "Gemm", general_product},
    {"", "MatMul", plain_product},
    {"", "MatMulInteger", plain_product},
    {"", "QLinearMatMul", quantized_product},
    {"com.microsoft", "FusedGemm", general_product},
    {"com.microsoft", "FusedMatMul", fused_product},
};

}  // namespace

std::span<const ProblemRule> product_problems() { return kProductProblems; }

}  // namespace xsp::bound
