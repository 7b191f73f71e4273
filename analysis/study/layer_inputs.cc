#include "analysis/study/layer_inputs.h"

#include <string>
#include <unordered_map>

#include "analysis/trace/call_arguments.h"
#include "analysis/work/tensor_shape.h"

namespace xsp::analysis {
namespace {

std::optional<double> elements_of(const std::optional<std::vector<TensorArgument>>& arguments) {
  if (!arguments) return {};
  double elements = 0;
  bool any = false;
  for (const TensorArgument& argument : *arguments) {
    for (const TensorShape& tensor : argument) {
      elements += tensor.elements;
      any = true;
    }
  }
  return any ? std::optional(elements) : std::nullopt;
}

std::optional<double> elements_of_arguments(const Trace& trace, Row row) {
  const auto inputs = CallArguments(trace, row).text("inputs");
  return inputs ? elements_of(parse_tensor_arguments(*inputs)) : std::nullopt;
}

/// The first operator in each of `layers` whose arguments tell, which is not one of them.
std::unordered_map<Row, Row> first_operators(const Study& study, const std::unordered_map<Row, size_t>& layers) {
  const SpanTable& spans = study.trace.spans;
  std::unordered_map<Row, Row> first;
  if (layers.empty()) return first;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != Kind::kOperator || layers.contains(row)) continue;
    Row layer = study.parents.of[row];
    for (int depth = 0; layer != kNoRow && depth < kMaxDepth && !layers.contains(layer); ++depth) {
      layer = spans.level[layer] == Level::kModel ? kNoRow : study.parents.of[layer];
    }
    if (layer == kNoRow || !layers.contains(layer)) continue;
    const auto [known, added] = first.try_emplace(layer, row);
    // Of operators that begin together the outer one, which is recorded later, has the whole arguments.
    if (added || spans.begin[row] > spans.begin[known->second]) continue;
    if (elements_of_arguments(study.trace, row)) known->second = row;
  }
  return first;
}

}  // namespace

std::optional<double> elements_of_shapes(std::string_view shapes) {
  // In the form of arguments, whose tensors have an element type in front.
  std::string arguments;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] == '[') arguments += "f32";
    arguments += shapes[i];
  }
  return elements_of(parse_tensor_arguments(arguments));
}

std::vector<std::optional<double>> input_elements_of_layers(const Study& study) {
  const Trace& trace = study.trace;
  const auto& layers = study.joined.layers;
  std::vector<std::optional<double>> elements(layers.size());
  std::unordered_map<Row, size_t> without;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Row row = layers[i].row;
    if (row == kNoRow) continue;
    elements[i] = elements_of_arguments(trace, row);
    // Of nodes of ONNX Runtime this text is their execution provider.
    if (!elements[i] && trace.spans.kind[row] != Kind::kOrtNode) {
      elements[i] = elements_of_shapes(trace.text(trace.spans.input[row]));
    }
    if (!elements[i]) without.emplace(row, i);
  }
  for (const auto& [layer, row] : first_operators(study, without)) {
    elements[without.at(layer)] = elements_of_arguments(trace, row);
  }
  return elements;
}

}  // namespace xsp::analysis
