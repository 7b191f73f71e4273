#include "analysis/timeline/input_shapes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/operator_kinds.h"
#include "analysis/trace/call_arguments.h"

namespace xsp::analysis {
namespace {

/// Operators of these kinds read what the model is called with, or what was computed from it: the shape of the first
/// one tells.
bool reads_input(OperatorKind kind) {
  return kind == OperatorKind::kConvolution || kind == OperatorKind::kLookup || kind == OperatorKind::kProduct;
}

/// The shape of the argument at `place` of "f32[8,64];f32[64];;i64[]": "[8,64]"; empty when it is no plain tensor.
std::string_view shape_at(std::string_view inputs, size_t place) {
  for (; place != 0; --place) {
    const size_t end = inputs.find(';');
    if (end == std::string_view::npos) return {};
    inputs.remove_prefix(end + 1);
  }
  inputs = inputs.substr(0, inputs.find(';'));
  const size_t begin = inputs.find('[');
  if (begin == std::string_view::npos || inputs.front() == '(' || inputs.back() != ']') return {};
  return inputs.substr(begin);
}

size_t rank_of(std::string_view shape) {
  if (shape.size() <= 2) return 0;
  return 1 + static_cast<size_t>(std::count(shape.begin(), shape.end(), ','));
}

/// What the operator reads, if that begins with the batch.
std::string_view batch_shape(OperatorKind kind, std::string_view inputs) {
  if (kind == OperatorKind::kConvolution) {
    // Without a batch an input has a dimension less than the weights.
    const std::string_view input = shape_at(inputs, 0);
    const size_t rank = rank_of(input);
    return rank >= 3 && rank == rank_of(shape_at(inputs, 1)) ? input : std::string_view();
  }
  if (kind == OperatorKind::kLookup) {
    const std::string_view indices = shape_at(inputs, 1);
    return rank_of(indices) == 2 ? indices : std::string_view();
  }
  return {};
}

}  // namespace

size_t find_input_shapes(const Parents& parents, Trace* trace) {
  SpanTable& spans = trace->spans;
  struct First {
    int64_t begin = INT64_MAX;
    Row row = kNoRow;
  };
  std::unordered_map<Row, First> first;  // by model span
  for (Row row = 0; row < spans.size(); ++row) {
    const bool imported = !trace->segments[trace->processes[trace->process_of(row)].segment].source.empty();
    if (spans.level[row] == Level::kModel && spans.input[row] == 0 && imported) first.emplace(row, First());
  }
  if (first.empty()) return 0;
  std::vector<std::optional<OperatorKind>> known(trace->strings.size());
  // A node of a graph is named by the program; its type is the operator.
  const auto operator_of = [&](Row row) { return spans.type[row] != 0 ? spans.type[row] : spans.name[row]; };
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != Kind::kOperator && spans.kind[row] != Kind::kOrtNode) continue;
    std::optional<OperatorKind>& kind = known[operator_of(row)];
    if (!kind) kind = operator_kind(trace->text(operator_of(row)));
    if (!reads_input(*kind)) continue;
    Row model = parents.of[row];
    for (int depth = 0; model != kNoRow && depth < kMaxDepth; ++depth, model = parents.of[model]) {
      const auto found = spans.level[model] == Level::kModel ? first.find(model) : first.end();
      if (found == first.end()) continue;
      // Of operators that begin together the outer one, which is recorded later, has the whole arguments.
      if (spans.begin[row] <= found->second.begin) found->second = {spans.begin[row], row};
      break;
    }
  }
  size_t count = 0;
  for (const auto& [model, op] : first) {
    if (op.row == kNoRow) continue;
    const auto inputs = CallArguments(*trace, op.row).text("inputs");
    const std::string_view shape = inputs ? batch_shape(*known[operator_of(op.row)], *inputs) : std::string_view();
    if (shape.empty()) continue;
    spans.input[model] = trace->strings.intern(std::string(shape));
    ++count;
  }
  return count;
}

}  // namespace xsp::analysis
