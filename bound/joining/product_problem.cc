#include "bound/joining/product_problem.h"

#include <algorithm>

#include "bound/joining/call_node.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

/// Libraries want equal ranks, models leave ones in front out.
Dimensions without_ones(Dimensions sizes) {
  const auto first = std::find_if(sizes.begin(), sizes.end() - 2, [](int64_t size) { return size != 1; });
  sizes.erase(sizes.begin(), first);
  return sizes;
}

struct Ends {
  int64_t rows, columns;
};

Ends ends_of(const StoredMatrix& matrix) {
  const int64_t last = matrix.sizes.back();
  const int64_t before = matrix.sizes[matrix.sizes.size() - 2];
  return matrix.is_transposed ? Ends{last, before} : Ends{before, last};
}

}  // namespace

std::optional<Problem> problem_of_product(const ProductCall& call) {
  if (call.left.sizes.size() < 2 || call.right.sizes.size() < 2) return {};
  const Ends left = ends_of(call.left), right = ends_of(call.right);
  Dimensions left_sizes = without_ones(call.left.sizes), right_sizes = without_ones(call.right.sizes);
  if (left.columns != right.rows) return {};
  const Dimensions left_batch(left_sizes.begin(), left_sizes.end() - 2);
  const Dimensions right_batch(right_sizes.begin(), right_sizes.end() - 2);
  Dimensions result;
  if (!broadcast(left_batch, right_batch, &result)) return {};
  result.push_back(left.rows);
  result.push_back(right.columns);
  CallNode node("FusedMatMul", "com.microsoft");
  node.input(call.left.element, std::move(left_sizes)).input(call.right.element, std::move(right_sizes));
  node.output(call.result, std::move(result));
  node.integer("transA", call.left.is_transposed ? 1 : 0).integer("transB", call.right.is_transposed ? 1 : 0);
  if (call.factor != 1) node.number("alpha", call.factor);
  auto problem = node.problem();
  if (!problem) return {};
  if (call.adds_row) problem->set_dimensions("bias", {right.columns});
  if (call.adds_column) problem->set_dimensions("bias", {left.rows, 1});
  problem->set("post", call.post);
  return problem;
}

}  // namespace xsp::bound
