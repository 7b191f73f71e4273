#include <map>
#include <set>

#include "bound/onnx/model_file.h"
#include "bound/problems/plain_values.h"
#include "test/bound/fusion/found_groups.h"

namespace xsp::bound::test {
namespace {

double milliseconds_of(const LayeredModel& model, std::vector<FusedGroup>* groups) {
  const auto begin = std::chrono::steady_clock::now();
  *groups = find_fusions(model);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("each rule says what it is") {
  std::set<std::string_view> names;
  for (const FusionRule& rule : fusion_rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK(!rule.pattern.empty());
    CHECK(!rule.problem.empty());
    CHECK(!rule.backends.empty());
  }
  CHECK(names.size() == 7);
}

TEST_CASE("a group as a model reads the operands of its problem, in their order") {
  ModelBuilder model;
  const std::string image = model.input({1, 8, 4, 4});
  std::string value = model.node("Conv", {image, model.input({8, 8, 1, 1}), model.input({8})});
  value = model.node("Relu", {model.node("Add", {value, image})});
  value = model.node("MatMul", {model.node("Reshape", {value, model.integers({16, 8})}), model.input({8, 8})});
  model.node("Gelu", {model.node("Add", {value, model.input({8})})}, {}, "com.microsoft");
  for (const FusedGroup& group : found_groups(model)) {
    CAPTURE(group.problem);
    Model written;
    REQUIRE(parse_model(group.model, &written).ok());
    const auto operands = make_operands(*Problem::parse(group.problem));
    if (operands.empty()) continue;
    REQUIRE(written.graph.inputs.size() == operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      CHECK(written.graph.inputs[i].name == operands[i].name);
      std::vector<int64_t> dimensions;
      for (const Dimension& dimension : written.graph.inputs[i].dimensions) dimensions.push_back(dimension.size);
      CHECK(dimensions == operands[i].dimensions);
    }
  }
}

TEST_CASE("groups come in the order of their last layers, of each first layer the longest first") {
  ModelBuilder model;
  std::string value = model.input({4, 8});
  for (int i = 0; i < 3; ++i) {
    value = model.node("Add", {model.node("MatMul", {value, model.input({8, 8})}), model.input({8})});
    value = model.node("Relu", {value});
  }
  size_t last_of_families = 0;
  std::map<size_t, size_t> size_of_family;
  for (const FusedGroup& group : found_groups(model)) {
    const auto [family, is_new] = size_of_family.try_emplace(group.layers.front(), group.layers.size());
    if (is_new) {
      CHECK(group.layers.back() >= last_of_families);
      last_of_families = group.layers.back();
    } else {
      CHECK(group.layers.size() <= family->second);
      family->second = group.layers.size();
    }
  }
  CHECK(size_of_family.size() == 6);
}

TEST_CASE("ten thousand nodes take a moment") {
  ModelBuilder model;
  std::string value = model.input({1, 8, 8, 8});
  for (int i = 0; i < 2500; ++i) {
    const std::string convolved = model.node("Conv", {value, model.input({8, 8, 1, 1}), model.input({8})});
    const std::string sum = model.node("Add", {value, convolved});
    value = model.node("Mul", {sum, model.node("Sigmoid", {sum})});
  }
  model.output(value);
  std::vector<FusedGroup> groups;
  CHECK(milliseconds_of(taken_apart(model), &groups) < 2000);
  CHECK(groups.size() >= 5000);
}

TEST_CASE("long chains are several groups, and cost no more than their length") {
  ModelBuilder model;
  std::string value = model.input({8});
  for (int i = 0; i < 100'000; ++i) value = model.node(i % 2 == 0 ? "Exp" : "Sin", {value});
  model.output(value);
  std::vector<FusedGroup> groups;
  CHECK(milliseconds_of(taken_apart(model), &groups) < 5000);
  CHECK(groups.size() == 100'000 / 16);
  CHECK(groups[0].layers.size() == 16);
}

TEST_CASE("a value that a hundred thousand layers read joins none of them") {
  ModelBuilder model;
  const std::string value = model.node("Exp", {model.input({8})});
  std::vector<std::string> all;
  for (int i = 0; i < 100'000; ++i) all.push_back(model.node("Sin", {value}));
  model.node("Concat", all, {integer_attribute("axis", 0)});
  model.output(model.last_node().outputs[0]);
  std::vector<FusedGroup> groups;
  CHECK(milliseconds_of(taken_apart(model), &groups) < 5000);
  CHECK(groups.empty());
}

TEST_CASE("a model whose layers are all unknown has no groups") {
  ModelBuilder model;
  model.node("Nothing", {model.node("Thing", {model.input({8})}, {}, "acme")}, {}, "acme");
  CHECK(found_groups(model).empty());
}

}  // namespace xsp::bound::test
