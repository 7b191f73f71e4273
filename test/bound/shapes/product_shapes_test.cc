#include "bound/shapes/einsum.h"
#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

std::string multiplied(const Values& left, const Values& right, std::vector<Attribute> attributes = {},
                       const std::string& type = "MatMul") {
  SmallGraph graph;
  graph.input("a", left).input("b", right).node(type, {"a", "b"}, {"y"}, std::move(attributes));
  if (type == "FusedMatMul") graph.model.graph.nodes[0].domain = "com.microsoft";
  InferredShapes inferred;
  return graph.infer(&inferred).ok() ? inferred.values.at("y").text() : "error";
}

std::string summed(const std::string& equation, const std::vector<Dimensions>& shapes) {
  std::vector<const Dimensions*> operands;
  for (const Dimensions& shape : shapes) operands.push_back(&shape);
  Dimensions result;
  return einsum_shape(equation, operands, &result).is_known() ? text_of(result) : "error";
}

}  // namespace

TEST_CASE("MatMul broadcasts batches and drops the dimension of vectors") {
  CHECK(multiplied({1, 128, 768}, {768, 3072}) == "f32[1,128,3072]");
  CHECK(multiplied({5, 1, 2, 3}, {7, 3, 1}) == "f32[5,7,2,1]");
  CHECK(multiplied({3}, {2, 3, 4}) == "f32[2,4]");
  CHECK(multiplied({2, 3}, {3}) == "f32[2]");
  CHECK(multiplied({3}, {3}) == "f32[]");
  CHECK(multiplied({}, {3}) == "error");
  CHECK(multiplied({2, 2, 3}, {3, 3, 4}) == "error");
}

TEST_CASE("Gemm and FusedMatMul read operands as stored transposed") {
  CHECK(multiplied({3, 2}, {4, 3}, {integer_attribute("transA", 1), integer_attribute("transB", 1)}, "Gemm") ==
        "f32[2,4]");
  CHECK(multiplied({2, 3, 4}, {2, 5, 4}, {integer_attribute("transB", 1)}, "FusedMatMul") == "f32[2,3,5]");
  CHECK(multiplied({3, 2, 4}, {2, 4, 5}, {integer_attribute("transBatchA", 1)}, "FusedMatMul") == "f32[2,3,5]");
}

TEST_CASE("an error names no more than the beginning of a long equation") {
  const Dimensions pair = {2, 3};
  Dimensions result;
  const Finding finding = einsum_shape(std::string(100'000, 'a'), {&pair}, &result);
  CHECK(finding.kind == Finding::Kind::kImpossible);
  CHECK(finding.text.size() < 200);
}

TEST_CASE("Einsum with and without an arrow, with repeated letters and an ellipsis") {
  CHECK(summed("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}) == "[2,3,5]");
  CHECK(summed("ba, ac", {{2, 3}, {3, 4}}) == "[2,4]");
  CHECK(summed("...i,ij->...j", {{2, 3, 4}, {4, 5}}) == "[2,3,5]");
  CHECK(summed("ii->i", {{3, 3}}) == "[3]");
  CHECK(summed("ii", {{3, 3}}) == "[]");
  CHECK(summed("ij->", {{3, 4}}) == "[]");
  CHECK(summed("ij,jk->ik", {{2, 3}, {4, 5}}) == "error");
  CHECK(summed("ij->ik", {{2, 3}}) == "error");
  CHECK(summed("ij,jk->ik", {{2, 3}}) == "error");
  CHECK(summed("ij", {{2, 3, 4}}) == "error");
  CHECK(summed("i.j->i", {{2, 3}}) == "error");
}

TEST_CASE("quantized operators have the type of their zero point") {
  SmallGraph graph;
  graph.input("x", {2, 3}).weight("s", {}).weight("i8", {}, ElementType::kI8).weight("u8", {}, ElementType::kU8);
  graph.node("QuantizeLinear", {"x", "s"}, {"u"}).node("QuantizeLinear", {"x", "s", "i8"}, {"i"});
  graph.node("QuantizeLinear", {"x", "s"}, {"i16"}, {integer_attribute("output_dtype", 5)});
  graph.node("DequantizeLinear", {"i", "s", "i8"}, {"f"});
  graph.node("DynamicQuantizeLinear", {"x"}, {"q", "q_scale", "q_zero"});
  graph.weight("w", {3, 4}, ElementType::kI8).node("QLinearMatMul", {"u", "s", "u8", "w", "s", "i8", "s", "i8"}, {"y"});
  graph.node("MatMulInteger", {"u", "w"}, {"z"});
  CHECK(graph.text("u") == "u8[2,3]");
  CHECK(graph.text("i") == "i8[2,3]");
  CHECK(graph.text("i16") == "i16[2,3]");
  CHECK(graph.text("f") == "f32[2,3]");
  CHECK(graph.text("q_scale") == "f32[]");
  CHECK(graph.text("q_zero") == "u8[]");
  CHECK(graph.text("y") == "i8[2,4]");
  CHECK(graph.text("z") == "i32[2,4]");
}

// Shapes that ONNX Runtime 1.32 gives.
TEST_CASE("attention, recurrence and normalization give all their outputs") {
  SmallGraph graph;
  graph.model.opsets["com.microsoft"] = 1;
  graph.input("x", {2, 3, 16}).weight("w", {16, 28}).weight("b", {28}).weight("g", {16}).input("past", {2, 2, 4, 5, 4});
  graph.weight("w3", {16, 48}).weight("b3", {48});
  const auto heads = integer_attribute("num_heads", 4);
  graph.node("Attention", {"x", "w", "b"}, {"own"}, {heads, list_attribute("qkv_hidden_sizes", {8, 8, 12})});
  graph.node("Attention", {"x", "w3", "b3", "", "past"}, {"with_past", "present"}, {heads});
  graph.node("SkipLayerNormalization", {"x", "x", "g"}, {"sum_norm", "", "", "sum"});
  for (Node& node : graph.model.graph.nodes) node.domain = "com.microsoft";
  graph.weight("lw", {2, 16, 16})
      .weight("lr", {2, 16, 4})
      .node("LSTM", {"x", "lw", "lr"}, {"y", "y_h", "y_c"},
            {integer_attribute("hidden_size", 4), text_attribute("direction", "bidirectional")});
  graph.node("LayerNormalization", {"x", "g"}, {"norm", "mean", "deviation"});
  CHECK(graph.text("own") == "f32[2,3,12]");
  CHECK(graph.text("present") == "f32[2,2,4,8,4]");
  CHECK(graph.text("sum") == "f32[2,3,16]");
  CHECK(graph.text("y") == "f32[2,2,3,4]");
  CHECK(graph.text("y_c") == "f32[2,3,4]");
  CHECK(graph.text("mean") == "f32[2,3,1]");
}

}  // namespace xsp::bound
