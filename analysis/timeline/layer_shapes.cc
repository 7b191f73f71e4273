#include "analysis/timeline/layer_shapes.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "analysis/timeline/model_spans.h"
#include "analysis/trace/call_arguments.h"

namespace xsp::analysis {
namespace {

/// Beyond this an operator's tensors, or those of a list, are only counted: an optimizer's lists have hundreds.
constexpr size_t kMaxTensors = 8;
constexpr size_t kMaxOfList = 4;

/// "[8,64]" of "f32[8,64]"; empty for what is no tensor.
std::string_view shape_of(std::string_view tensor) {
  const size_t begin = tensor.find('[');
  return begin == std::string_view::npos || tensor.back() != ']' ? std::string_view() : tensor.substr(begin);
}

/// Cuts what stands before the next separator that is in no brackets off the text.
std::string_view next_part(std::string_view* text, char separator) {
  int depth = 0;
  size_t end = 0;
  for (; end < text->size(); ++end) {
    const char c = (*text)[end];
    if (c == separator && depth == 0) break;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
  }
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(text->size(), end + 1));
  return part;
}

std::string list_shapes(std::string_view list) {
  list.remove_prefix(1);
  if (list.ends_with(')')) list.remove_suffix(1);
  std::string shapes;
  size_t count = 0;
  while (!list.empty()) {
    const std::string_view shape = shape_of(next_part(&list, ','));
    if (shape.empty() || ++count > kMaxOfList) continue;
    shapes.append(shapes.empty() ? "" : ",").append(shape);
  }
  if (count > kMaxOfList) shapes += fmt::format(",… {} more", count - kMaxOfList);
  return shapes.empty() ? "" : "(" + shapes + ")";
}

bool is_layer(const SpanTable& spans, Row row) {
  return spans.level[row] == Level::kLayer && spans.kind[row] != Kind::kTorchContainer;
}

}  // namespace

bool tells_inputs_only(std::string_view source) { return source == "kineto"; }

std::string tensor_shapes(std::string_view inputs) {
  std::string shapes;
  size_t count = 0;
  while (!inputs.empty()) {
    const std::string_view input = next_part(&inputs, ';');
    if (input.empty()) continue;
    const std::string shape = input.front() == '(' ? list_shapes(input) : std::string(shape_of(input));
    if (shape.empty() || ++count > kMaxTensors) continue;
    shapes.append(shapes.empty() ? "" : ";").append(shape);
  }
  if (count > kMaxTensors) shapes += fmt::format(";… {} more", count - kMaxTensors);
  return shapes;
}

void find_layer_shapes(const Parents& parents, Trace* trace) {
  SpanTable& spans = trace->spans;
  std::vector<bool> wanted(trace->processes.size());
  bool any = false;
  for (uint32_t process = 0; process < wanted.size(); ++process) {
    wanted[process] = tells_inputs_only(trace->segments[trace->processes[process].segment].source);
    any |= wanted[process];
  }
  if (!any) return;
  std::unordered_map<Row, uint32_t> known;       // string ids by layer
  std::vector<Row> first(spans.size(), kNoRow);  // by layer: its first operator with shapes
  const auto shapes_of = [&](Row row) {
    const auto inputs = CallArguments(*trace, row).text("inputs");
    return inputs ? tensor_shapes(*inputs) : std::string();
  };
  for (Row row = 0; row < spans.size(); ++row) {
    const bool is_operator = spans.kind[row] == Kind::kOperator;
    if (!is_operator && spans.kind[row] != Kind::kAnnotation) continue;
    if (!wanted[trace->process_of(row)]) continue;
    Row layer = row;
    for (int depth = 0; layer != kNoRow && depth < kMaxDepth && !is_layer(spans, layer); ++depth) {
      layer = spans.level[layer] == Level::kModel ? kNoRow : parents.of[layer];
    }
    if (layer == kNoRow || !is_layer(spans, layer) || spans.shape[layer] != 0) continue;
    // An annotation tells of itself, as those of collectives do; what lies in it may be anything.
    if (spans.kind[layer] == Kind::kAnnotation ? layer != row : !is_operator) continue;
    if (layer != row && first[layer] == layer) continue;
    // Of operators that begin together the outer one, which is recorded later, has the whole arguments.
    if (layer != row && first[layer] != kNoRow && spans.begin[row] > spans.begin[first[layer]]) continue;
    if (const std::string shapes = shapes_of(row); !shapes.empty()) {
      first[layer] = row;
      known[layer] = trace->strings.intern(shapes);
    }
  }
  for (const auto& [layer, shapes] : known) spans.shape[layer] = shapes;
}

}  // namespace xsp::analysis
