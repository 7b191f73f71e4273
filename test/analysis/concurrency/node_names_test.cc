#include "analysis/concurrency/node_names.h"

#include "test/catch.h"

namespace xsp::analysis {
namespace {

NameReading last_reading(const std::string& name, const std::string& type) { return readings_of(name, type).back(); }

std::string module_called(const std::string& name) {
  bool has_module = false;
  const std::string module = module_of_node(name, &has_module);
  return has_module ? module : "none";
}

}  // namespace

TEST_CASE("what ONNX Runtime appends to the names of nodes is undone") {
  CHECK(last_reading("/fc/MatMul/MatMulAddFusion", "Gemm").name == "/fc/MatMul");
  CHECK(last_reading("/fc/MatMul/MatMulAddFusion", "Gemm").fusion == "MatMulAddFusion");
  CHECK(last_reading("/a/MatMul/MatMulScaleFusion/", "FusedMatMul").name == "/a/MatMul");
  CHECK(last_reading("MatMul__5307/MatmulTransposeFusion/", "FusedMatMul").name == "MatMul__5307");
  CHECK(last_reading("/a/MatMul/MatMulScaleFusion//MatmulTransposeFusion/", "FusedMatMul").name == "/a/MatMul");
  CHECK(last_reading("/a/Reshape_3_new_reshape", "Reshape").name == "/a/Reshape_3");
  CHECK(last_reading("/a/Conv_token_12", "Conv").name == "/a/Conv");
  CHECK(last_reading("fused /pooler/Gemm", "FusedGemm").name == "/pooler/Gemm");
}

TEST_CASE("a blocked convolution is called after the value that it writes") {
  const NameReading reading = last_reading("/layer1/relu/Relu_output_0_nchwc", "Conv");
  CHECK(reading.name == "/layer1/relu/Relu_output_0");
  CHECK(reading.is_value);
  CHECK(reading.is_blocked);
  CHECK_FALSE(reading.is_normalized);
  const NameReading normalized = last_reading("/norm1/BatchNormalization_output_0_bn_nchwc", "Conv");
  CHECK(normalized.name == "/norm1/BatchNormalization_output_0");
  CHECK(normalized.is_normalized);
}

TEST_CASE("a name that is only a type tells nothing more") {
  CHECK(readings_of("SkipLayerNormalization_token_141", "SkipLayerNormalization").size() == 1);
  CHECK(readings_of("Gelu", "Gelu").size() == 1);
  CHECK(readings_of("/conv1/Conv", "Conv").size() == 1);
  CHECK(readings_of("/MatMulAddFusion", "Gemm").size() == 1);
  CHECK(readings_of("_nchwc", "Conv").size() == 1);
  CHECK(readings_of("", "").size() == 1);
}

TEST_CASE("names of nodes tell modules as programs call them") {
  CHECK(module_called("/layer1/layer1.0/conv1/Conv") == "layer1.0.conv1");
  CHECK(module_called("/layer1/layer1.0/downsample/downsample.0/Conv") == "layer1.0.downsample.0");
  CHECK(module_called("/features/features.1/features.1.0/attn/MatMul_1") == "features.1.0.attn");
  CHECK(module_called("/layers.0/attention/query/MatMul") == "layers.0.attention.query");
  CHECK(module_called("resnet50/conv1_conv/Conv2D") == "resnet50.conv1_conv");
  CHECK(module_called("/Add") == "");
  CHECK(module_called("Conv_12") == "none");
  CHECK(module_of_layer("layer1.0.aten::add_", true) == "layer1.0");
  CHECK(module_of_layer("aten::flatten", true).empty());
  CHECK(module_of_layer("resnet50/conv1_conv", true) == "resnet50.conv1_conv");
  CHECK(module_of_layer("layer1.0.conv1", false) == "layer1.0.conv1");
}

}  // namespace xsp::analysis
