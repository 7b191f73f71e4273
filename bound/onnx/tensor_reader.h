#pragma once

#include <string_view>

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/onnx/model_budget.h"

namespace xsp::bound {

/// Reads a TensorProto: its values too if there are at most kMostConstantElements and they lie in the message itself.
/// The bytes of larger ones are not touched. Errors have no exit code yet. Throws protozero::exception on what is no
/// message.
Status read_tensor(std::string_view message, ModelBudget& budget, ConstantTensor* tensor);

/// A SparseTensorProto, of which only name, element type and dimensions are of interest.
Status read_sparse_tensor(std::string_view message, ModelBudget& budget, ConstantTensor* tensor);

}  // namespace xsp::bound
