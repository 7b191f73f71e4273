#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/trace/data_type.h"

namespace xsp::analysis {

/// Element type and dimensions of a tensor. Only shapes whose elements can be counted exist: at most kMaxRank
/// dimensions, none negative, fewer than 2^53 elements.
struct TensorShape {
  static constexpr size_t kMaxRank = 16;

  std::string_view element;
  std::vector<int64_t> dimensions;
  double elements = 1;

  /// Nothing where the elements cannot be counted.
  static std::optional<TensorShape> of(std::string_view element, std::vector<int64_t> dimensions);

  size_t rank() const { return dimensions.size(); }
  /// Counted from the end for a negative index; 0 where there is none.
  int64_t dimension(int index) const;
  /// NaN for an element type whose size is not known.
  double bytes() const;
};

/// One argument: nothing for what is no tensor, several for a list of tensors.
using TensorArgument = std::vector<TensorShape>;

/// Reads "f32[8,64];f32[64];;(f32[2],f32[2])" (doc/import.md); nothing for a text that is not of this form or has a
/// shape whose elements cannot be counted. The element types refer to `text`.
std::optional<std::vector<TensorArgument>> parse_tensor_arguments(std::string_view text);

/// What arithmetic on elements of this name is done in; kUnknown for an unknown name.
DataType data_type_of(std::string_view element);

/// The element type of the result of arithmetic on the two, by the rules that frameworks share: floating point before
/// integers before booleans, the wider one of a kind.
std::string_view promoted(std::string_view a, std::string_view b);

}  // namespace xsp::analysis
