#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace xsp {

/// What ONNX Runtime lists of a node's inputs or outputs, `[{"float":[1,3,224,224]},{"int64":[]}]`. Only tensors that
/// were there are listed: an optional argument that was left out has no entry.
struct NodeShapes {
  std::string arguments;  // as OperatorArguments: "f32[1,3,224,224];i64[]"
  std::string shapes;     // as ImportedSpan::shape: "[1,3,224,224];[]"
};

/// Takes over what is well formed, up to the first entry that is not.
NodeShapes read_node_shapes(const nlohmann::json& list);

}  // namespace xsp
