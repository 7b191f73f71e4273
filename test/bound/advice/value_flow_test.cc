#include "bound/advice/value_flow.h"

#include "test/bound/model/taken_apart.h"

namespace xsp::bound {
namespace {

const FloatValue* value_written_by(const std::vector<FloatValue>& values, size_t producer) {
  const auto found = std::ranges::find(values, producer, &FloatValue::producer);
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("values between layers are those of f32 that no weight is") {
  test::ModelBuilder builder;
  const std::string image = builder.input({1, 8, 4, 4});
  const std::string weight = builder.input({16, 8, 1, 1});  // weights may be declared as inputs
  const std::string made = builder.node("Conv", {image, weight});
  const std::string shape = builder.node("Shape", {made});  // whole numbers
  const std::string rectified = builder.node("Relu", {made});
  builder.output(builder.node("Reshape", {rectified, shape}));
  const LayeredModel model = test::taken_apart(builder);
  const std::vector<FloatValue> values = float_values(model);

  REQUIRE(values.size() == 4);
  CHECK(values[0].producer == kNoLayer);
  CHECK(values[0].elements == 128);
  CHECK(values[0].readers == std::vector<size_t>{0});
  const FloatValue* convolved = value_written_by(values, 0);
  REQUIRE(convolved != nullptr);
  CHECK(convolved->elements == 256);
  CHECK(convolved->readers == std::vector<size_t>{1, 2});
  CHECK_FALSE(convolved->is_output);
  CHECK(value_written_by(values, 3)->is_output);
}

TEST_CASE("a layer that reads a value twice is one reader") {
  test::ModelBuilder builder;
  const std::string x = builder.input({4});
  builder.output(builder.node("Mul", {x, x}));
  const std::vector<FloatValue> values = float_values(test::taken_apart(builder));
  REQUIRE(values.size() == 2);
  CHECK(values[0].readers == std::vector<size_t>{0});
}

TEST_CASE("a model without a source has a value a layer, by its outputs") {
  LayeredModel model;
  model.layers.resize(3);
  model.layers[0].outputs = "f32[2,3];f32[7]";
  model.layers[1].outputs = "i64[2]";
  model.layers[1].producers = {0};
  model.layers[2].outputs = "f32[]";
  model.layers[2].producers = {0, 1};
  const std::vector<FloatValue> values = float_values(model);
  REQUIRE(values.size() == 2);
  CHECK(values[0].elements == 6);
  CHECK(values[0].readers == std::vector<size_t>{1, 2});
  CHECK_FALSE(values[0].is_output);
  CHECK(values[1].producer == 2);
  CHECK(values[1].elements == 1);
  CHECK(values[1].is_output);
}

}  // namespace xsp::bound
