#include "analysis/work/operator_work.h"

#include <cmath>
#include <random>
#include <string>

#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::DataType;
using analysis::operator_work;
using analysis::OperatorCall;
using analysis::Work;

Work work(const std::string& name, const std::string& inputs, const std::string& values = "",
          const std::string& outputs = "") {
  INFO(name << " " << inputs << " " << values);
  const auto found = operator_work(OperatorCall{name, inputs, outputs, values});
  REQUIRE(found);
  return *found;
}

bool has_work(const std::string& name, const std::string& inputs, const std::string& values = "",
              const std::string& outputs = "") {
  return operator_work(OperatorCall{name, inputs, outputs, values}).has_value();
}

TEST_CASE("a product with a bias has 2·M·N·K flops and one more an output") {
  const Work product = work("aten::addmm", "bf16[768];bf16[788,768];bf16[768,768];;", R"(["","","","1","1"])");
  CHECK(product.flops == 930'167'808);
  CHECK(product.read_bytes == 2.0 * (768 + 788 * 768 + 768 * 768));
  CHECK(product.write_bytes == 2.0 * 788 * 768);
  CHECK(product.type == DataType::kBf16);
  CHECK(work("aten::addmm", "f32[768];f32[788,768];f32[768,768];;", R"(["","","","0","1"])").flops == 929'562'624);
  CHECK(work("aten::linear", "bf16[4,197,768];bf16[768,768];bf16[768]").flops == 930'167'808);
  CHECK(work("aten::linear", "bf16[4,197,768];bf16[768,768];").flops == 929'562'624);
}

TEST_CASE("products of every form count each operand once") {
  CHECK(work("aten::mm", "f32[2,3];f32[3,5]").flops == 60);
  CHECK(work("aten::bmm", "f32[7,2,3];f32[7,3,5]").flops == 7 * 60);
  CHECK(work("aten::baddbmm", "f32[7,2,5];f32[7,2,3];f32[7,3,5];;", R"(["","","","1","1"])").flops == 7 * 70);
  CHECK(work("aten::mv", "f64[4,3];f64[3]").flops == 24);
  CHECK(work("aten::addmv", "f64[4];f64[4,3];f64[3]").flops == 28);
  CHECK(work("aten::dot", "f32[9];f32[9]").flops == 18);
  CHECK(work("aten::addr_", "f32[4,3];f32[4];f32[3]").flops == 24);
  CHECK(work("aten::addbmm", "f32[2,5];f32[7,2,3];f32[7,3,5]").flops == 7 * 60 + 10);
  const Work broadcast = work("aten::matmul", "f32[6,1,2,3];f32[4,3,5]");
  CHECK(broadcast.flops == 24 * 60);
  CHECK(broadcast.read_bytes == 4.0 * (36 + 60));
  CHECK(broadcast.write_bytes == 4.0 * 24 * 10);
  CHECK(work("aten::mm", "c64[2,3];c64[3,5]").flops == 240);
  CHECK_FALSE(has_work("aten::mm", "f32[2,3];f32[4,5]"));
  CHECK_FALSE(has_work("aten::matmul", "f32[2,2,3];f32[3,3,5]"));
}

TEST_CASE("quantized and grouped products have the types they are computed in") {
  const Work scaled =
      work("aten::_scaled_mm", "f8e4m3[16,32];f8e4m3[32,64];f32[];f32[];;;;", R"(["","","","","","","15","True"])");
  CHECK(scaled.flops == 2 * 16 * 32 * 64);
  CHECK(scaled.type == DataType::kF8Tensor);
  CHECK(scaled.write_bytes == 2.0 * 16 * 64);
  const Work integer = work("aten::_int_mm", "i8[16,32];i8[32,64]");
  CHECK(integer.type == DataType::kI8Tensor);
  CHECK(integer.write_bytes == 4.0 * 16 * 64);
  CHECK(work("aten::_grouped_mm", "bf16[100,32];bf16[5,32,64];i32[5];;").flops == 2.0 * 100 * 32 * 64);
  CHECK(work("aten::_grouped_mm", "bf16[32,100];bf16[100,64];i32[5];;").write_bytes == 2.0 * 5 * 32 * 64);
  CHECK(work("aten::_weight_int8pack_mm", "bf16[4,32];i8[64,32];bf16[64]").flops == 2 * 4 * 32 * 64);
}

