#include <functional>

#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {
namespace {

using Compose = std::function<std::string(ModelBuilder* model, const std::string& x)>;

/// What is found behind a product, where an exporter has written the function so.
std::string post_of(const Compose& compose, int64_t opset = 17) {
  ModelBuilder model(opset);
  const std::string x = model.node("MatMul", {model.input({4, 8}), model.input({8, 16})});
  compose(&model, x);
  const std::string problem = longest(model, "product");
  const size_t begin = problem.find("post=");
  return begin == std::string::npos ? "" : problem.substr(begin + 5, problem.find(' ', begin) - begin - 5);
}

}  // namespace

TEST_CASE("GELU by erf is known in the ways in which exporters write it") {
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {  // PyTorch, opset 13
          const auto erf = m->node("Erf", {m->node("Div", {x, m->number(1.4142135381698608)})});
          const auto both = m->node("Mul", {x, m->node("Add", {erf, m->number(1)})});
          return m->node("Mul", {both, m->number(0.5)});
        }) == "gelu_erf");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {  // the newer exporter
          const auto erf = m->node("Erf", {m->node("Div", {x, m->number(1.4142135381698608)})});
          const auto half = m->node("Mul", {m->number(0.5), m->node("Add", {erf, m->number(1)})});
          return m->node("Mul", {x, half});
        }) == "gelu_erf");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {  // tf2onnx
          const auto erf = m->node("Erf", {m->node("Mul", {x, m->number(0.7071067690849304)})});
          const auto half = m->node("Mul", {x, m->number(0.5)});
          return m->node("Mul", {half, m->node("Add", {m->number(1), erf})});
        }) == "gelu_erf");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) { return m->node("Gelu", {x}); }, 20) == "gelu_erf");
}

TEST_CASE("GELU by tanh is told from GELU by erf") {
  const auto by_tanh = [](ModelBuilder* m, const std::string& x, const std::string& cube) {
    const auto sum = m->node("Add", {x, m->node("Mul", {cube, m->number(0.044714998453855515)})});
    const auto tanh = m->node("Tanh", {m->node("Mul", {sum, m->number(0.7978845834732056)})});
    return m->node("Mul", {m->node("Mul", {x, m->number(0.5)}), m->node("Add", {tanh, m->number(1)})});
  };
  CHECK(post_of([&](ModelBuilder* m, const std::string& x) {  // Hugging Face: x to the third power
          return by_tanh(m, x, m->node("Pow", {x, m->number(3)}));
        }) == "gelu_tanh");
  CHECK(post_of([&](ModelBuilder* m, const std::string& x) {  // PyTorch's own decomposition reads x more often
          return by_tanh(m, x, m->node("Mul", {x, m->node("Mul", {x, x})}));
        }) == "gelu_tanh");
  CHECK(post_of([](ModelBuilder* m,
                   const std::string& x) { return m->node("Gelu", {x}, {text_attribute("approximate", "tanh")}); },
                20) == "gelu_tanh");
}

TEST_CASE("other activations that are composed are known by what they compute") {
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Mul", {m->node("Sigmoid", {x}), x});
        }) == "silu(1)");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          const auto six = m->node("Clip", {m->node("Add", {x, m->number(3)}), m->number(0), m->number(6)});
          return m->node("Div", {m->node("Mul", {x, six}), m->number(6)});
        }) == "hardswish");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Mul", {x, m->node("HardSigmoid", {x}, {number_attribute("alpha", 1.0 / 6)})});
        }) == "hardswish");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Mul", {x, m->node("Tanh", {m->node("Softplus", {x})})});
        }) == "mish");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Max", {x, m->node("Mul", {x, m->number(0.1)})});
        }) == "leaky_relu(0.1)");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Min", {m->node("Max", {x, m->number(0)}), m->number(6)});
        }) == "clip(0,6)");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) { return m->node("LeakyRelu", {x}); }) == "leaky_relu(0.01)");
}

TEST_CASE("functions that are none of the known ones are no activation") {
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Mul", {x, m->node("Sigmoid", {m->node("Mul", {x, m->number(1.3)})})});
        }) == "");
  // Nothing is done.
  CHECK(post_of([](ModelBuilder* m, const std::string& x) {
          return m->node("Sub", {m->node("Add", {x, m->number(1)}), m->number(1)});
        }) == "");
  CHECK(post_of([](ModelBuilder* m, const std::string& x) { return m->node("Sqrt", {x}); }) == "");
}

TEST_CASE("a composed activation without a product before it is one function, and a chain otherwise") {
  ModelBuilder model;
  const std::string x = model.input({4, 16});
  model.node("Mul", {x, model.node("Sigmoid", {x})});
  CHECK(texts_of(found_groups(model)) ==
        std::vector<std::string>{"Sigmoid+Mul: eltwise alg=silu src=4x16 alpha=1 beta=0 dtype=f32"});
  ModelBuilder chain;
  const std::string y = chain.node("Mul", {chain.input({4, 16}), chain.input({16})});
  chain.node("Pow", {chain.node("Exp", {chain.node("Sub", {chain.input({4, 16}), y})}), chain.number(3)});
  CHECK(texts_of(found_groups(chain)) ==
        std::vector<std::string>{"Mul+Sub+Exp+Pow: Fused.Elementwise in=f32[4,16];f32[16];f32[4,16] out=f32[4,16] "
                                 "steps=mul(i0,i1);sub(i2,s0);exp(s1);pow(s2,3)"});
}

TEST_CASE("the values of weights are no part of a chain, numbers are") {
  const auto chained = [](const std::vector<double>& row, double number) {
    ModelBuilder model;
    const std::string scaled = model.node("Mul", {model.input({4, 2}), model.numbers(row)});
    model.node("Add", {scaled, model.number(number)});
    return longest(model, "elementwise");
  };
  CHECK(chained({1, 1}, 3) == chained({2, 5}, 3));
  CHECK(chained({1, 1}, 3) != chained({1, 1}, 4));
}

}  // namespace xsp::bound::test
