#include "bound/onnx/function_inlining.h"

#include "test/bound/onnx/small_models.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using test::models::call_of;
using test::models::function_of;
using test::models::graph_attribute;
using test::models::lines_of;
using test::models::model_of;
using test::models::node_of;
using test::models::reread;
using Lines = std::vector<std::string>;

Attribute number_attribute(std::string name, double number, std::string reference = {}) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kNumber;
  attribute.number = number;
  attribute.reference = std::move(reference);
  return attribute;
}

Lines inlined(const Model& model) {
  Model read;
  const Status status = reread(model, &read);
  CHECK(read.functions.empty());
  return status.ok() ? lines_of(read.graph) : Lines{status.error};
}

TEST_CASE("A function stands in the place of its call, with names after the call's") {
  const Function square =
      function_of("square", {"a"}, {"r"}, {node_of("Mul", {"a", "a"}, {"m"}, "mul"), node_of("Neg", {"m"}, {"r"})});
  Model read;
  REQUIRE(reread(model_of({"x"}, {call_of("square", {"x"}, {"t"}, "first"), call_of("square", {"t"}, {"z"})}, {square}),
                 &read)
              .ok());
  CHECK(lines_of(read.graph) == Lines{"first/m=Mul(x,x)", "t=Neg(first/m)", "z/m=Mul(t,t)", "z=Neg(z/m)"});
  CHECK(read.graph.nodes[0].name == "first/mul");
  CHECK(read.graph.nodes[1].name.empty());
}

TEST_CASE("Calls with one name, and names that are taken, get numbers") {
  const Function twice =
      function_of("twice", {"a"}, {"r"}, {node_of("Neg", {"a"}, {"m"}), node_of("Neg", {"m"}, {"r"})});
  CHECK(inlined(model_of({"x", "c/m_2"}, {call_of("twice", {"x"}, {"t"}, "c"), call_of("twice", {"t"}, {"z"}, "c")},
                         {twice})) == Lines{"c/m=Neg(x)", "t=Neg(c/m)", "c/m_3=Neg(t)", "z=Neg(c/m_3)"});
}

TEST_CASE("Functions call functions") {
  const Function inner =
      function_of("inner", {"a"}, {"r"}, {node_of("Exp", {"a"}, {"e"}), node_of("Neg", {"e"}, {"r"})});
  const Function outer = function_of("outer", {"a"}, {"r"}, {call_of("inner", {"a"}, {"r"}, "i")});
  CHECK(inlined(model_of({"x"}, {call_of("outer", {"x"}, {"z"}, "o")}, {outer, inner})) ==
        Lines{"o/i/e=Exp(x)", "z=Neg(o/i/e)"});
}

TEST_CASE("An attribute comes from the call, else from the default, else it is left out") {
  Node leaky = node_of("LeakyRelu", {"a"}, {"r"});
  leaky.attributes = {number_attribute("alpha", 0, "slope")};
  Function with_default = function_of("f", {"a"}, {"r"}, {leaky});
  with_default.defaults = {number_attribute("slope", 0.25)};
  const Function without = function_of("g", {"a"}, {"r"}, {leaky});
  Node given = call_of("f", {"x"}, {"p"});
  given.attributes = {number_attribute("slope", 0.5)};
  Model read;
  REQUIRE(
      reread(model_of({"x"}, {given, call_of("f", {"x"}, {"q"}), call_of("g", {"x"}, {"r"})}, {with_default, without}),
             &read)
          .ok());
  CHECK(read.graph.nodes[0].number("alpha", -1) == 0.5);
  CHECK(read.graph.nodes[1].number("alpha", -1) == 0.25);
  CHECK(read.graph.nodes[2].number("alpha", -1) == -1);
  CHECK(read.graph.nodes[0].attributes[0].reference.empty());
}

