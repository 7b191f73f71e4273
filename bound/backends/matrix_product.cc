#include "bound/backends/matrix_product.h"

#include <algorithm>
#include <limits>
#include <string>

namespace xsp::bound {
namespace {

using Dimensions = std::vector<int64_t>;

/// More elements than any machine holds are not a problem but a mistake.
constexpr int64_t kMostProductElements = int64_t{1} << 40;
constexpr int64_t kMostBatches = 1 << 20;

/// Number of elements; -1 where it is above `most` or a dimension is not positive.
int64_t elements_of(const Dimensions& dimensions, int64_t most) {
  int64_t elements = 1;
  for (const int64_t size : dimensions) {
    if (size <= 0 || size > most / elements) return -1;
    elements *= size;
  }
  return elements;
}

/// Dimension `index` from the end of the larger shape; 1 where the shape has none there.
int64_t from_end(const Dimensions& dimensions, size_t index) {
  return index < dimensions.size() ? dimensions[dimensions.size() - 1 - index] : 1;
}

/// Of two shapes by ONNX's rules; false where they do not fit.
bool broadcast(const Dimensions& left, const Dimensions& right, Dimensions* result) {
  const size_t rank = std::max(left.size(), right.size());
  result->assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t one = from_end(left, i);
    const int64_t other = from_end(right, i);
    if (one != other && one != 1 && other != 1) return false;
    (*result)[rank - 1 - i] = one == 1 ? other : one;
  }
  return true;
}

/// For each index of `all`, row-major, the offset in an operand of shape `own`, whose elements are `unit` apart.
std::vector<int64_t> offsets(const Dimensions& all, const Dimensions& own, int64_t unit) {
  std::vector<int64_t> result{0};
  int64_t step = unit;
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t size = from_end(all, i);
    const int64_t own_size = from_end(own, i);
    std::vector<int64_t> larger;
    larger.reserve(result.size() * static_cast<size_t>(size));
    for (int64_t index = 0; index < size; ++index) {
      for (const int64_t offset : result) larger.push_back(offset + (own_size == 1 ? 0 : index * step));
    }
    result = std::move(larger);
    step *= own_size;
  }
  return result;
}

}  // namespace

Status make_matrix_product(const Problem& problem, MatrixProduct* product) {
  const Dimensions a = problem.dimensions("src");
  const Dimensions b = problem.dimensions("wei");
  product->a_elements = elements_of(a, kMostProductElements);
  product->b_elements = elements_of(b, kMostProductElements);
  if (a.size() < 2 || b.size() < 2 || product->a_elements < 0 || product->b_elements < 0) {
    return {"the operands are no matrices", ""};
  }
  product->alpha = problem.number("alpha", 1);
  product->beta = problem.number("beta", 1);
  product->transposed_a = problem.integer("ta") != 0;
  product->transposed_b = problem.integer("tb") != 0;
  product->m = from_end(a, product->transposed_a ? 0 : 1);
  product->k = from_end(a, product->transposed_a ? 1 : 0);
  product->n = from_end(b, product->transposed_b ? 1 : 0);
  Dimensions all;
  const Dimensions batch_a(a.begin(), a.end() - 2);
  const Dimensions batch_b(b.begin(), b.end() - 2);
  if (product->k != from_end(b, product->transposed_b ? 0 : 1) || !broadcast(batch_a, batch_b, &all)) {
    return {"the operands do not fit", ""};
  }
  const int64_t batches = elements_of(all, kMostBatches);
  if (batches < 0 || elements_of({batches, product->m, product->n}, kMostProductElements) < 0) {
    return {"the product is too large", ""};
  }
  product->a = offsets(all, batch_a, product->m * product->k);
  product->b = offsets(all, batch_b, product->n * product->k);

  const std::string_view bias_text = problem.field("bias");
  if (bias_text.empty() || bias_text == "0") return {};
  const Dimensions bias = problem.dimensions("bias");
  product->bias_elements = elements_of(bias, kMostProductElements);
  const int64_t columns = from_end(bias, 0);
  const int64_t rows = from_end(bias, 1);
  const Dimensions batch_bias(bias.begin(), bias.end() - std::min<std::ptrdiff_t>(2, std::ssize(bias)));
  Dimensions with_bias;
  if (product->bias_elements < 0 || (columns != 1 && columns != product->n) || (rows != 1 && rows != product->m) ||
      !broadcast(all, batch_bias, &with_bias) || elements_of(with_bias, kMostBatches) != batches) {
    return {"the bias does not fit the product", ""};
  }
  product->bias = offsets(all, batch_bias, rows * columns);
  product->bias_row = rows == 1 ? 0 : columns;
  product->bias_is_single = columns == 1 && product->n != 1;
  return {};
}

}  // namespace xsp::bound
