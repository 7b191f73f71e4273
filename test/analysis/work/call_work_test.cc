#include "analysis/work/call_work.h"

#include <string>

#include "analysis/timeline/kernel_metrics.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::CallWork;
using analysis::DataType;

/// One call; texts are given by the name of their field, numbers in the order of the layout.
class Call {
 public:
  Call(std::string library, std::string function) : library_(std::move(library)), function_(std::move(function)) {
    builder_.add_process(10);
  }
  Call& constant(const std::string& name, const std::string& value) {
    constants_ += (constants_.empty() ? "" : " ") + name + "=" + value;
    return *this;
  }
  Call& number(const std::string& name, int64_t value, const std::string& kind = "i8") {
    fields_ += " " + name + ":" + kind;
    values_.add(value);
    return *this;
  }
  Call& named(const std::string& name, int8_t value, const std::string& names) {
    fields_ += " " + name + ":e1{" + names + "}";
    values_.add(value);
    return *this;
  }
  Call& text(const std::string& name, const std::string& value) {
    fields_ += " " + name + ":s4";
    values_.add(value.empty() ? uint32_t{0} : builder_.string_id(1, value));
    return *this;
  }
  std::optional<CallWork> work() {
    SpanSpec span{.begin = 100, .end = 200, .id = 1};
    span.level = LEVEL_LIBRARY;
    span.kind = KIND_LIBRARY_CALL;
    span.name = function_;
    span.type = library_;
    span.layout = constants_ + fields_;
    if (span.layout.starts_with(' ')) span.layout.erase(0, 1);
    span.values = values_;
    builder_.add(span);
    const Analysed analysed({builder_.bytes()});
    return analysis::call_work(analysed.trace, 0);
  }

 private:
  TraceBuilder builder_;
  std::string library_;
  std::string function_;
  std::string constants_;
  std::string fields_;
  Values values_;
};

Call gemm(const std::string& type, const std::string& compute = "") {
  Call call("cublas", "cublasGemmEx");
  call.constant("class", "gemm").constant("type_a", type).constant("type_b", type).constant("type_c", type);
  if (!compute.empty()) call.constant("compute", compute);
  call.number("m", 768).number("n", 788).number("k", 3072);
  return call;
}

TEST_CASE("products of cuBLAS count m, n, k and the batch") {
  const auto plain = gemm("R_16F").work();
  REQUIRE(plain);
  CHECK(plain->work.flops == 2.0 * 768 * 788 * 3072);
  CHECK(plain->work.read_bytes == 2.0 * 3072 * (768 + 788));
  CHECK(plain->work.write_bytes == 2.0 * 768 * 788);
  CHECK(plain->work.type == DataType::kF16);
  CHECK(gemm("C_32F").work()->work.flops == 8.0 * 768 * 788 * 3072);
  CHECK(gemm("R_32F").number("batch", 12).work()->work.flops == 12 * 2.0 * 768 * 788 * 3072);
  CHECK(gemm("R_8I").work()->work.type == DataType::kI8Tensor);
  // Of several groups the first one's sizes say nothing.
  CHECK_FALSE(gemm("R_32F").number("group_count", 3).work());
  CHECK_FALSE(gemm("R_NEW").work());
  CHECK_FALSE(Call("cublas", "cublasSgemm_v2").constant("class", "gemm").number("m", 5).work());
}

TEST_CASE("the compute type of cuBLAS tells what a product is done in") {
  const auto type_of = [](const std::string& type, const std::string& compute) { return gemm(type, compute).work(); };
  CHECK(type_of("R_32F", "32F_FAST_TF32")->work.type == DataType::kTf32Tensor);
  CHECK(type_of("R_32F", "32F_FAST_TF32")->is_exact);
  CHECK(type_of("R_32F", "32F_FAST_16BF")->work.type == DataType::kBf16Tensor);
  CHECK(type_of("R_32F", "32F_FAST_16F")->work.type == DataType::kF16Tensor);
  CHECK_FALSE(type_of("R_32F", "32F")->is_exact);
  const auto emulated = type_of("R_32F", "32F_EMULATED_16BFX9");
  CHECK(emulated->flags == analysis::kEmulated);
  CHECK(emulated->work.type == DataType::kF32);
}

TEST_CASE("cublasLt adds its epilogue and tells its pipe") {
  Call call("cublaslt", "cublasLtMatmul");
  call.constant("class", "gemm").number("m", 10).number("n", 20).number("k", 30);
  call.named("type_a", 0, "0=R_32F").named("type_b", 0, "0=R_32F").named("type_d", 0, "0=R_32F");
  call.named("epilogue", 36, "36=GELU_BIAS").number("numerical", 2 | 4 << 16);
  const auto work = call.work();
  REQUIRE(work);
  CHECK(work->work.flops == 2 * 6000 + 9 * 200);
  CHECK(work->work.read_bytes == 4 * (30 * 30 + 10));
  CHECK(work->work.type == DataType::kTf32Tensor);
  CHECK(work->is_exact);
}

