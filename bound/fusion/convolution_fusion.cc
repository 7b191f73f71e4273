#include <algorithm>

#include "bound/fusion/elementwise_region.h"
#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostFolded = 4;

/// One number, or one for each channel of [N,C,…].
bool is_of_channels(const GraphValue& value, const GraphValue& image) {
  const auto& dimensions = value.dimensions();
  const auto& whole = image.dimensions();
  if (!value.has_shape() || dimensions.size() > whole.size() || whole.size() < 2) return false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const size_t at = whole.size() - dimensions.size() + i;
    if (dimensions[i] != 1 && (at != 1 || dimensions[i] != whole[1])) return false;
  }
  return true;
}

/// Whether a layer behind a convolution only changes its weights and bias: by statistics or numbers of channels that
/// are known before anything runs.
bool folds_into_weights(const ModelGraph& graph, size_t layer, const GraphValue& value) {
  if (graph.is(layer, "batchnorm")) {
    if (graph.input(layer, 0) != &value) return false;
    for (size_t i = 1; i < 5; ++i) {
      if (!graph.is_weight(*graph.input(layer, i))) return false;
    }
    return true;
  }
  if (!is_binary(graph, layer, "mul") && !is_binary(graph, layer, "add")) return false;
  const GraphValue* other = other_operand(graph, layer, value);
  return other != nullptr && graph.is_weight(*other) && is_of_channels(*other, value);
}

class ConvolutionMatcher {
 public:
  ConvolutionMatcher(const ModelGraph& graph, size_t head, GroupList* groups)
      : graph_(graph),
        groups_(groups),
        match_{"convolution", {head}, graph.problem(head)},
        value_(graph.output(head)) {}

  void find() {
    for (size_t i = 0; i < kMostFolded && fold(); ++i) groups_->add(match_);
    FusionMatch before = match_;
    const GraphValue* const value = value_;
    if (activate()) groups_->add(match_);
    match_ = std::move(before);
    value_ = value;
    if (!add()) return;
    groups_->add(match_);
    if (activate()) groups_->add(match_);
  }

 private:
  bool fold() {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, *value_, &passed);
    const GraphValue* weights = graph_.input(match_.layers.front(), 1);
    if (reader.layer == kNoLayer || weights == nullptr || !graph_.is_weight(*weights) ||
        !folds_into_weights(graph_, reader.layer, *reader.value))
      return false;
    take(reader.layer, passed);
    if (!is_binary(graph_, reader.layer, "mul")) match_.problem.set("bias", "1");
    return true;
  }

  bool add() {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, *value_, &passed);
    if (reader.layer == kNoLayer || !is_binary(graph_, reader.layer, "add")) return false;
    const GraphValue* other = other_operand(graph_, reader.layer, *reader.value);
    if (other == nullptr || !other->has_shape() || other->dimensions() != reader.value->dimensions()) return false;
    match_.inner_operand = match_.layers.back();
    match_.outer_operand = other->producer;
    match_.problem.set("post", "add");
    take(reader.layer, passed);
    return true;
  }

  bool activate() {
    const auto activation = activation_behind(graph_, *value_);
    if (!activation) return false;
    const std::string post(match_.problem.field("post"));
    match_.problem.set("post", (post.empty() ? "" : post + "+") + text_of(activation->step));
    match_.layers.insert(match_.layers.end(), activation->layers.begin(), activation->layers.end());
    value_ = activation->result;
    return true;
  }

  void take(size_t layer, const std::vector<size_t>& passed) {
    match_.layers.insert(match_.layers.end(), passed.begin(), passed.end());
    match_.layers.push_back(layer);
    value_ = graph_.output(layer);
  }

  const ModelGraph& graph_;
  GroupList* groups_;
  FusionMatch match_;
  const GraphValue* value_;
};

}  // namespace

void find_convolutions(const ModelGraph& graph, size_t head, GroupList* groups) {
  if (!graph.is(head, "conv") && !graph.is(head, "deconv")) return;
  const Problem& problem = graph.problem(head);
  if (!problem.field("post").empty() || problem.field("dtype").find(':') != std::string_view::npos) return;
  ConvolutionMatcher(graph, head, groups).find();
}

}  // namespace xsp::bound
