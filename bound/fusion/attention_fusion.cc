#include <fmt/format.h>

#include <algorithm>

#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"
#include "bound/problems/geometry.h"

namespace xsp::bound {
namespace {

/// [B,H,L,D]; fewer dimensions get ones before them. Empty for more.
Dimensions of_heads(Dimensions dimensions) {
  if (dimensions.size() < 2 || dimensions.size() > 4) return {};
  dimensions.insert(dimensions.begin(), 4 - dimensions.size(), 1);
  return dimensions;
}

/// The permutation of a Transpose; without one it reverses the dimensions.
std::vector<int64_t> permutation_of(const ModelGraph& graph, size_t layer, size_t rank) {
  std::vector<int64_t> order = graph.node(layer).integers("perm");
  if (order.empty()) {
    for (size_t i = rank; i-- > 0;) order.push_back(static_cast<int64_t>(i));
  }
  return order;
}

bool swaps_last_two(const std::vector<int64_t>& order) {
  const size_t rank = order.size();
  if (rank < 2) return false;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return order[rank - 1] == static_cast<int64_t>(rank - 2) && order[rank - 2] == static_cast<int64_t>(rank - 1);
}

/// From the softmax back to queries and keys, and on to the values.
class AttentionMatcher {
 public:
  AttentionMatcher(const ModelGraph& graph, size_t softmax) : graph_(graph), layers_{softmax} {}

  void find(GroupList* groups) {
    const size_t softmax = layers_.front();
    if (!scores_before(*graph_.input(softmax, 0)) || !queries_and_keys() || !values_behind(*graph_.output(softmax)))
      return;
    Problem problem("sdpa");
    problem.set_dimensions("q", query_).set_dimensions("k", key_).set_dimensions("v", value_);
    if (mask_ == nullptr) {
      problem.set("mask", "0");
    } else {
      problem.set_dimensions("mask", mask_->dimensions());
    }
    // A root of a root squared is 0.12499999.
    problem.set("scale", fmt::format("{:.6g}", scale_));
    problem.set("dtype", dtype_of_problem(graph_, product_));
    groups->add({"attention", layers_, std::move(problem)});
  }

 private:
  /// The value that is scaled here, where it is.
  const GraphValue* before_factor(size_t layer) {
    for (const size_t place : {0, 1}) {
      const GraphValue* operand = graph_.input(layer, place);
      const auto factor = operand == nullptr ? std::nullopt : factor_of(graph_, layer, *operand);
      if (!factor) continue;
      scale_ *= *factor;
      return operand;
    }
    return nullptr;
  }

  /// Mask and scale between the product and the softmax. A scale behind the mask would scale it, too.
  bool scores_before(const GraphValue& scores) {
    constexpr size_t kMostSteps = 4;
    const GraphValue* at = &scores;
    for (size_t i = 0; i < kMostSteps; ++i) {
      const size_t layer = at->producer;
      if (layer == kNoLayer || at->sole_reader() == kNoLayer) return false;
      if (graph_.is(layer, "matmul")) {
        product_ = layer;
        layers_.push_back(layer);
        return true;
      }
      const GraphValue* inner = nullptr;
      if (graph_.is_transparent(layer)) {
        inner = graph_.input(layer, 0);
      } else if (is_binary(graph_, layer, "add") && mask_ == nullptr && scale_ == 1) {
        inner = before_mask(layer);
      } else {
        inner = before_factor(layer);
      }
      if (inner == nullptr) return false;
      layers_.push_back(layer);
      at = inner;
    }
    return false;
  }

  const GraphValue* before_mask(size_t layer) {
    for (const size_t place : {0, 1}) {
      const GraphValue* inner = graph_.input(layer, place);
      const GraphValue* other = graph_.input(layer, 1 - place);
      const size_t producer = inner->producer;
      const bool may_be_scores = producer != kNoLayer && has_work(graph_.layer(producer).layer_class) &&
                                 inner->sole_reader() == layer && !graph_.is_weight(*inner) && leads_to_product(*inner);
      if (!may_be_scores || inner->dimensions() != graph_.output(layer)->dimensions() || !other->has_shape() ||
          other->dimensions().size() > 4)
        continue;
      mask_ = other;
      return inner;
    }
    return nullptr;
  }