TEST_CASE("other routines of BLAS are counted by their names") {
  const auto vector = [](const std::string& function) {
    return Call("cublas", function).constant("class", "blas").constant("type", "R_32F").number("n", 100).work();
  };
  CHECK(vector("cublasSaxpy_v2")->work.flops == 200);
  CHECK(vector("cublasSaxpy_v2")->work.read_bytes == 800);
  CHECK(vector("cublasSscal_v2")->work.flops == 100);
  CHECK(vector("cublasScopy_v2")->work.flops == 0);
  CHECK_FALSE(vector("cublasSrotmg_v2"));
  const auto matrix = Call("blas", "sgemv_").constant("class", "gemv").constant("type_a", "R_32F");
  CHECK(Call(matrix).number("m", 3).number("n", 4).work()->work.flops == 24);
}

Call convolution(const std::string& function, const std::string& algorithm) {
  Call call("cudnn", function);
  call.constant("class", "convolution").constant("algo", algorithm);
  return call;
}

TEST_CASE("convolutions of cuDNN count by the shapes of their descriptors") {
  const std::string x = "f16[8,64,56,56]nhwc";
  const std::string w = "f16[128,32,3,3]{288,1,96,32}";
  const std::string y = "f16[8,128,28,28]";
  const double flops = 2.0 * 8 * 128 * 28 * 28 * 32 * 9;
  const auto forward =
      convolution("cudnnConvolutionForward", "IMPLICIT_PRECOMP_GEMM").text("x", x).text("w", w).text("y", y).work();
  REQUIRE(forward);
  CHECK(forward->work.flops == flops);
  CHECK(forward->work.read_bytes == 2.0 * (8 * 64 * 56 * 56 + 128 * 32 * 9));
  CHECK(forward->work.write_bytes == 2.0 * 8 * 128 * 28 * 28);
  CHECK(forward->flags == 0);
  CHECK(convolution("cudnnConvolutionForward", "WINOGRAD_NONFUSED")
            .text("x", x)
            .text("w", w)
            .text("y", y)
            .work()
            ->flags == analysis::kWinograd);
  const auto data =
      convolution("cudnnConvolutionBackwardData", "FFT_TILING").text("w", w).text("dy", y).text("dx", x).work();
  CHECK(data->work.flops == flops);
  CHECK(data->flags == analysis::kFft);
  CHECK(data->work.write_bytes == forward->work.read_bytes - 2.0 * 128 * 32 * 9);
  CHECK(
      convolution("cudnnConvolutionBackwardFilter", "1").text("x", x).text("dy", y).text("dw", w).work()->work.flops ==
      flops);
  CHECK(convolution("cudnnConvolutionBiasActivationForward", "1")
            .text("x", x)
            .text("w", w)
            .text("bias", "f16[1,128,1,1]")
            .text("activation", "mode=RELU coef=0")
            .text("y", y)
            .work()
            ->work.flops == flops + 8 * 128 * 28 * 28);
  const auto plain =
      convolution("cudnnConvolutionForward", "GEMM")
          .text("x", x)
          .text("w", w)
          .text("y", y)
          .text("conv", "pad=[1,1] stride=[2,2] dilation=[1,1] groups=2 mode=CROSS_CORRELATION math=FMA_MATH")
          .work();
  CHECK(plain->is_exact);
  CHECK_FALSE(convolution("cudnnConvolutionForward", "GEMM").text("x", x).text("w", "").text("y", y).work());
}

TEST_CASE("the other functions of cuDNN count by element") {
  const std::string x = "f32[2,8,4,4]";
  CHECK(Call("cudnn", "cudnnPoolingForward")
            .constant("class", "pooling")
            .text("pooling", "mode=AVERAGE_COUNT_INCLUDE_PADDING window=[2,2] pad=[0,0] stride=[2,2]")
            .text("x", x)
            .text("y", "f32[2,8,2,2]")
            .work()
            ->work.flops == 256);
  CHECK(Call("cudnn", "cudnnPoolingForward")
            .constant("class", "pooling")
            .text("pooling", "mode=MAX window=[2,2] pad=[0,0] stride=[2,2]")
            .text("x", x)
            .text("y", "f32[2,8,2,2]")
            .work()
            ->work.flops == 0);
  const auto norm = [&](const std::string& function) {
    return Call("cudnn", function)
        .constant("class", "normalization")
        .text("x", x)
        .text("y", x)
        .text("bn_scale_bias_mean_var", "f32[1,8,1,1]")
        .work()
        ->work.flops;
  };
  CHECK(norm("cudnnBatchNormalizationForwardInference") == 512);
  CHECK(norm("cudnnBatchNormalizationForwardTraining") == 7 * 256);
  CHECK(Call("cudnn", "cudnnOpTensor")
            .constant("class", "tensor")
            .text("op_tensor", "op=ADD compute=f32")
            .text("a", x)
            .text("b", "f32[1,8,1,1]")
            .text("c", x)
            .work()
            ->work.read_bytes == 4 * (256 + 8));
  CHECK(
      Call("cudnn", "cudnnSoftmaxForward").constant("class", "softmax").text("x", x).text("y", x).work()->work.flops ==
      1024);
  const auto lstm = Call("cudnn", "cudnnRNNForward")
                        .constant("class", "rnn")
                        .text("rnn", "cell=LSTM input=10 hidden=12 projected=12 layers=2 direction=BIDIRECTIONAL")
                        .text("x", "f32[7,2,10] layout=SEQ_MAJOR_PACKED")
                        .number("weight_space_size", 4096)
                        .work();
  REQUIRE(lstm);
  CHECK(lstm->work.flops == 14.0 * (2 * 2 * (48 * 22 + 48 * 36) + 30 * 12 * 2 * 2));
}

