#include <algorithm>
#include <cmath>

#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {
namespace {

using Dimensions = std::vector<int64_t>;

/// Layers that normalize `source` over its dimensions from `axis` on.
struct Normalization {
  std::vector<size_t> layers;
  const GraphValue* source = nullptr;
  int64_t axis = 0;
  double epsilon = 0;
  bool has_bias = false;
  std::string dtype;

  /// The problem, or, with what is added before, that of both; `row`: a row is added besides.
  Problem problem(bool adds, bool row) const {
    Problem made(adds ? "addnorm" : "layernorm");
    made.set_dimensions("src", source->dimensions()).set_integer("axis", axis);
    if (adds) made.set_integer("row", row ? 1 : 0);
    made.set_integer("bias", has_bias ? 1 : 0);
    if (static_cast<float>(epsilon) != static_cast<float>(kUsualEpsilon)) made.set_number("eps", epsilon);
    return made.set("dtype", dtype);
  }
};

/// The first of the dimensions that a mean is taken over, which must be the last ones, and be kept as ones.
std::optional<int64_t> first_of_last_axes(const ModelGraph& graph, size_t layer) {
  const Problem& problem = graph.problem(layer);
  const GraphValue* result = graph.output(layer);
  if (problem.kind() != "reduce" || problem.field("alg") != "mean" || result == nullptr) return {};
  const auto axes = problem.list("axes");
  const auto rank = static_cast<int64_t>(problem.dimensions("src").size());
  const auto count = static_cast<int64_t>(axes.size());
  if (axes.empty() || static_cast<int64_t>(result->dimensions().size()) != rank) return {};
  for (int64_t i = 0; i < count; ++i) {
    if (axes[static_cast<size_t>(i)] != rank - count + i) return {};
  }
  return rank - count;
}

/// Mean, difference, its square, the mean of that, + epsilon, root, quotient, and then · scale [+ bias].
class DecomposedNormalization {
 public:
  DecomposedNormalization(const ModelGraph& graph, size_t head) : graph_(graph) { found_.layers = {head}; }

  /// Calls `take` where it is one.
  template <typename Take>
  void find(const Take& take) {
    const size_t head = found_.layers.front();
    const auto axis = first_of_last_axes(graph_, head);
    found_.source = graph_.input(head, 0);
    if (!axis || found_.source == nullptr || !found_.source->has_shape()) return;
    found_.axis = *axis;
    found_.dtype = dtype_of_problem(graph_, head);
    const GraphValue* normalized = quotient();
    if (normalized == nullptr) return;
    const GraphValue* scaled = with_parameter(*normalized, "mul");
    if (scaled == nullptr) return;
    found_.has_bias = with_parameter(*scaled, "add") != nullptr;
    take(found_);
  }

 private:
  /// x − mean; what else reads the mean, or the difference, must be the other half of the pattern.
  const GraphValue* quotient() {
    const GraphValue* mean = graph_.output(found_.layers.front());
    if (mean == nullptr || mean->escapes || mean->readers.empty() || mean->readers.size() > 2) return nullptr;
    std::vector<const GraphValue*> differences;
    for (const size_t reader : mean->readers) {
      if (!is_binary(graph_, reader, "sub") || graph_.input(reader, 0) != found_.source ||
          graph_.input(reader, 1) != mean)
        return nullptr;
      found_.layers.push_back(reader);
      differences.push_back(graph_.output(reader));
    }
    // One difference is read by the square and the quotient; of two, each by one of them.
    std::vector<std::pair<size_t, const GraphValue*>> reads;
    for (const GraphValue* difference : differences) {
      if (difference->escapes || difference->readers.size() > 3) return nullptr;
      for (const size_t reader : difference->readers) {
        if (reads.empty() || reads.back().first != reader) reads.emplace_back(reader, difference);
      }
    }
    if (reads.size() != 2) return nullptr;
    const size_t square = is_square(reads[0].first) ? 0 : 1;
    if (!is_square(reads[square].first)) return nullptr;
    found_.layers.push_back(reads[square].first);
    const GraphValue* deviation = deviation_behind(reads[square].first);
    if (deviation == nullptr) return nullptr;
    const auto [last, difference] = reads[1 - square];
    const bool divides = !is_reciprocal_ && is_binary(graph_, last, "div") && graph_.input(last, 0) == difference &&
                         graph_.input(last, 1) == deviation;
    const bool multiplies =
        is_reciprocal_ && is_binary(graph_, last, "mul") && other_operand(graph_, last, *difference) == deviation;
    if ((!divides && !multiplies) || deviation->sole_reader() != last) return nullptr;
    found_.layers.push_back(last);
    return graph_.output(last);
  }

  bool is_square(size_t layer) const {
    return graph_.is(layer, "eltwise") && graph_.problem(layer).field("alg") == "square";
  }

