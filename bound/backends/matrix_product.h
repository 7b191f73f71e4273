#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// A problem `matmul` as products of plain matrices in row-major order: of each batch, result = alpha · op(a) · op(b) +
/// beta · bias.
struct MatrixProduct {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transposed_a = false;
  bool transposed_b = false;
  double alpha = 1;
  double beta = 1;
  /// By batch: where its matrices begin, in elements. Operands that are broadcast begin at the same place more than
  /// once.
  std::vector<int64_t> a;
  std::vector<int64_t> b;
  /// Where the bias of each batch begins; empty without one. Its rows are `bias_row` apart (0: one for all) and hold n
  /// elements, or a single one for all columns.
  std::vector<int64_t> bias;
  int64_t bias_row = 0;
  bool bias_is_single = false;

  int64_t a_elements = 0;
  int64_t b_elements = 0;
  int64_t bias_elements = 0;

  int64_t batches() const { return static_cast<int64_t>(a.size()); }
  int64_t result_elements() const { return batches() * m * n; }
};

/// An error: dimensions that are none of a product, or too large.
Status make_matrix_product(const Problem& problem, MatrixProduct* product);

}  // namespace xsp::bound
