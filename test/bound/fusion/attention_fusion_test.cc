#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {
namespace {

struct Heads {
  std::string query, key, value;
};

Heads heads(ModelBuilder* model) {
  return {model->input({1, 2, 8, 4}), model->input({1, 2, 8, 4}), model->input({1, 2, 8, 4})};
}

std::string swapped(ModelBuilder* model, const std::string& key) {
  return model->node("Transpose", {key}, {integers_attribute("perm", {0, 1, 3, 2})});
}

constexpr const char* kProblem = "sdpa q=1x2x8x4 k=1x2x8x4 v=1x2x8x4 mask=0 scale=0.5 dtype=f32";

}  // namespace

TEST_CASE("attention is known with its scale behind the product and a mask") {
  ModelBuilder model;
  const Heads h = heads(&model);
  const std::string product = model.node("MatMul", {h.query, swapped(&model, h.key)});
  const std::string scaled = model.node("Div", {product, model.number(2)});
  const std::string masked = model.node("Add", {scaled, model.input({1, 1, 1, 8})});
  model.node("MatMul", {model.node("Softmax", {masked}), h.value});
  const auto groups = found_groups(model);
  CHECK(longest(groups, "attention") == "sdpa q=1x2x8x4 k=1x2x8x4 v=1x2x8x4 mask=1x1x1x8 scale=0.5 dtype=f32");
  const auto found = std::ranges::find(groups, "attention", &FusedGroup::rule);
  REQUIRE(found != groups.end());
  CHECK(found->pattern == "Transpose+MatMul+Div+Add+Softmax+MatMul");
  CHECK(found->flops == 2.0 * 2 * 8 * 8 * (4 + 4));
}

TEST_CASE("attention is known with roots of its scale on both operands") {
  ModelBuilder model;
  const Heads h = heads(&model);
  const std::string root = model.number(0.70710678);
  const std::string query = model.node("Mul", {h.query, root});
  const std::string key = model.node("Mul", {swapped(&model, h.key), root});
  std::string weights = model.node("Softmax", {model.node("MatMul", {query, key})});
  SECTION("plain") {}
  SECTION("with a guard against rows without a number") {
    weights = model.node("Where", {model.node("IsNaN", {weights}), model.number(0), weights});
  }
  model.node("MatMul", {weights, h.value});
  const auto groups = found_groups(model);
  CHECK(longest(groups, "attention") == kProblem);
  CHECK(std::ranges::find(groups, "attention", &FusedGroup::rule)->layers.size() == model.model().graph.nodes.size());
}

TEST_CASE("a transpose of keys that does more stays a layer") {
  ModelBuilder model;
  const std::string key =
      model.node("Transpose", {model.input({1, 8, 2, 4})}, {integers_attribute("perm", {0, 2, 3, 1})});
  const std::string product = model.node("MatMul", {model.input({1, 2, 8, 4}), key});
  const std::string scaled = model.node("Mul", {product, model.number(0.5)});
  model.node("MatMul", {model.node("Softmax", {scaled}), model.input({1, 2, 8, 4})});
  const auto groups = found_groups(model);
  CHECK(longest(groups, "attention") == kProblem);
  CHECK(std::ranges::find(groups, "attention", &FusedGroup::rule)->layers == std::vector<size_t>{1, 2, 3, 4});
}

TEST_CASE("what only looks like attention is none") {
  ModelBuilder model;
  const Heads h = heads(&model);
  const std::string product = model.node("MatMul", {h.query, swapped(&model, h.key)});
  SECTION("a softmax over queries") {
    model.node("MatMul", {model.node("Softmax", {product}, {integer_attribute("axis", 2)}), h.value});
  }
  SECTION("weights on the right") {
    model.node("MatMul", {model.input({1, 2, 4, 8}), model.node("Softmax", {product})});
  }
  SECTION("a mask that is scaled") {
    const std::string masked = model.node("Add", {product, model.input({1, 1, 1, 8})});
    const std::string scaled = model.node("Mul", {masked, model.number(0.5)});
    model.node("MatMul", {model.node("Softmax", {scaled}), h.value});
  }
  SECTION("weights that are given out") {
    const std::string weights = model.node("Softmax", {product});
    model.output(weights);
    model.node("MatMul", {weights, h.value});
  }
  CHECK(longest(model, "attention").empty());
}

}  // namespace xsp::bound::test
