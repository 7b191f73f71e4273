#pragma once

#include <string>

#include "bound/onnx/graph.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// An empty model for nodes of `source`, which a runtime is to measure by themselves: its operators' versions, and a
/// version of the format that runtimes of the last years read.
Model benchmark_model(const Model& source, const std::string& graph_name);

/// Declares a value as its facts have it.
DeclaredValue declared(const std::string& name, const ValueFacts& facts);

/// A constant with the values that are known; only where they are.
ConstantTensor constant_of(const std::string& name, const ValueFacts& facts);

}  // namespace xsp::bound