TEST_CASE("Inputs that a call leaves out are left out inside") {
  const Function clip =
      function_of("clip", {"a", "low", "high"}, {"r"}, {node_of("Clip", {"a", "low", "high"}, {"r"})});
  CHECK(inlined(model_of({"x"}, {call_of("clip", {"x"}, {"z"})}, {clip})) == Lines{"z=Clip(x,,)"});
  CHECK(inlined(model_of({"x"}, {call_of("clip", {"x", "", "x"}, {"z"})}, {clip})) == Lines{"z=Clip(x,,x)"});
}

TEST_CASE("An input that a function gives back is passed on by an Identity") {
  const Function pass = function_of("pass", {"a"}, {"a", "r", "r"}, {node_of("Neg", {"a"}, {"r"})});
  CHECK(inlined(model_of({"x"}, {call_of("pass", {"x"}, {"p", "q", "s"})}, {pass})) ==
        Lines{"q=Neg(x)", "p=Identity(x)", "s=Identity(q)"});
  CHECK(inlined(model_of({"x"}, {call_of("pass", {"x"}, {"", "q"})}, {pass})) == Lines{"q=Neg(x)"});
}

TEST_CASE("Graphs inside functions see the call's values, and functions are called inside graphs") {
  Node branch = node_of("If", {"c"}, {"r"});
  branch.attributes.push_back(graph_attribute("then_branch", {call_of("inner", {"n"}, {"y"})}, {"y"}));
  branch.attributes.push_back(graph_attribute("else_branch", {node_of("Relu", {"a"}, {"y"})}, {"y"}));
  const Function outer = function_of("outer", {"c", "a"}, {"r"}, {node_of("Neg", {"a"}, {"n"}), branch});
  const Function inner = function_of("inner", {"a"}, {"r"}, {node_of("Exp", {"a"}, {"r"})});
  Model read;
  REQUIRE(reread(model_of({"x", "c"}, {call_of("outer", {"c", "x"}, {"z"})}, {outer, inner}), &read).ok());
  CHECK(lines_of(read.graph) == Lines{"z/n=Neg(x)", "z=If(c)"});
  const Node& placed = read.graph.nodes[1];
  CHECK(lines_of(placed.attributes[0].graphs[0]) == Lines{"z/y=Exp(z/n)"});
  CHECK(placed.attributes[0].graphs[0].outputs[0].name == "z/y");
  CHECK(lines_of(placed.attributes[1].graphs[0]) == Lines{"z/y=Relu(x)"});
}

TEST_CASE("A graph that a call hands over keeps the names of its place") {
  Node branch = node_of("If", {"a"}, {"r"});
  branch.attributes.push_back({.name = "then_branch", .kind = Attribute::Kind::kGraph});
  branch.attributes[0].reference = "body";
  const Function apply = function_of("apply", {"a"}, {"r"}, {node_of("Neg", {"a"}, {"t"}), branch});
  Node call = call_of("apply", {"x"}, {"z"});
  call.attributes.push_back(graph_attribute("body", {node_of("Exp", {"t"}, {"e"})}, {"e"}));
  Model read;
  REQUIRE(reread(model_of({"x"}, {node_of("Abs", {"x"}, {"t"}), call}, {apply}), &read).ok());
  CHECK(lines_of(read.graph) == Lines{"t=Abs(x)", "z/t=Neg(x)", "z=If(x)"});
  CHECK(lines_of(read.graph.nodes[2].attributes[0].graphs[0]) == Lines{"e=Exp(t)"});
}

TEST_CASE("Operators that are known by their names stay, also where the model has functions for them") {
  Function gelu = function_of("Gelu", {"a"}, {"r"}, {node_of("Erf", {"a"}, {"r"})});
  gelu.domain = "com.microsoft";
  Function relu = function_of("Relu", {"a"}, {"r"}, {node_of("Erf", {"a"}, {"r"})});
  relu.domain = "ai.onnx";
  Node call = node_of("Gelu", {"x"}, {"t"});
  call.domain = "com.microsoft";
  CHECK(inlined(model_of({"x"}, {call, node_of("Relu", {"t"}, {"z"})}, {gelu, relu})) ==
        Lines{"t=Gelu(x)", "z=Relu(t)"});
  // The same name in another domain is another function.
  gelu.domain = "my";
  CHECK(inlined(model_of({"x"}, {call, call_of("Gelu", {"x"}, {"z"})}, {gelu})) == Lines{"t=Gelu(x)", "z=Erf(x)"});
}

