#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/backends/onnxruntime_session.h"
#include "bound/onnx/graph.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {

/// A node, or a fused group, as a model that can be run: with values for all that it reads. Weights are constants in
/// it, as in the model that it comes from: ONNX Runtime brings them into its own layout once only then.
struct NodeModel {
  Model model;
  std::shared_ptr<const std::string> bytes;  // of an ONNX file with it
  std::vector<OrtInput> inputs;              // that each run is given
  std::vector<std::string> outputs;          // names
  bool has_transpose = false;
  /// Everything it reads is an operand of the problem, and the other way round: its result is that of the problem.
  bool has_operands = false;

  /// The same with more copies of its nodes; all outputs are outputs of the model. Copies of one node read the same
  /// inputs, those of a group inputs of their own with the same values.
  NodeModel repeated(size_t copies) const;
};

/// `operands` (may be empty) are given in order to inputs of their size. What has no operand gets values that no
/// operator stumbles over; those of whole numbers, which may be indices, are all `whole`. Errors: no model, an input
/// without a known size or of a type that has no plain numbers.
Status make_node_model(std::string_view bytes, const std::vector<PlainTensor>& operands, int64_t whole,
                       NodeModel* node);

}  // namespace xsp::bound
