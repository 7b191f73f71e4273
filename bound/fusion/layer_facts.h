#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/fusion/model_graph.h"

namespace xsp::bound {

/// How far, relatively, a function may be off whose constants are of the value's type.
double rounding_of(const GraphValue& value);

/// The operand of a layer with two inputs that is not `value`; null where both are, or the layer has no two inputs.
const GraphValue* other_operand(const ModelGraph& graph, size_t layer, const GraphValue& value);

/// Follows a value through layers that only pass it on, which are added to `passed`, to the one layer that reads it.
struct SoleReader {
  size_t layer = kNoLayer;            // none, or several
  const GraphValue* value = nullptr;  // what it reads
};
SoleReader sole_reader(const ModelGraph& graph, const GraphValue& value, std::vector<size_t>* passed);

/// The layer that writes the value and, where it is Identity or Dropout, what that passes on; such layers that nothing
/// else reads are added to `passed`.
const GraphValue* passed_on(const ModelGraph& graph, const GraphValue& value, std::vector<size_t>* passed);

/// Whether the layer is this operation on two tensors: "add", "mul". Sum of two is add.
bool is_binary(const ModelGraph& graph, size_t layer, std::string_view alg);

/// By what a layer multiplies `value`, where it does nothing else: x·0.125 or x÷8.
std::optional<double> factor_of(const ModelGraph& graph, size_t layer, const GraphValue& value);

/// Field dtype of the layer's problem.
std::string dtype_of_problem(const ModelGraph& graph, size_t layer);

}  // namespace xsp::bound