  bool is_function(size_t layer, std::string_view alg) const {
    return graph_.is(layer, "eltwise") && graph_.problem(layer).field("alg") == alg;
  }

  /// The root of the mean of the squares and epsilon, or its reciprocal.
  const GraphValue* deviation_behind(size_t square) {
    const size_t mean = next(square);
    if (mean == kNoLayer || first_of_last_axes(graph_, mean) != found_.axis) return nullptr;
    const size_t sum = next(mean);
    if (sum == kNoLayer || !is_binary(graph_, sum, "add")) return nullptr;
    const GraphValue* epsilon = other_operand(graph_, sum, *read_);
    const auto number = epsilon == nullptr ? std::nullopt : ModelGraph::number_of(*epsilon);
    if (!number) return nullptr;
    found_.epsilon = *number;
    const size_t root = next(sum);
    if (root == kNoLayer || !is_function(root, "sqrt")) return nullptr;
    const GraphValue* deviation = graph_.output(root);
    const size_t behind = deviation->sole_reader();
    is_reciprocal_ = behind != kNoLayer && is_function(behind, "reciprocal");
    if (!is_reciprocal_) return deviation;
    found_.layers.push_back(behind);
    return graph_.output(behind);
  }

  size_t next(size_t layer) {
    const SoleReader reader = sole_reader(graph_, *graph_.output(layer), &found_.layers);
    read_ = reader.value;
    if (reader.layer != kNoLayer) found_.layers.push_back(reader.layer);
    return reader.layer;
  }

  /// The product or sum with a weight of the normalized dimensions' shape.
  const GraphValue* with_parameter(const GraphValue& value, std::string_view alg) {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, value, &passed);
    if (reader.layer == kNoLayer || !is_binary(graph_, reader.layer, alg)) return nullptr;
    const GraphValue* parameter = other_operand(graph_, reader.layer, *reader.value);
    const Dimensions& source = found_.source->dimensions();
    if (parameter == nullptr || !graph_.is_weight(*parameter) ||
        parameter->dimensions() != Dimensions(source.begin() + found_.axis, source.end()))
      return nullptr;
    found_.layers.insert(found_.layers.end(), passed.begin(), passed.end());
    found_.layers.push_back(reader.layer);
    return graph_.output(reader.layer);
  }

  const ModelGraph& graph_;
  Normalization found_;
  const GraphValue* read_ = nullptr;
  bool is_reciprocal_ = false;
};

/// The sum that a normalization normalizes, where nothing else reads it; a row that is added before belongs to it.
void add_sums(const ModelGraph& graph, const Normalization& norm, GroupList* groups) {
  const GraphValue& sum = *norm.source;
  const size_t last = sum.producer;
  if (last == kNoLayer || sum.escapes || !is_binary(graph, last, "add")) return;
  const auto is_inside = [&](size_t reader) { return std::ranges::find(norm.layers, reader) != norm.layers.end(); };
  if (!std::ranges::all_of(sum.readers, is_inside) || sum.readers.size() > 3) return;
  const GraphValue* operands[] = {graph.input(last, 0), graph.input(last, 1)};
  if (operands[0] == operands[1] || operands[0]->dimensions() != sum.dimensions() ||
      operands[1]->dimensions() != sum.dimensions())
    return;
  FusionMatch match{"add+layernorm", norm.layers, norm.problem(true, false)};
  match.layers.push_back(last);
  groups->add(match);
  for (const GraphValue* operand : operands) {
    const size_t row = operand->producer;
    if (row == kNoLayer || operand->sole_reader() == kNoLayer || !is_binary(graph, row, "add")) continue;
    const Dimensions& source = sum.dimensions();
    for (const size_t place : {0, 1}) {
      const GraphValue* added = graph.input(row, place);
      if (!graph.is_weight(*added) || added->dimensions() != Dimensions(source.begin() + norm.axis, source.end()) ||
          graph.input(row, 1 - place)->dimensions() != source)
        continue;
      match.problem = norm.problem(true, true);
      match.layers.push_back(row);
      groups->add(match);
      return;
    }
  }
}

}  // namespace

void find_normalizations(const ModelGraph& graph, size_t head, GroupList* groups) {
  if (graph.is(head, "layernorm")) {
    const Problem& problem = graph.problem(head);
    Normalization norm;
    norm.layers = {head};
    norm.source = graph.input(head, 0);
    norm.axis = problem.integer("axis");
    norm.epsilon = problem.number("eps", kUsualEpsilon);
    norm.has_bias = problem.integer("bias") != 0;
    norm.dtype = dtype_of_problem(graph, head);
    add_sums(graph, norm, groups);
    return;
  }
  DecomposedNormalization(graph, head).find([&](const Normalization& norm) {
    groups->add({"layernorm", norm.layers, norm.problem(false, false)});
    add_sums(graph, norm, groups);
  });
}

}  // namespace xsp::bound
