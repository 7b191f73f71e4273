#pragma once

#include <string>
#include <string_view>

#include "bound/onnx/graph.h"

namespace xsp::bound {

/// How errors name a node and a value: "node conv1 (Conv)", or by its first output where it has no name. Long names are
/// cut. Bytes stay as they are: who prints them makes them printable.
std::string node_text(const Node& node);
std::string name_text(std::string_view name);

}  // namespace xsp::bound
