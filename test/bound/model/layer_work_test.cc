#include "bound/model/layer_work.h"

#include "test/bound/model/taken_apart.h"

namespace xsp::bound {
namespace {

using test::integer_attribute;
using test::integers_attribute;
using test::ModelBuilder;
using test::taken_apart;

struct Counted {
  double flops, bytes, multiply_adds;
};

Counted counted(const ModelBuilder& builder) {
  const LayeredModel model = taken_apart(builder);
  const Layer& layer = model.layers.back();
  REQUIRE(layer.flops);
  REQUIRE(layer.bytes);
  return {*layer.flops, *layer.bytes, model.multiply_adds};
}

}  // namespace

TEST_CASE("a convolution has two flops for each multiply-add of its group, and one for each sum with the bias") {
  ModelBuilder builder;
  const std::string image = builder.input({2, 4, 8, 8});
  const std::string weight = builder.input({6, 2, 3, 3});
  builder.node("Conv", {image, weight, builder.input({6})},
               {integer_attribute("group", 2), integers_attribute("pads", {1, 1, 1, 1})});
  const Counted work = counted(builder);
  CHECK(work.multiply_adds == 2 * 6 * 64 * 2 * 9);
  CHECK(work.flops == 2 * work.multiply_adds + 2 * 6 * 64);
  CHECK(work.bytes == 4 * (2 * 4 * 64 + 6 * 2 * 9 + 6 + 2 * 6 * 64));
}

TEST_CASE("a transposed convolution multiplies each element of its input by the weights of its channel") {
  ModelBuilder builder;
  const std::string image = builder.input({1, 4, 5, 5});
  builder.node("ConvTranspose", {image, builder.input({4, 3, 2, 2})}, {integers_attribute("strides", {2, 2})});
  const Counted work = counted(builder);
  CHECK(work.multiply_adds == 4 * 25 * 3 * 4);
  CHECK(work.flops == 2 * work.multiply_adds);
}

TEST_CASE("products count the same whether operands are transposed, batched or vectors") {
  ModelBuilder general;
  const std::string source = general.input({3, 20});
  const std::string weight = general.input({10, 20});
  general.node("Gemm", {source, weight, general.input({10})}, {integer_attribute("transB", 1)});
  CHECK(counted(general).flops == 2 * 3 * 20 * 10 + 30);
  CHECK(counted(general).multiply_adds == 600);
  CHECK(counted(general).bytes == 4 * (60 + 200 + 10 + 30));

  ModelBuilder batched;
  batched.node("MatMul", {batched.input({2, 12, 16, 8}), batched.input({2, 12, 8, 4})});
  CHECK(counted(batched).flops == 2.0 * 24 * 16 * 8 * 4);

  ModelBuilder vector;
  vector.node("MatMul", {vector.input({2, 5, 6}), vector.input({6})});
  CHECK(counted(vector).flops == 2 * 10 * 6);
  CHECK(counted(vector).multiply_adds == 60);
}

TEST_CASE("an average adds up its window, a maximum only compares") {
  for (const std::string type : {"AveragePool", "MaxPool"}) {
    ModelBuilder builder;
    builder.node(type, {builder.input({1, 3, 8, 8})},
                 {integers_attribute("kernel_shape", {2, 2}), integers_attribute("strides", {2, 2})});
    CHECK(counted(builder).flops == (type == "MaxPool" ? 0 : 4 * 3 * 16));
    CHECK(counted(builder).bytes == 4 * (3 * 64 + 3 * 16));
    CHECK(counted(builder).multiply_adds == 0);
  }
}

TEST_CASE("movement has bytes and no flops, and reads no more of a table than it writes") {
  ModelBuilder builder;
  const std::string table = builder.input({30000, 16});
  builder.node("Gather", {table, builder.input({1, 10}, ElementType::kI64)});
  CHECK(counted(builder).flops == 0);
  CHECK(counted(builder).bytes == 10 * 8 + 2 * 4 * 160);

  ModelBuilder spread;
  const std::string image = spread.input({1, 4, 2, 2}, ElementType::kU16);
  spread.node("DepthToSpace", {image}, {integer_attribute("blocksize", 2)});
  CHECK(counted(spread).flops == 0);
  CHECK(counted(spread).bytes == 2 * 2 * 16);
}

TEST_CASE("operators of ONNX alone count an operation for each element") {
  ModelBuilder builder;
  builder.node("Softsign", {builder.input({3, 4})});
  CHECK(counted(builder).flops == 24);
  CHECK(counted(builder).bytes == 2 * 48);
}

TEST_CASE("of an operator without a formula only the bytes are known") {
  ModelBuilder builder;
  builder.node("Einsum", {builder.input({3, 4}), builder.input({4, 5})},
               {test::text_attribute("equation", "ij,jk->ik")});
  const LayeredModel model = taken_apart(builder);
  CHECK_FALSE(model.layers[0].flops);
  CHECK(model.layers[0].bytes == 4 * (12 + 20 + 15));
}

}  // namespace xsp::bound