  bool leads_to_product(const GraphValue& value) const {
    const size_t producer = value.producer;
    if (producer == kNoLayer || graph_.is(producer, "matmul")) return producer != kNoLayer;
    for (const size_t place : {0, 1}) {
      const GraphValue* operand = graph_.input(producer, place);
      if (operand != nullptr && operand->producer != kNoLayer && graph_.is(operand->producer, "matmul")) return true;
    }
    return false;
  }

  bool queries_and_keys() {
    const Problem& problem = graph_.problem(product_);
    const std::string& type = graph_.node(product_).type;
    if ((type != "MatMul" && type != "FusedMatMul") || problem.field("bias") != "0" || problem.field("ta") != "0")
      return false;
    scale_ *= problem.number("alpha", 1);
    const GraphValue* query = scaled_operand(*graph_.input(product_, 0));
    const GraphValue* key = scaled_operand(*graph_.input(product_, 1));
    query_ = of_heads(query->dimensions());
    key_ = of_heads(key->dimensions());
    if (query_.empty() || key_.empty()) return false;
    if (problem.field("tb") == "1") return true;
    const size_t transpose = key->producer;
    if (transpose == kNoLayer || graph_.node(transpose).type != "Transpose") return false;
    // It may do more than that, which has to be done anyway: then it stays a layer, and writes keys as they are.
    std::swap(key_[2], key_[3]);
    const bool is_sole_purpose = swaps_last_two(permutation_of(graph_, transpose, key->dimensions().size()));
    if (!is_sole_purpose || key->sole_reader() == kNoLayer) return true;
    layers_.push_back(transpose);
    scaled_operand(*graph_.input(transpose, 0));
    return true;
  }

  /// What a factor that nothing else reads is multiplied with; else the operand itself.
  const GraphValue* scaled_operand(const GraphValue& operand) {
    const size_t layer = operand.producer;
    if (layer == kNoLayer || operand.sole_reader() == kNoLayer) return &operand;
    const GraphValue* inner = before_factor(layer);
    if (inner == nullptr) return &operand;
    layers_.push_back(layer);
    return inner;
  }

  bool values_behind(const GraphValue& weights) {
    const GraphValue* at = &weights;
    // Newer exports put 0 where a row that is masked throughout gives no number.
    if (const size_t guard = guarded(weights); guard != kNoLayer) at = graph_.output(guard);
    const SoleReader reader = sole_reader(graph_, *at, &layers_);
    if (reader.layer == kNoLayer || !graph_.is(reader.layer, "matmul") || graph_.node(reader.layer).type != "MatMul" ||
        graph_.input(reader.layer, 0) != reader.value)
      return false;
    value_ = of_heads(graph_.input(reader.layer, 1)->dimensions());
    layers_.push_back(reader.layer);
    return !value_.empty();
  }

  /// Where(IsNaN(w), 0, w)
  size_t guarded(const GraphValue& weights) {
    if (weights.escapes || weights.readers.size() != 2) return kNoLayer;
    const size_t test = weights.readers[0], choice = weights.readers[1];
    if (graph_.node(test).type != "IsNaN" || graph_.node(choice).type != "Where" ||
        graph_.input(choice, 0) != graph_.output(test) || graph_.output(test)->sole_reader() != choice ||
        graph_.input(choice, 2) != &weights)
      return kNoLayer;
    layers_.insert(layers_.end(), {test, choice});
    return choice;
  }

  const ModelGraph& graph_;
  std::vector<size_t> layers_;
  size_t product_ = kNoLayer;
  double scale_ = 1;
  const GraphValue* mask_ = nullptr;
  Dimensions query_, key_, value_;
};

}  // namespace

void find_attention(const ModelGraph& graph, size_t head, GroupList* groups) {
  const Problem& problem = graph.problem(head);
  if (problem.kind() != "softmax" || problem.field("log") != "0") return;
  const GraphValue* source = graph.input(head, 0);
  // Coerced to a matrix it would be another axis.
  if (source->dimensions() != problem.dimensions("src") ||
      problem.integer("axis") + 1 != static_cast<int64_t>(source->dimensions().size()))
    return;
  AttentionMatcher(graph, head).find(groups);
}

}  // namespace xsp::bound
