#include "bound/fusion/group_model.h"

#include <algorithm>

#include "bound/fusion/graph_writer.h"
#include "bound/fusion/operator_nodes.h"
#include "bound/problems/geometry.h"
#include "bound/problems/operand_shapes.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound {
namespace {

/// The oldest one with LayerNormalization.
constexpr int64_t kOpset = 17;

/// What is added to a convolution. ONNX Runtime adds it in the convolution only if it lies in the same blocks, as what
/// comes from another convolution does; a pooling of single elements, which changes nothing, brings it there.
std::string addend(const Problem& problem, GraphWriter* writer) {
  if (problem.kind() != "conv" || problem.dimensions("src").size() != 4 || problem.field("dtype") != "f32")
    return "add";
  return writer->add({"MaxPool"}, {"add"}, {integers_attribute("kernel_shape", {1, 1})},
                     std::string(kLayoutNode) + "add");
}

struct ModelOfKind {
  std::string_view kind;
  /// Name of what the kind computes, before `post`; empty: ONNX Runtime does not compute it.
  std::string (*write)(const Problem& problem, GraphWriter* writer);
};
constexpr ModelOfKind kModels[] = {
    {"conv", write_convolution},   {"deconv", write_transposed_convolution},
    {"matmul", write_product},     {"layernorm", write_normalization},
    {"addnorm", write_added_norm}, {"sdpa", write_attention},
    {"eltwise", write_function},   {"binary", write_binary},
};

}  // namespace

std::string group_model(const Problem& problem) {
  const auto* const found = std::ranges::find(kModels, problem.kind(), &ModelOfKind::kind);
  const auto result = checked_result_dimensions(problem);
  const auto written = element_type_named(problem.types().destination);
  if (found == std::end(kModels) || !result || !written) return "";
  GraphWriter writer(kOpset);
  for (const OperandShape& operand : operand_shapes(problem)) {
    const auto element = element_type_named(operand.element);
    if (!element) return "";
    writer.add_input(operand.name, *element, operand.dimensions);
  }
  std::string value = found->write(problem, &writer);
  if (value.empty()) return "";
  for (const PostStep& step : steps_behind(problem)) {
    value = step.is_add() ? writer.add({"Add"}, {value, addend(problem, &writer)})
                          : write_step(step, value, *written, &writer);
    if (value.empty()) return "";
  }
  return writer.written(value, *written, *result);
}

}  // namespace xsp::bound
