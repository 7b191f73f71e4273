#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bound/onnx/element_type.h"
#include "bound/problems/geometry.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// An operand of a product as it lies in memory, by rows, behind what it is repeated for.
struct StoredMatrix {
  ElementType element = ElementType::kUndefined;
  Dimensions sizes;
  bool is_transposed = false;
};

/// A product of matrices that a library was called for.
struct ProductCall {
  StoredMatrix left;
  StoredMatrix right;
  ElementType result = ElementType::kUndefined;
  double factor = 1;
  bool adds_row = false;     // one number for each column
  bool adds_column = false;  // one number for each row
  std::string post = {};

  /// Of the result.
  size_t rank() const { return std::max(left.sizes.size(), right.sizes.size()); }
};

/// As the model has the product of such matrices; nothing where they do not fit together.
std::optional<Problem> problem_of_product(const ProductCall& call);

}  // namespace xsp::bound