/// Multiply-adds of a convolution, counted one by one, those with padding too.
struct Convolution {
  int batch, channels, height, width, filters, window, stride, padding, dilation, groups;

  int out(int extent) const { return (extent + 2 * padding - dilation * (window - 1) - 1) / stride + 1; }
  double flops() const {
    double count = 0;
    for (int n = 0; n < batch; ++n) {
      for (int k = 0; k < filters; ++k) {
        for (int p = 0; p < out(height); ++p) {
          for (int q = 0; q < out(width); ++q) {
            for (int c = 0; c < channels / groups; ++c) count += 2 * window * window;
          }
        }
      }
    }
    return count;
  }
  std::string image() const {
    return "f16[" + std::to_string(batch) + "," + std::to_string(channels) + "," + std::to_string(height) + "," +
           std::to_string(width) + "]";
  }
  std::string weight() const {
    return "f16[" + std::to_string(filters) + "," + std::to_string(channels / groups) + "," + std::to_string(window) +
           "," + std::to_string(window) + "]";
  }
  std::string output() const {
    return "f16[" + std::to_string(batch) + "," + std::to_string(filters) + "," + std::to_string(out(height)) + "," +
           std::to_string(out(width)) + "]";
  }
  static std::string pair(int value) { return "\"[" + std::to_string(value) + ", " + std::to_string(value) + "]\""; }
};

TEST_CASE("convolutions have as many flops as a loop over them counts") {
  std::mt19937 random(3);
  const auto one_to = [&](unsigned most) { return static_cast<int>(random() % most) + 1; };
  for (int round = 0; round < 200; ++round) {
    const int groups = one_to(3);
    const int padding = one_to(3) - 1;
    Convolution c{one_to(3), groups * one_to(4), 9 + one_to(8), 9 + one_to(8), groups * one_to(4),
                  one_to(4), one_to(3),          padding,       one_to(2),     groups};
    const std::string s = Convolution::pair(c.stride);
    const std::string p = Convolution::pair(c.padding);
    const std::string d = Convolution::pair(c.dilation);
    const std::string g = '"' + std::to_string(c.groups) + '"';
    const Work general = work("aten::convolution", c.image() + ";" + c.weight() + ";;;;;;;",
                              R"(["","","",)" + s + "," + p + "," + d + R"(,"False","[0, 0]",)" + g + "]");
    CHECK(general.flops == c.flops());
    const double outputs = double(c.batch) * c.filters * c.out(c.height) * c.out(c.width);
    CHECK(general.write_bytes == 2 * outputs);
    CHECK(work("aten::cudnn_convolution", c.image() + ";" + c.weight() + ";;;;;;;",
               R"(["","",)" + p + "," + s + "," + d + "," + g + R"(,"False","False","True"])")
              .flops == c.flops());
    CHECK(work("aten::conv2d", c.image() + ";" + c.weight() + ";f16[" + std::to_string(c.filters) + "];;;;",
               R"(["","","",)" + s + "," + p + "," + d + "," + g + "]")
              .flops == c.flops() + outputs);
    CHECK(work("Conv", c.image() + ";" + c.weight(), "", c.output()).flops == c.flops());
    // Both gradients are as much as the forward one each.
    const std::string mask = R"(["","","","",)" + s + "," + p + "," + d + R"(,"False","[0, 0]",)" + g;
    CHECK(work("aten::convolution_backward", c.output() + ";" + c.image() + ";" + c.weight() + ";;;;;;;;",
               mask + R"(,"[True, True, False]"])")
              .flops == 2 * c.flops());
    CHECK(work("aten::convolution_backward", c.output() + ";" + c.image() + ";" + c.weight() + ";;;;;;;;",
               mask + R"(,"[False, True, True]"])")
              .flops == c.flops() + outputs);
    // The transposed one of the output's shape is the gradient of the input.
    CHECK(work("aten::convolution", c.output() + ";" + c.weight() + ";;;;;;;",
               R"(["","","",)" + s + "," + p + "," + d + R"(,"True","[0, 0]",)" + g + "]")
              .flops == c.flops());
  }
}

