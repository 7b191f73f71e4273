#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {
namespace {

constexpr double kEpsilon = 9.999999960041972e-13;

/// As PyTorch writes it before opset 17.
std::string normalized(ModelBuilder* model, const std::string& x, bool takes_two_differences = false) {
  const auto mean_of = [&](const std::string& value) {
    return model->node("ReduceMean", {value}, {integers_attribute("axes", {-1})});
  };
  const std::string mean = mean_of(x);
  const std::string difference = model->node("Sub", {x, mean});
  const std::string other = takes_two_differences ? model->node("Sub", {x, mean}) : difference;
  const std::string variance = mean_of(model->node("Pow", {difference, model->number(2)}));
  const std::string root = model->node("Sqrt", {model->node("Add", {variance, model->number(kEpsilon)})});
  const std::string scaled = model->node("Mul", {model->node("Div", {other, root}), model->input({8})});
  return model->node("Add", {scaled, model->input({8})});
}

}  // namespace

TEST_CASE("a normalization in nine operators is one") {
  ModelBuilder model(13);
  SECTION("one difference") { normalized(&model, model.input({1, 4, 8})); }
  SECTION("two differences") { normalized(&model, model.input({1, 4, 8}), true); }
  const auto groups = found_groups(model);
  CHECK(longest(groups, "layernorm") == "layernorm src=1x4x8 axis=2 bias=1 eps=1e-12 dtype=f32");
  CHECK(longest(groups, "add+layernorm").empty());
}

TEST_CASE("a normalization whose difference is read elsewhere stays what it is") {
  ModelBuilder model(13);
  const std::string result = normalized(&model, model.input({1, 4, 8}));
  const std::string difference = model.model().graph.nodes[1].outputs[0];
  model.output(model.node("Softmax", {difference}));
  model.output(result);
  CHECK(longest(find_fusions(taken_apart(model)), "layernorm").empty());
}

TEST_CASE("a mean over other dimensions than the last ones is no such normalization") {
  ModelBuilder model(13);
  normalized(&model, model.input({1, 4, 8}));
  model.model().graph.nodes[0].attributes[0].integers = {1};
  CHECK(longest(model, "layernorm").empty());
}

TEST_CASE("a sum that only its normalization reads belongs to it, with a row that is added before") {
  ModelBuilder model;
  const std::string product = model.node("MatMul", {model.input({1, 4, 8}), model.input({8, 8})});
  const std::string biased = model.node("Add", {product, model.input({8})});
  const std::string sum = model.node("Add", {model.input({1, 4, 8}), biased});
  SECTION("one operator") {
    model.node("LayerNormalization", {sum, model.input({8}), model.input({8})});
    const auto groups = found_groups(model);
    CHECK(longest(groups, "add+layernorm") == "addnorm src=1x4x8 axis=2 row=1 bias=1 dtype=f32");
    CHECK(std::ranges::any_of(groups, [](const FusedGroup& group) {
      return group.problem == "addnorm src=1x4x8 axis=2 row=0 bias=1 dtype=f32" &&
             group.layers == std::vector<size_t>{2, 3};
    }));
  }
  SECTION("decomposed") {
    model.model().opsets[""] = 13;
    normalized(&model, sum);
    CHECK(longest(model, "add+layernorm") == "addnorm src=1x4x8 axis=2 row=1 bias=1 eps=1e-12 dtype=f32");
  }
  SECTION("the next residual reads it, too") {
    const std::string norm = model.node("LayerNormalization", {sum, model.input({8}), model.input({8})});
    model.node("Softmax", {model.node("Add", {norm, sum})});
    CHECK(longest(model, "add+layernorm").empty());
  }
}

}  // namespace xsp::bound::test