TEST_CASE("Of functions with one name the overload decides") {
  Function first = function_of("f", {"a"}, {"r"}, {node_of("Exp", {"a"}, {"r"})});
  Function second = function_of("f", {"a"}, {"r"}, {node_of("Neg", {"a"}, {"r"})});
  second.overload = "2";
  Node call = call_of("f", {"x"}, {"t"});
  call.overload = "2";
  CHECK(inlined(model_of({"x"}, {call, call_of("f", {"x"}, {"z"})}, {first, second})) == Lines{"t=Neg(x)", "z=Exp(x)"});
}

TEST_CASE("Versions of operators come from the functions where the model names none") {
  Model model = model_of({"x"}, {call_of("f", {"x"}, {"z"})}, {function_of("f", {"a"}, {"r"}, {})});
  model.functions[0].nodes.push_back(node_of("Exp", {"a"}, {"r"}));
  model.functions[0].opsets = {{"", 18}, {"my", 7}};
  model.opsets = {{"my", 1}};
  Model read;
  REQUIRE(reread(model, &read).ok());
  CHECK(read.opset("ai.onnx") == 18);
  CHECK(read.opset("my") == 1);
}

TEST_CASE("A function that calls itself is an error") {
  const Function odd = function_of("odd", {"a"}, {"r"}, {call_of("even", {"a"}, {"r"})});
  const Function even = function_of("even", {"a"}, {"r"}, {call_of("odd", {"a"}, {"r"})});
  CHECK(inlined(model_of({"x"}, {call_of("odd", {"x"}, {"z"})}, {odd, even})) == Lines{"function odd calls itself"});
}

TEST_CASE("A call with more inputs than its function is an error") {
  const Function neg = function_of("neg", {"a"}, {"r"}, {node_of("Neg", {"a"}, {"r"})});
  CHECK(inlined(model_of({"x"}, {call_of("neg", {"x", "x"}, {"z"}, "n")}, {neg})) ==
        Lines{"node n (my.neg) has more inputs or outputs than its function"});
}

/// f0 … f`levels`, each of which calls the one before it twice; `last` stands in f0.
Model doubling_model(size_t levels, std::vector<Node> last) {
  std::vector<Function> functions = {function_of("f0", {"a"}, {"r"}, std::move(last))};
  for (size_t i = 1; i <= levels; ++i) {
    const Node call = call_of("f" + std::to_string(i - 1), {"a"}, {});
    functions.push_back(function_of("f" + std::to_string(i), {"a"}, {}, {call, call}));
  }
  return model_of({"x"}, {call_of("f" + std::to_string(levels), {"x"}, {})}, std::move(functions));
}

TEST_CASE("Functions that grow without bounds are an error, with nodes in them or not") {
  CHECK(inlined(doubling_model(3, {node_of("Neg", {"a"}, {})})) == Lines(8, "=Neg(x)"));
  CHECK(inlined(doubling_model(50, std::vector<Node>(1000))) == Lines{"it has more than 1,000,000 nodes"});
  CHECK(inlined(doubling_model(50, {})) == Lines{"its functions are called more than 1,000,000 times"});
  CHECK(inlined(doubling_model(kMostNesting + 1, {node_of("Neg", {"a"}, {})})) ==
        Lines{"functions and graphs are nested more than 64 deep"});
}

TEST_CASE("What functions become counts towards the memory of a model") {
  Model model = doubling_model(12, {node_of("Neg", {"a"}, {"r"}, "n")});
  ModelBudget budget;
  REQUIRE(budget.take_bytes(kMostModelBytes - (size_t{1} << 20)));
  const Status status = inline_functions(budget, &model);
  CHECK(status.error == "it takes more than 1 GiB without its weights");
  CHECK(status.exit_code == 3);
}

}  // namespace
}  // namespace xsp::bound