TEST_CASE("a convolution is what arithmetic says") {
  const std::string values = R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"])";
  CHECK(work("aten::convolution", "f32[256,512,7,7];f32[512,512,3,3];;;;;;;", values).flops == 59'190'018'048);
  CHECK(work("aten::conv2d", "f32[1,3,8,8];f32[4,3,3,3];;;;;", R"(["","","","[1, 1]","same","[1, 1]","1"])")
            .write_bytes == 4.0 * 4 * 64);
  CHECK(work("aten::conv1d", "f32[2,3,100];f32[4,3,5];;;;;", R"(["","","","[2]","[0]","[1]","1"])").flops ==
        2.0 * 2 * 4 * 48 * 15);
  const Work transposed = work("aten::conv_transpose2d", "f32[1,8,5,5];f32[8,4,3,3];;;;;;",
                               R"(["","","","[2, 2]","[1, 1]","[1, 1]","1","[1, 1]"])");
  CHECK(transposed.flops == 2.0 * 8 * 25 * 4 * 9);
  CHECK(transposed.write_bytes == 4.0 * 4 * 10 * 10);
  CHECK(work("Gemm", "f32[1,2048,1,1];f32[1000,2048];f32[1000]", "", "f32[1,1000]").flops == 2 * 2'048'000 + 1000);
  CHECK(work("Gemm", "f32[32,8];f32[32,16]", "", "f32[8,16]").flops == 2.0 * 8 * 16 * 32);
  CHECK(work("MatMul", "f32[4,197,768];f32[768,64]", "", "f32[4,197,64]").flops == 2.0 * 4 * 197 * 768 * 64);
  CHECK(work("Conv2D", "f32[1,8,8,3];f32[3,3,3,16]", "", "f32[1,6,6,16]").flops == 2.0 * 36 * 16 * 27);
  CHECK(work("DepthwiseConv2dNative", "f32[1,8,8,3];f32[3,3,3,2]", "", "f32[1,6,6,6]").flops == 2.0 * 36 * 6 * 9);
  CHECK(work("ConvTranspose", "f32[1,8,5,5];f32[8,4,3,3];f32[4]", "", "f32[1,4,10,10]").flops ==
        2.0 * 8 * 25 * 36 + 400);
  const Work quantized =
      work("QLinearConv", "u8[1,3,8,8];f32[];u8[];i8[4,3,3,3];f32[];i8[];f32[];u8[]", "", "u8[1,4,6,6]");
  CHECK(quantized.flops == 2.0 * 4 * 36 * 27);
  CHECK(quantized.type == DataType::kI8Tensor);
}

TEST_CASE(
    "without strides a convolution takes its output from its gradient, and a gradient its weight from around it") {
  const std::string inputs = "f32[32,3,224,224];f32[64,3,7,7];;;;;;";
  CHECK_FALSE(has_work("aten::cudnn_convolution", inputs));
  OperatorCall call{"aten::cudnn_convolution", inputs, "", ""};
  call.gradient_inputs = "f32[32,64,112,112]";
  REQUIRE(operator_work(call));
  CHECK(operator_work(call)->flops == 2.0 * 32 * 64 * 112 * 112 * 3 * 49);
  OperatorCall gradient{"aten::cudnn_convolution_backward_weight", ";f32[32,64,112,112];f32[32,3,224,224];;;;", "", ""};
  CHECK_FALSE(operator_work(gradient));
  gradient.enclosing_inputs = "f32[32,3,224,224];f32[32,64,112,112];f32[64,3,7,7];;;";
  REQUIRE(operator_work(gradient));
  CHECK(operator_work(gradient)->flops == operator_work(call)->flops);
  CHECK(work("aten::cudnn_convolution_backward_input", ";f32[32,64,112,112];f32[64,3,7,7];;").flops ==
        operator_work(call)->flops);
}

TEST_CASE("elementwise operators count the broadcast output and read a broadcast operand once") {
  const Work add = work("aten::add", "f32[4,197,768];f32[1,197,768];");
  CHECK(add.flops == 4.0 * 197 * 768);
  CHECK(add.read_bytes == 4.0 * 5 * 197 * 768);
  CHECK(add.write_bytes == 4.0 * 4 * 197 * 768);
  CHECK(add.type == DataType::kF32);
  CHECK(work("aten::add_", "f32[8];f32[8];").flops == 8);
  CHECK(work("aten::relu_", "f32[8]").flops == 0);
  CHECK(work("aten::gelu", "bf16[8];").flops == 64);
  CHECK(work("aten::mul", "f16[8];f32[]").write_bytes == 16);
  CHECK(work("aten::mul", "f16[8];f32[8]").write_bytes == 32);
  CHECK(work("aten::eq", "f32[8];f32[]").write_bytes == 8);
  // The third one is where the result goes.
  CHECK(work("aten::mul", "f32[2048,1];bool[2048,1];f32[2048,1]").read_bytes == 2048 * 5);
  CHECK(work("Add", "f32[2,3];f32[3]").flops == 6);
  CHECK(work("AddV2", "f32[2,3];f32[3]", "", "f32[2,3]").flops == 6);
  CHECK(work("Sum", "f32[2,3];f32[2,3];f32[2,3]").flops == 12);
  CHECK(work("Sum", "f32[2,3];i32[1]", "", "f32[2]").flops == 6);
  CHECK(work("BiasAdd", "f32[1,6,6,16];f32[16]", "", "f32[1,6,6,16]").flops == 576);
  CHECK_FALSE(has_work("aten::add", "f32[2];f32[3]"));
  CHECK_FALSE(has_work("aten::add", ";;"));
}

TEST_CASE("attention has as many flops as a loop over queries and keys counts") {
  for (const bool causal : {false, true}) {
    for (const auto& [queries, keys] : {std::pair(5, 5), std::pair(3, 7), std::pair(7, 3)}) {
      double pairs = 0;
      for (int q = 0; q < queries; ++q) {
        for (int k = 0; k < keys; ++k) pairs += !causal || k <= q ? 1 : 0;
      }
      const double expected = 2 * 3 * pairs * (2 * 8 + 2 * 6);  // batch 2, 3 heads
      const std::string q = "f16[2,3," + std::to_string(queries) + ",8];";
      const std::string k = "f16[2,3," + std::to_string(keys) + ",8];";
      const std::string v = "f16[2,3," + std::to_string(keys) + ",6];";
      const std::string flag = causal ? "True" : "False";
      const Work attention = work("aten::_scaled_dot_product_flash_attention", q + k + v + ";;;",
                                  R"(["","","","0.",")" + flag + R"(","False",""])");
      CHECK(attention.flops == expected);
      CHECK(attention.write_bytes == 2.0 * 2 * 3 * queries * 6);
      CHECK(work("aten::scaled_dot_product_attention", q + k + v + ";;;;",
                 R"(["","","","","0.",")" + flag + R"(","","False"])")
                .flops == expected);
    }
  }
  // Fewer heads of keys and values: their bytes only.
  const Work grouped = work("aten::scaled_dot_product_attention", "f16[2,8,5,8];f16[2,2,5,8];f16[2,2,5,8];;;;;",
                            R"(["","","","","0.","False","","True"])");
  CHECK(grouped.flops == 2.0 * 2 * 8 * 25 * 16);
  CHECK(grouped.read_bytes == 2.0 * 2 * 5 * 8 * 12);
  // [B, S, H, D]
  CHECK(work("aten::_flash_attention_forward", "bf16[4,197,12,64];bf16[4,197,12,64];bf16[4,197,12,64];;;;;;;;;;;;",
             R"(["","","","","","197","197","0.","False","False","0.125","","","",""])")
            .flops == 4.0 * 4 * 12 * 197 * 197 * 64);
  CHECK(work("aten::_scaled_dot_product_flash_attention_backward",
             "f16[2,3,5,8];f16[2,3,5,8];f16[2,3,5,8];f16[2,3,5,8];f16[2,3,5,8];f32[2,3,5];;;;;;;;;",
             R"(["","","","","","","","","5","5","0.","False","","",""])")
            .flops == 2.0 * 6 * 25 * 5 * 8);
  // The last query sees all keys where the mask begins at the bottom right.
  CHECK(work("flash_attn::_flash_attn_forward", "f16[1,1,1,8];f16[1,9,1,8];f16[1,9,1,8];;;",
             R"(["","","","0.","1.","True"])")
            .flops == 2.0 * 9 * 16);
  CHECK(work("MultiHeadAttention", "f16[2,5,32];f16[2,7,32];f16[2,7,32]").flops == 2.0 * 2 * 5 * 7 * 64);
}

TEST_CASE("pooling has as many additions as a loop over the windows counts") {
  const auto count = [](int extent, int window, int stride, int padding, bool up) {
    int outputs = 0;
    for (int begin = -padding;; begin += stride) {
      const bool fits = begin + window <= extent + padding;
      const bool begins_inside = begin < extent;
      if (!(fits || (up && begins_inside && begin - stride + window < extent + padding))) return outputs;
      ++outputs;
    }
  };
  for (const bool up : {false, true}) {
    for (int extent = 6; extent < 14; ++extent) {
      for (int window = 1; window < 4; ++window) {
        for (int stride = 1; stride < 4; ++stride) {
          const int padding = window / 2;
          const double out =
              double(count(extent, window, stride, padding, up)) * count(extent, window, stride, padding, up);
          const std::string settings =
              Convolution::pair(window) + "," + Convolution::pair(stride) + "," + Convolution::pair(padding);
          const std::string image = "f32[2,3," + std::to_string(extent) + "," + std::to_string(extent) + "]";
          const std::string flag = up ? "\"True\"" : "\"False\"";
          INFO(settings << " of " << extent << " up " << up);
          const Work average =
              work("aten::avg_pool2d", image + ";;;;;;", R"(["",)" + settings + "," + flag + R"(,"True",""])");
          CHECK(average.write_bytes == 4 * 6 * out);
          CHECK(average.flops == 6 * out * window * window);
          const Work largest = work("aten::max_pool2d_with_indices", image + ";;;;;",
                                    R"(["",)" + settings + R"(,"[1, 1]",)" + flag + "]");
          CHECK(largest.flops == 0);
          CHECK(largest.write_bytes == (4 + 8) * 6 * out);
        }
      }
    }
  }
  CHECK(work("aten::_adaptive_avg_pool2d", "f32[2,3,7,7];", R"(["","[1, 1]"])").flops == 2 * 3 * 49);
  CHECK(work("GlobalAveragePool", "f32[2,3,7,7]", "", "f32[2,3,1,1]").flops == 2 * 3 * 49);
}

TEST_CASE("normalization, softmax, reductions and optimizers count by element") {
  CHECK(work("aten::native_layer_norm", "bf16[4,197,768];;bf16[768];bf16[768];").flops == 7.0 * 4 * 197 * 768);
  CHECK(work("aten::native_layer_norm", "bf16[4,197,768];;;;").flops == 5.0 * 4 * 197 * 768);
  CHECK(work("aten::rms_norm", "bf16[4,768];;bf16[768];").flops == 4.0 * 4 * 768);
  const std::string parameters = ";f32[8];f32[8];f32[8];f32[8];;;";
  CHECK(work("aten::cudnn_batch_norm", "f32[2,8,4,4]" + parameters, R"(["","","","","","True","0.1","0."])").flops ==
        7.0 * 256);
  CHECK(work("aten::cudnn_batch_norm", "f32[2,8,4,4]" + parameters, R"(["","","","","","False","0.1","0."])").flops ==
        2.0 * 256);
  CHECK_FALSE(has_work("aten::cudnn_batch_norm", "f32[2,8,4,4]" + parameters));
  CHECK(work("aten::_softmax", "f32[32,1000];;").flops == 128'000);
  const Work sum = work("aten::sum", "f32[32,1000];;;", R"(["","[0]","True",""])");
  CHECK(sum.flops == 32'000);
  CHECK(sum.write_bytes == 4000);
  CHECK(work("aten::mean", "f32[32,1000];", R"(["",""])").write_bytes == 4);
  CHECK_FALSE(work("aten::sum", "f32[32,1000];;;").has_bytes);
  const Work lists = work("aten::_foreach_add_", "(f32[4],f32[2,3]);(f32[4],f32[2,3]);");
  CHECK(lists.flops == 10);
  CHECK(lists.read_bytes == 80);
  CHECK(lists.write_bytes == 40);
  const Work adam = work("aten::_fused_adam_", "(f32[100]);(f32[100]);(f32[100]);(f32[100]);;(f32[]);;;;;");
  CHECK(adam.flops == 1300);
  CHECK(adam.write_bytes == 1200);
  const Work lstm =
      work("aten::_cudnn_rnn", "f32[7,2,10];(f32[48,10],f32[48,12],f32[48],f32[48]);;;f32[1,2,12];f32[1,2,12]");
  CHECK(lstm.flops == 14.0 * (2 * 48 * (10 + 12) + 30 * 12));
  CHECK(work("LSTM", "f32[7,2,10];f32[1,48,10];f32[1,48,12];f32[1,96]").flops == lstm.flops);
}

TEST_CASE("copies have bytes and no flops") {
  const Work copy = work("aten::copy_", "f32[8,8];f16[8,8];");
  CHECK(copy.flops == 0);
  CHECK(copy.read_bytes == 128);
  CHECK(copy.write_bytes == 256);
  const Work cat = work("aten::cat", "(bf16[4,1,768],bf16[4,196,768]);");
  CHECK(cat.read_bytes == 2.0 * 4 * 197 * 768);
  const Work embedding = work("aten::embedding", "f32[50000,64];i64[2,8];;;");
  CHECK(embedding.read_bytes == 4.0 * 16 * 64 + 128);
  CHECK(embedding.write_bytes == 4.0 * 16 * 64);
  CHECK(work("aten::scatter_add_", "f32[50];;i64[100];f32[100]").flops == 100);
  CHECK(work("aten::fill_", "f32[10];").write_bytes == 40);
  CHECK(work("Reshape", "f32[10];i64[2]", "", "f32[2,5]").write_bytes == 0);
  CHECK(work("c10d::_allgather_base_", "i8[64];i8[16];").write_bytes == 64);
}

TEST_CASE("what cannot be read or counted has no work") {
  for (const char* inputs : {"f32[2,3", "f32[2,3];f32[3,5", "f32[-1,3];f32[3,5]", "f32[2,x];f32[3,5]", "[2,3];f32[3,5]",
                             "f32[2,,3];f32[3,5]", "f32[1099511627776,1099511627776];f32[1099511627776,2]",
                             "f32[99999999999999999999,3];f32[3,5]", "f32[2,3]]f32[3,5]", "(f32[2,3];f32[3,5]",
                             "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1];f32[3,5]"}) {
    INFO(inputs);
    CHECK_FALSE(has_work("aten::mm", inputs));
  }
  // As large as it gets.
  CHECK(work("aten::mm", "f32[1099511627776,1];f32[1,1024]").flops == 2.0 * 1024 * 1099511627776.0);
  CHECK_FALSE(has_work("aten::nothing_known", "f32[2,3]"));
  CHECK_FALSE(has_work("mm", "f32[2,3];f32[3,5]"));
  CHECK_FALSE(has_work("", ""));
  const std::string image = "f32[1,3,8,8];f32[4,3,3,3];;;;;;;";
  for (const char* values :
       {"", "[", "[]]", "{}", R"(["","","","[0, 0]","[0, 0]","[1, 1]"])", R"(["","","","[1, 1]","[-5, 0]","[1, 1]"])",
        R"(["","","","[1, x]","[0, 0]","[1, 1]"])", R"(["","","","[1, 1]","[0, 0]","[9, 9]"])"}) {
    INFO(values);
    CHECK_FALSE(has_work("aten::convolution", image, values));
  }
  CHECK_FALSE(has_work("aten::convolution", image, std::string(400'000, '[')));
}

TEST_CASE("random texts are read without harm") {
  std::mt19937 random(11);
  const std::string alphabet = "f3216b[]();,0123456789 -\"Trueals.";
  const char* names[] = {"aten::addmm",
                         "aten::convolution",
                         "aten::_flash_attention_forward",
                         "aten::avg_pool2d",
                         "aten::add",
                         "aten::cat",
                         "aten::sum",
                         "aten::_cudnn_rnn",
                         "Conv",
                         "QLinearConv",
                         "MatMul",
                         "aten::index_put_"};
  for (int round = 0; round < 20'000; ++round) {
    const auto text = [&](std::string start) {
      for (size_t i = random() % 40; i > 0; --i) start += alphabet[random() % alphabet.size()];
      return start;
    };
    const auto found = operator_work(OperatorCall{
        names[random() % std::size(names)], text("f32[4,4,4,4];f32[4,4,1,1];"), text(""), text(R"(["","","[1, 1]",)")});
    if (found) {
      CHECK(std::isfinite(found->flops));
      CHECK(found->flops >= 0);
      CHECK(found->read_bytes >= 0);
      CHECK(found->write_bytes >= 0);
    }
  }
}

}  // namespace
}  // namespace xsp::test
