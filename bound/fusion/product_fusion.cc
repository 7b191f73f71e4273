#include <algorithm>

#include "bound/fusion/elementwise_region.h"
#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"
#include "bound/problems/geometry.h"

namespace xsp::bound {
namespace {

/// The fields of a product in their order.
struct ProductFields {
  explicit ProductFields(const Problem& of) : problem(of), bias(of.field("bias")), post(of.field("post")) {
    alpha = of.number("alpha", 1);
  }

  Problem made() const {
    Problem made("matmul");
    for (const char* const name : {"src", "wei", "ta", "tb"}) made.set(name, problem.field(name));
    made.set("bias", bias).set("post", post);
    if (alpha != 1) made.set_number("alpha", alpha);
    if (problem.has("beta")) made.set("beta", problem.field("beta"));
    return made.set("dtype", problem.field("dtype"));
  }

  const Problem& problem;
  std::string bias, post;
  double alpha = 1;
};

class ProductMatcher {
 public:
  ProductMatcher(const ModelGraph& graph, size_t head, GroupList* groups)
      : graph_(graph),
        groups_(groups),
        fields_(graph.problem(head)),
        match_{"product", {head}, {}},
        value_(graph.output(head)) {}

  void find() {
    if (scale()) keep();
    if (add_row()) keep();
    const State before{match_, fields_.post, value_};
    if (activate()) keep();
    match_ = before.match;
    fields_.post = before.post;
    value_ = before.value;
    if (!add()) return;
    keep();
    if (activate()) keep();
  }

 private:
  struct State {
    FusionMatch match;
    std::string post;
    const GraphValue* value;
  };

  void keep() {
    match_.problem = fields_.made();
    groups_->add(match_);
  }

  /// The factor of a product without bias.
  bool scale() {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, *value_, &passed);
    if (reader.layer == kNoLayer || fields_.bias != "0") return false;
    const auto factor = factor_of(graph_, reader.layer, *reader.value);
    if (!factor) return false;
    fields_.alpha *= *factor;
    take(reader.layer, passed);
    return true;
  }

  /// A bias: a row that is added to all rows.
  bool add_row() {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, *value_, &passed);
    if (reader.layer == kNoLayer || fields_.bias != "0" || !is_binary(graph_, reader.layer, "add")) return false;
    const GraphValue* other = other_operand(graph_, reader.layer, *reader.value);
    const auto form = product_form(fields_.problem);
    if (other == nullptr || !other->has_shape() || !graph_.is_weight(*other) || !form) return false;
    const auto& row = other->dimensions();
    const auto& result = reader.value->dimensions();
    const bool is_row = !row.empty() && !result.empty() && row.size() <= result.size() && row.back() == form->columns &&
                        result.back() == form->columns && elements_in(row) == form->columns;
    if (!is_row) return false;
    fields_.bias = std::to_string(form->columns);
    take(reader.layer, passed);
    return true;
  }

  /// A tensor of the result's shape.
  bool add() {
    std::vector<size_t> passed;
    const SoleReader reader = sole_reader(graph_, *value_, &passed);
    if (reader.layer == kNoLayer || !is_binary(graph_, reader.layer, "add")) return false;
    const GraphValue* other = other_operand(graph_, reader.layer, *reader.value);
    if (other == nullptr || !other->has_shape() || other->dimensions() != reader.value->dimensions()) return false;
    match_.inner_operand = match_.layers.back();
    match_.outer_operand = other->producer;
    fields_.post = "add";
    take(reader.layer, passed);
    return true;
  }

  bool activate() {
    const auto activation = activation_behind(graph_, *value_);
    if (!activation) return false;
    fields_.post += (fields_.post.empty() ? "" : "+") + text_of(activation->step);
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
  ProductFields fields_;
  FusionMatch match_;
  const GraphValue* value_;
};

}  // namespace

void find_products(const ModelGraph& graph, size_t head, GroupList* groups) {
  if (!graph.is(head, "matmul")) return;
  const Problem& problem = graph.problem(head);
  if (!problem.field("post").empty() || problem.field("dtype").find(':') != std::string_view::npos) return;
  ProductMatcher(graph, head, groups).find();
}

}  // namespace xsp::bound
