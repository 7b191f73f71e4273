#pragma once

#include <nlohmann/json.hpp>

#include "import/tensorflow/step_node.h"

namespace xsp {

/// Reads one NodeExecStats in protobuf's JSON form, with names in camel case or as in the .proto file.
StepNode read_step_node(const nlohmann::json& node);

}  // namespace xsp
