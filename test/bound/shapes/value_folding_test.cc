#include "bound/shapes/value_folding.h"

#include <limits>

#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

ValueFacts combined(const std::string& type, Values left, Values right, ElementType element = ElementType::kI64) {
  SmallGraph graph;
  const auto count = [](const Values& values) { return Values{static_cast<int64_t>(values.size())}; };
  const Values left_shape = count(left);
  const Values right_shape = count(right);
  graph.integers("a", left_shape, std::move(left), element).integers("b", right_shape, std::move(right), element);
  graph.node(type, {"a", "b"}, {"y"});
  return graph.facts("y");
}

}  // namespace

TEST_CASE("whole numbers are folded as C++ computes them") {
  CHECK(combined("Add", {1, 2}, {10}).integers == Values{11, 12});
  CHECK(combined("Sub", {1, 2}, {10}).integers == Values{-9, -8});
  CHECK(combined("Mul", {3, -2}, {10}).integers == Values{30, -20});
  CHECK(combined("Div", {-7, 7, -7}, {2, -2, -2}).integers == Values{-3, -3, 3});
  CHECK(combined("Mod", {-7, 7, -7}, {3, -3, -3}).integers == Values{2, -2, -1});
  CHECK(combined("Pow", {-3, 2}, {3, 10}).integers == Values{-27, 1024});
  CHECK(combined("Min", {1, 5}, {3}).integers == Values{1, 3});
  CHECK(combined("Max", {1, 5}, {3}).integers == Values{3, 5});
  CHECK(combined("Equal", {1, 5}, {5}).integers == Values{0, 1});
  CHECK(combined("LessOrEqual", {1, 5, 6}, {5}).integers == Values{1, 1, 0});
}

TEST_CASE("what has no value or does not fit is not folded") {
  CHECK_FALSE(combined("Div", {1}, {0}).integers);
  CHECK_FALSE(combined("Mod", {1}, {0}).integers);
  CHECK_FALSE(combined("Div", {kLeast}, {-1}).integers);
  CHECK_FALSE(combined("Mod", {kLeast}, {-1}).integers);
  CHECK_FALSE(combined("Add", {kMost}, {1}).integers);
  CHECK_FALSE(combined("Sub", {kLeast}, {1}).integers);
  CHECK_FALSE(combined("Mul", {kMost}, {2}).integers);
  CHECK_FALSE(combined("Pow", {10}, {40}).integers);
  CHECK_FALSE(combined("Pow", {2}, {-1}).integers);
  CHECK_FALSE(combined("Add", {127}, {1}, ElementType::kI8).integers);
  CHECK(combined("Add", {127}, {1}, ElementType::kU8).integers == Values{128});
  CHECK(combined("Div", {1}, {0}).text() == "i64[1]");
}

TEST_CASE("Neg and Abs of the least number are not folded") {
  for (const char* type : {"Neg", "Abs"}) {
    SmallGraph graph;
    graph.list("a", {kLeast}).list("b", {-5}).node(type, {"a"}, {"y"}).node(type, {"b"}, {"z"});
    CHECK_FALSE(graph.facts("y").integers);
    CHECK(graph.values("z") == Values{5});
  }
}

TEST_CASE("numbers are rounded to the precision of their type") {
  SmallGraph graph;
  graph.numbers("a", {0.1f}).numbers("b", {3}).node("Mul", {"a", "b"}, {"y"});
  const ValueFacts facts = graph.facts("y");
  REQUIRE(facts.numbers.has_value());
  CHECK(facts.numbers->front() == static_cast<double>(0.1f * 3.0f));
}

