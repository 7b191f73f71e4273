#pragma once

#include <string>

#include "bound/model/layer.h"
#include "bound/model/node_view.h"

namespace xsp::bound {

/// What a node does at run time, and why there can be no time for it.
struct ClassFinding {
  LayerClass layer_class = LayerClass::kUnknown;
  std::string reason;  // empty where there can be one
};
ClassFinding classify(const NodeView& view);

/// Whether inputs and used outputs are tensors with shapes.
bool has_all_shapes(const NodeView& view);

}  // namespace xsp::bound
