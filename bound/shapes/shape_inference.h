#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// What a user says of dimensions that the model leaves open.
struct ShapeBindings {
  std::optional<int64_t> batch;  // --batch: the first dimension of each input, where it is open
  std::map<std::string, std::vector<int64_t>> input_shapes;  // --shape INPUT=1,3,224,224
  /// By position of the inputs that are no weights, from a trace: what open dimensions become that nothing above says,
  /// where rank and fixed dimensions fit.
  std::vector<std::vector<int64_t>> traced_shapes;
};

/// Facts of all values of the graph.
struct InferredShapes {
  GraphFacts values;
  std::vector<std::string> notes;  // "first dimension of input x (batch) taken as 1"
};

/// Binds the open dimensions of the inputs (a named one everywhere it stands, also where --shape gives it a size in one
/// input only), then follows the nodes, folding integer values so that Shape, Gather, Concat, Reshape chains resolve.
/// Operators of opset 7 to the newest published, and of com.microsoft: FusedConv, FusedMatMul, Gelu, BiasGelu,
/// FastGelu, QuickGelu, SkipLayerNormalization, Attention, MultiHeadAttention, QLinear*. Declared shapes of inner
/// values (value_info) and of outputs are not used: they contradict another batch. What lies behind an operator that is
/// not known has no shape, with the reason; that is no error.
///
/// Errors: an open dimension of an input that is not its first one (exit code 2, naming it and the option); --shape for
/// an input that is not there, of another rank, or that contradicts a fixed dimension (2); shapes that cannot be, such
/// as a product of [2,3] and [4,5], or 2^53 elements and more (3), naming the node.
Status infer_shapes(const Model& model, const ShapeBindings& bindings, InferredShapes* inferred);

}  // namespace xsp::bound