TEST_CASE("Cast cuts towards zero and leaves out what does not fit") {
  SmallGraph graph;
  graph.numbers("a", {1.9, -1.9, 0}).numbers("large", {1e20});
  const auto to = [](ElementType type) { return std::vector{integer_attribute("to", static_cast<int64_t>(type))}; };
  graph.node("Cast", {"a"}, {"whole"}, to(ElementType::kI32)).node("Cast", {"a"}, {"truth"}, to(ElementType::kBool));
  graph.node("Cast", {"a"}, {"unsigned"}, to(ElementType::kU8)).node("Cast", {"large"}, {"i"}, to(ElementType::kI64));
  graph.node("Cast", {"whole"}, {"back"}, to(ElementType::kF32));
  CHECK(graph.values("whole") == Values{1, -1, 0});
  CHECK(graph.values("truth") == Values{1, 1, 0});
  CHECK_FALSE(graph.facts("unsigned").integers);
  CHECK_FALSE(graph.facts("i").integers);
  CHECK(graph.facts("back").numbers == std::vector<double>{1, -1, 0});
}

TEST_CASE("values move with their elements") {
  SmallGraph graph;
  graph.integers("m", {2, 3}, {1, 2, 3, 4, 5, 6}).list("two", {2}).integers("pick", {1, 2}, {0, -1});
  graph.node("Transpose", {"m"}, {"turned"});
  graph.node("Gather", {"m", "pick"}, {"picked"}, {integer_attribute("axis", 1)});
  graph.node("Concat", {"m", "m"}, {"wide"}, {integer_attribute("axis", -1)});
  graph.node("Split", {"m"}, {"s0", "s1", "s2"}, {integer_attribute("axis", 1)});
  graph.list("twice", {2, 2}).node("Tile", {"m", "twice"}, {"tiled"});
  graph.list("starts", {-1, 0}).list("ends", {-99, 9}).list("axes", {1, 0}).list("steps", {-2, 1});
  graph.node("Slice", {"m", "starts", "ends", "axes", "steps"}, {"cut"});
  graph.node("ReduceProd", {"m"}, {"products"}, {list_attribute("axes", {0}), integer_attribute("keepdims", 0)});
  graph.node("NonZero", {"m"}, {"where"});
  CHECK(graph.values("turned") == Values{1, 4, 2, 5, 3, 6});
  CHECK(graph.values("picked") == Values{1, 3, 4, 6});
  CHECK(graph.values("wide") == Values{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(graph.values("s1") == Values{2, 5});
  CHECK(graph.values("tiled") == Values{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(graph.values("cut") == Values{3, 1, 6, 4});
  CHECK(graph.values("products") == Values{4, 10, 18});
  CHECK(graph.text("where") == "i64[2,6]");
}

TEST_CASE("values of weights are only there where they were read") {
  SmallGraph graph;
  graph.weight("w", {3}, ElementType::kI64).list("one", {1}).node("Add", {"w", "one"}, {"y"});
  CHECK(graph.text("y") == "i64[3]");
  CHECK(graph.facts("y").is_constant);
  CHECK_FALSE(graph.facts("y").integers);
}

TEST_CASE("values of more than 4096 elements are not kept") {
  SmallGraph graph;
  graph.list("small", {4096}).list("large", {4097});
  graph.node("ConstantOfShape", {"small"}, {"y"}).node("ConstantOfShape", {"large"}, {"z"});
  CHECK(graph.facts("y").numbers.has_value());
  CHECK_FALSE(graph.facts("z").numbers.has_value());
}

TEST_CASE("values whose number differs from the shape are not taken") {
  SmallGraph graph;
  graph.integers("w", {3}, {1, 2}).node("Identity", {"w"}, {"y"});
  CHECK_FALSE(graph.facts("w").integers);
  CHECK_FALSE(graph.facts("y").integers);
}

TEST_CASE("an index outside of the data is not folded") {
  SmallGraph graph;
  graph.list("data", {1, 2}).list("index", {2}).node("Gather", {"data", "index"}, {"y"});
  CHECK(graph.text("y") == "i64[1]");
  CHECK_FALSE(graph.facts("y").integers);
}

}  // namespace xsp::bound
