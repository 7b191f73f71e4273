#pragma once

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/onnx/model_budget.h"

namespace xsp::bound {

/// Puts the model's own functions in the place of their calls, and drops them. What stands inside is named after the
/// call: "block1/add". Nodes of ONNX's own domain and of com.microsoft stay, also where the model describes them by
/// functions: they are known by their names. Errors: a function that calls itself, too deep, too much.
Status inline_functions(ModelBudget& budget, Model* model);

}  // namespace xsp::bound
