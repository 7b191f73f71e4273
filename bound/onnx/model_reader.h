#pragma once

#include <string_view>

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/onnx/model_budget.h"

namespace xsp::bound {

/// Reads the messages of a model as they stand: functions apart from their calls, nodes in the order of the file.
Status read_messages(std::string_view bytes, ModelBudget& budget, Model* model);

}  // namespace xsp::bound