TEST_CASE("a plan of cuDNN counts all its operations, and bytes of what is in memory") {
  const std::string plan = R"({"operationGraph": {"tensors": [
      {"name": "x", "dataType": "CUDNN_DATA_HALF", "dim": [2, 3, 8, 8], "stride": [192, 1, 24, 3]},
      {"name": "w", "dataType": "CUDNN_DATA_HALF", "dim": [4, 3, 3, 3], "stride": [27, 1, 9, 3]},
      {"name": "s", "dataType": "CUDNN_DATA_FLOAT", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4], "isVirtual": true},
      {"name": "b", "dataType": "CUDNN_DATA_HALF", "dim": [1, 4, 1, 1], "stride": [4, 1, 4, 4]},
      {"name": "y", "dataType": "CUDNN_DATA_HALF", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4]}],
    "nodes": [
      {"operation": "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR", "X": "x", "W": "w", "Y": "s"},
      {"operation": "CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR", "pointwiseMode": "CUDNN_POINTWISE_ADD", "X": "s",
       "B": "b", "Y": "y"}]}})";
  const auto execute = [&](const std::string& notes, const std::string& json) {
    return Call("cudnn", "cudnnBackendExecute")
        .constant("class", "backend-execute")
        .text("plan", json)
        .text("numerical_notes", notes)
        .text("override_shapes", "")
        .work();
  };
  const auto work = execute("TENSOR_CORE", plan);
  REQUIRE(work);
  CHECK(work->work.flops == 2.0 * 2 * 4 * 36 * 27 + 2 * 4 * 36);
  CHECK(work->work.read_bytes == 2.0 * (2 * 3 * 64 + 4 * 27 + 4));
  CHECK(work->work.write_bytes == 2.0 * 2 * 4 * 36);
  CHECK(work->work.type == DataType::kF16Tensor);
  CHECK(work->is_exact);
  CHECK(execute("WINOGRAD,WINOGRAD_TILE_4x4", plan)->flags == analysis::kWinograd);
  CHECK(execute("FFT", plan)->flags == analysis::kFft);
  CHECK_FALSE(execute("", "{}"));
  // The gradients have roles with a d in front.
  const std::string backward = R"({"operationGraph": {"tensors": [
      {"name": "1", "dataType": "CUDNN_DATA_HALF", "dim": [2, 3, 8, 8], "stride": [192, 1, 24, 3]},
      {"name": "2", "dataType": "CUDNN_DATA_HALF", "dim": [4, 3, 3, 3], "stride": [27, 1, 9, 3]},
      {"name": "3", "dataType": "CUDNN_DATA_HALF", "dim": [2, 4, 6, 6], "stride": [144, 1, 24, 4]}],
    "nodes": [{"operation": "CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR", "dX": "1", "W": "2", "dY": "3"}]}})";
  const auto data = execute("", backward);
  REQUIRE(data);
  CHECK(data->work.flops == 2.0 * 2 * 4 * 36 * 27);
  CHECK(data->work.write_bytes == 2.0 * 2 * 3 * 64);
}

TEST_CASE("collectives move bytes, and oneDNN's primitives are read from their text") {
  const auto reduce = Call("nccl", "ncclAllReduce")
                          .constant("class", "collective")
                          .constant("datatype", "Float16")
                          .number("count", 1000)
                          .work();
  CHECK(reduce->work.flops == 0);
  CHECK(reduce->work.read_bytes == 2000);
  CHECK_FALSE(Call("nccl", "ncclAllGather")
                  .constant("class", "collective")
                  .constant("datatype", "Float16")
                  .number("sendcount", 1000)
                  .work()
                  ->work.has_bytes);
  const auto convolved = Call("onednn", "dnnl_primitive_execute")
                             .text("primitive",
                                   "convolution forward_inference src=f32[1,64,56,56]acdb wei=f32[64,64,3,3] "
                                   "dst=f32[1,64,56,56]acdb alg=convolution_winograd impl=jit")
                             .work();
  CHECK(convolved->work.flops == 2.0 * 64 * 56 * 56 * 64 * 9);
  CHECK(convolved->flags == analysis::kWinograd);
}

TEST_CASE("a call without arguments has no work") {
  CHECK_FALSE(Call("cublas", "cublasSgemm_v2").work());
  CHECK_FALSE(Call("cudnn", "cudnnCreate").constant("class", "convolution").work());
  CHECK_FALSE(Call("something", "gemm").constant("class", "gemm").number("m", 1).number("n", 1).number("k", 1).work());
}

}  // namespace
}  // namespace xsp::test
