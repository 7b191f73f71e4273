#pragma once

#include <optional>
#include <string>

#include "bound/onnx/graph.h"

namespace xsp::bound {

/// The activation that ONNX Runtime's FusedConv and FusedGemm have as attributes, as a step of `post`; empty where
/// there is none. Nothing for one that is not known.
std::optional<std::string> fused_activation(const Node& node);

}  // namespace xsp::bound
