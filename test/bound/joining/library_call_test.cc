#include <string>
#include <vector>

#include "bound/joining/call_problem.h"
#include "bound/problems/plain_values.h"
#include "bound/problems/problem.h"
#include "test/bound/joining/recorded_call.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using test::RecordedCall;

constexpr int64_t kRows = 2, kColumns = 3, kDepth = 4;

/// How a call of gemm has its matrices.
struct MatrixForm {
  bool transposed_a, transposed_b;
  bool rows_a, rows_b, rows_c;  // whether it lies by rows
};

/// Element (row, column) of a matrix in memory, of which `rows` × `columns` lie without gaps.
size_t place(int64_t row, int64_t column, int64_t rows, int64_t columns, bool by_rows) {
  return static_cast<size_t>(by_rows ? row * columns + column : column * rows + row);
}

std::vector<float> numbers(size_t count, float first) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i * i));
  return values;
}

/// What BLAS writes: c = op(a) · op(b).
std::vector<double> product_by_definition(const MatrixForm& form, const std::vector<float>& a,
                                          const std::vector<float>& b) {
  std::vector<double> c(static_cast<size_t>(kRows * kColumns));
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < kDepth; ++k) {
        const size_t at_a =
            form.transposed_a ? place(k, i, kDepth, kRows, form.rows_a) : place(i, k, kRows, kDepth, form.rows_a);
        const size_t at_b =
            form.transposed_b ? place(j, k, kColumns, kDepth, form.rows_b) : place(k, j, kDepth, kColumns, form.rows_b);
        sum += static_cast<double>(a[at_a]) * static_cast<double>(b[at_b]);
      }
      c[place(i, j, kRows, kColumns, form.rows_c)] = sum;
    }
  }
  return c;
}

/// What the problem makes of the same memory: its first operand is that of the call that comes first by rows.
std::vector<double> product_by_problem(const std::string& text, std::vector<float> first, std::vector<float> second) {
  const auto problem = Problem::parse(text);
  REQUIRE(problem);
  std::vector<PlainTensor> operands = make_operands(*problem);
  REQUIRE(operands.size() == 2);
  operands[0].values = std::move(first);
  operands[1].values = std::move(second);
  std::vector<size_t> positions(static_cast<size_t>(kRows * kColumns));
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  return reference_values(*problem, operands, positions);
}

RecordedCall& with_sizes(RecordedCall& call, const MatrixForm& form, const std::string& type = "R_32F") {
  call.constant("class", "gemm").text("op_a", form.transposed_a ? "T" : "N");
  call.text("op_b", form.transposed_b ? "T" : "N").number("m", kRows).number("n", kColumns).number("k", kDepth);
  return call.constant("type_a", type).constant("type_b", type).constant("type_c", type);
}

const char* order_name(bool by_rows) { return by_rows ? "ROW" : "COL"; }

TEST_CASE("the problem of a product makes the same numbers of the same memory") {
  const std::vector<float> a = numbers(kRows * kDepth, 1), b = numbers(kDepth * kColumns, -3);
  for (int bits = 0; bits < 32; ++bits) {
    const MatrixForm form{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
    RecordedCall lt("cublaslt", "cublasLtMatmul");
    with_sizes(lt, form).text("order_a", order_name(form.rows_a)).text("order_b", order_name(form.rows_b));
    const std::string text = lt.text("order_d", order_name(form.rows_c)).problem().problem;
    INFO(bits << ": " << text);
    CHECK(product_by_problem(text, form.rows_c ? a : b, form.rows_c ? b : a) == product_by_definition(form, a, b));
    if (form.rows_a != form.rows_b || form.rows_b != form.rows_c) continue;
    RecordedCall cblas("cblas", "cblas_sgemm");
    cblas.text("layout", order_name(form.rows_a));
    CHECK(with_sizes(cblas, form).problem().problem == text);
    if (form.rows_a) continue;
    RecordedCall blas("blas", "sgemm_");
    CHECK(with_sizes(blas, form).problem().problem == text);
  }
}

TEST_CASE("the problem of a matrix by a vector makes the same numbers of the same memory") {
  const std::vector<float> matrix = numbers(6, 2);
  for (int bits = 0; bits < 4; ++bits) {
    const bool is_transposed = (bits & 1) != 0, by_rows = (bits & 2) != 0;
    const int64_t read = is_transposed ? 2 : 3, written = is_transposed ? 3 : 2;
    const std::vector<float> vector = numbers(static_cast<size_t>(read), -1);
    RecordedCall call("cblas", "cblas_sgemv");
    call.constant("class", "gemv").text("layout", order_name(by_rows)).text("op_a", is_transposed ? "T" : "N");
    const std::string text = call.number("m", 2).number("n", 3).constant("type_a", "R_32F").problem().problem;
    INFO(bits << ": " << text);
    const auto problem = Problem::parse(text);
    REQUIRE(problem);
    std::vector<PlainTensor> operands = make_operands(*problem);
    const bool is_matrix_first = operands.at(0).elements() == 6;
    operands[0].values = is_matrix_first ? matrix : vector;
    operands[1].values = is_matrix_first ? vector : matrix;
    std::vector<size_t> positions;
    std::vector<double> expected;
    for (int64_t i = 0; i < written; ++i) {
      positions.push_back(static_cast<size_t>(i));
      double sum = 0;
      for (int64_t k = 0; k < read; ++k) {
        const size_t at = is_transposed ? place(k, i, 2, 3, by_rows) : place(i, k, 2, 3, by_rows);
        sum += static_cast<double>(matrix[at]) * static_cast<double>(vector[static_cast<size_t>(k)]);
      }
      expected.push_back(sum);
    }
    CHECK(reference_values(*problem, operands, positions) == expected);
  }
}

TEST_CASE("products of BLAS are those of layers, without what lies in the result") {
  // A fully connected layer of PyTorch: weights are [out, in].
  RecordedCall linear("blas", "sgemm_");
  linear.constant("class", "gemm").text("op_a", "T").text("op_b", "N").number("m", 1000).number("n", 1);
  linear.number("k", 2048).constant("type_a", "R_32F").constant("type_b", "R_32F").constant("type_c", "R_32F");
  const CallProblem call = linear.problem();
  CHECK(call.problem == "matmul src=1x2048 wei=1000x2048 ta=0 tb=1 bias=0 post= dtype=f32");
  CHECK(call.implementation == "sgemm");

  RecordedCall batch("cblas", "cblas_sgemm_batch");
  batch.constant("class", "gemm").text("layout", "COL").text("op_a", "N").text("op_b", "N").number("m", 128);
  batch.number("n", 100).number("k", 64).number("group_count", 1).number("batch", 12).real("alpha", 0.125);
  batch.constant("type_a", "R_32F").constant("type_b", "R_32F").constant("type_c", "R_32F");
  CHECK(batch.problem().problem == "matmul src=12x100x64 wei=12x64x128 ta=0 tb=0 bias=0 post= alpha=0.125 dtype=f32");
}

TEST_CASE("a product whose arguments do not tell all has no problem") {
  const MatrixForm form{};
  const auto problem_of = [&](auto&& add) {
    RecordedCall call("cublas", "cublasGemmEx");
    with_sizes(call, form);
    add(call);
    return call.problem().problem;
  };
  CHECK_FALSE(problem_of([](RecordedCall&) {}).empty());
  CHECK(problem_of([](RecordedCall& call) { call.number("group_count", 3); }).empty());
  RecordedCall complex("blas", "cgemm_");
  CHECK(with_sizes(complex, form, "C_32F").problem().problem.empty());
  RecordedCall triangle("blas", "sgemmt_");
  triangle.constant("class", "gemm").text("op_a", "N").text("op_b", "N").number("n", 4).number("k", 4);
  CHECK(triangle.constant("type_a", "R_32F").constant("type_b", "R_32F").problem().problem.empty());
  RecordedCall tiled("cublaslt", "cublasLtMatmul");
  with_sizes(tiled, form).text("order_a", "COL32").text("order_b", "COL").text("order_d", "COL");
  CHECK(tiled.problem().problem.empty());
  for (const int64_t size : {int64_t{0}, int64_t{-1}, INT64_MAX, int64_t{1} << 40}) {
    RecordedCall huge("blas", "sgemm_");
    huge.constant("class", "gemm").text("op_a", "N").text("op_b", "N").number("m", size).number("n", size);
    huge.number("k", size).constant("type_a", "R_32F").constant("type_b", "R_32F").constant("type_c", "R_32F");
    CHECK(huge.problem().problem.empty());
  }
}

TEST_CASE("epilogues of cublasLt are bias and activation") {
  const auto rest_of = [](const std::string& epilogue, const char* order) {
    RecordedCall call("cublaslt", "cublasLtMatmul");
    with_sizes(call, {}).text("order_a", order).text("order_b", order).text("order_d", order);
    const auto problem = Problem::parse(call.text("epilogue", epilogue).problem().problem);
    return problem ? std::string(problem->field("bias")) + "|" + std::string(problem->field("post")) : "none";
  };
  CHECK(rest_of("DEFAULT", "COL") == "0|");
  CHECK(rest_of("BIAS", "COL") == "2|");  // one number for each row of what lies by columns
  CHECK(rest_of("BIAS", "ROW") == "2x1|");
  CHECK(rest_of("RELU_BIAS", "COL") == "2|relu");
  CHECK(rest_of("GELU", "COL") == "0|gelu_tanh");
  CHECK(rest_of("GELU_AUX_BIAS", "COL") == "none");  // writes more
  CHECK(rest_of("DRELU", "COL") == "none");
}

TEST_CASE("one matrix for a whole batch is one operand") {
  RecordedCall call("cublas", "cublasSgemmStridedBatched");
  with_sizes(call, {}).number("batch", 5).number("stride_a", 0).number("stride_b", kDepth * kColumns);
  CHECK(call.problem().problem == "matmul src=15x4 wei=4x2 ta=0 tb=0 bias=0 post= dtype=f32");
}

TEST_CASE("routines are named as benchmarks name them") {
  const auto routine = [](const std::string& library, const std::string& function) {
    RecordedCall call(library, function);
    return with_sizes(call, {}).problem().implementation;
  };
  CHECK(routine("blas", "sgemm_") == "sgemm");
  CHECK(routine("blas", "sgemm_64_") == "sgemm");
  CHECK(routine("cblas", "scipy_cblas_sgemm64_") == "sgemm");
  CHECK(routine("cublas", "cublasSgemm_v2") == "cublasGemmEx");
  CHECK(routine("cublaslt", "cublasLtMatmul").empty());
  RecordedCall reduced("cublas", "cublasGemmEx");
  CHECK(with_sizes(reduced, {}).text("compute", "32F_FAST_TF32").problem().implementation == "32F_FAST_TF32");
}

RecordedCall convolution_of(const std::string& function, const std::string& mode = "CROSS_CORRELATION") {
  RecordedCall call("cudnn", function);
  call.text("x", "f16[8,64,56,56]nhwc").text("w", "f16[128,32,3,3]nhwc").text("y", "f16[8,128,28,28]nhwc");
  call.text("conv",
            "pad=[1,1] stride=[2,2] dilation=[1,1] groups=2 mode=" + mode + " math=TENSOR_OP_MATH compute=FLOAT");
  call.number("algo", 1);
  return call;
}

TEST_CASE("convolutions of cuDNN's legacy functions have the problem of a layer") {
  const CallProblem call = convolution_of("cudnnConvolutionForward").problem();
  CHECK(call.problem ==
        "conv src=8x64x56x56 wei=128x32x3x3 strides=2x2 pads=1,1,1,1 dil=1x1 groups=2 bias=0 post= dtype=f16");
  CHECK(call.implementation == "algo 1");
  CHECK(call.layout == "nhwc:nhwc:nhwc");
  CHECK(convolution_of("cudnnConvolutionForward", "CONVOLUTION").problem().problem.empty());
  CHECK(convolution_of("cudnnConvolutionBackwardData").problem().problem.empty());
  // Whether it adds z is not known.
  CHECK(convolution_of("cudnnConvolutionBiasActivationForward").problem().problem.empty());
}

TEST_CASE("other legacy functions of cuDNN have the problems of layers") {
  RecordedCall pooling("cudnn", "cudnnPoolingForward");
  pooling.text("pooling", "mode=AVERAGE_COUNT_EXCLUDE_PADDING window=[7,7] pad=[0,0] stride=[7,7]");
  CHECK(pooling.text("x", "f32[4,512,7,7]").text("y", "f32[4,512,1,1]").problem().problem ==
        "avgpool src=4x512x7x7 kernel=7x7 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=f32");
  RecordedCall softmax("cudnn", "cudnnSoftmaxForward");
  softmax.text("algo", "ACCURATE").text("mode", "INSTANCE").text("x", "f32[4,1000,1,1]").text("y", "f32[4,1000,1,1]");
  CHECK(softmax.problem().problem == "softmax src=4x1000 axis=1 log=0 dtype=f32");
  CHECK(softmax.problem().implementation.empty());
  RecordedCall norm("cudnn", "cudnnBatchNormalizationForwardInference");
  norm.text("mode", "SPATIAL").text("x", "f32[4,64,7,7]").text("y", "f32[4,64,7,7]");
  CHECK(norm.problem().problem == "batchnorm src=4x64x7x7 dtype=f32");
  RecordedCall activation("cudnn", "cudnnActivationForward");
  activation.text("activation", "mode=CLIPPED_RELU coef=6").text("x", "f32[4,64]").text("y", "f32[4,64]");
  CHECK(activation.problem().problem == "eltwise alg=clip src=4x64 alpha=0 beta=6 dtype=f32");
  RecordedCall sum("cudnn", "cudnnAddTensor");
  CHECK(sum.text("a", "f32[1,64,1,1]").text("c", "f32[4,64,7,7]").problem().problem ==
        "binary alg=add src0=4x64x7x7 src1=1x64x1x1 dtype=f32");
}

/// A convolution with what `behind` says of it, in a plan.
std::string plan_text(const std::string& behind, const std::string& pad = R"("pad": [1, 1])") {
  const std::string tensor = R"(, "dim": [2, 8, 14, 14], "stride": [1568, 1, 112, 8], "dataType": "CUDNN_DATA_FLOAT"})";
  std::string virtuals;
  for (const char* const name : {"t1", "t2", "t3"}) {
    virtuals += std::string(R"(, {"isVirtual": true, "name": ")") + name + "\"" + tensor;
  }
  return R"({"operationGraph": {"tensors": [
    {"name": "x", "dataType": "CUDNN_DATA_HALF", "dim": [2, 6, 14, 14], "stride": [1176, 1, 84, 6]},
    {"name": "w", "dataType": "CUDNN_DATA_HALF", "dim": [8, 3, 3, 3], "stride": [27, 1, 9, 3]},
    {"name": "b", "dataType": "CUDNN_DATA_HALF", "dim": [1, 8, 1, 1], "stride": [8, 1, 8, 8]},
    {"name": "z", "dataType": "CUDNN_DATA_HALF", "dim": [2, 8, 14, 14], "stride": [1568, 1, 112, 8]},
    {"name": "y", "dataType": "CUDNN_DATA_HALF", "dim": [2, 8, 14, 14], "stride": [1568, 1, 112, 8]})" +
         virtuals + R"(], "nodes": [{"operation": "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR",
    "mode": "CUDNN_CROSS_CORRELATION", "stride": [1, 1], "dilation": [1, 1], "X": "x", "W": "w", "Y": "t1", )" +
         pad + "}" + behind + R"(]}, "engine": {"engineId": 35}})";
}

std::string pointwise(const std::string& mode, const std::string& x, const std::string& b, const std::string& y,
                      const std::string& more = "") {
  return R"(, {"operation": "CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR", "pointwiseMode": "CUDNN_POINTWISE_)" +
         mode + R"(", "X": ")" + x + "\"" + (b.empty() ? "" : R"(, "B": ")" + b + "\"") + R"(, "Y": ")" + y + "\"" +
         more + "}";
}

CallProblem executed(const std::string& plan, const std::string& overrides = "") {
  RecordedCall call("cudnn", "cudnnBackendExecute");
  call.text("plan", plan);
  if (!overrides.empty()) call.text("override_shapes", overrides);
  return call.problem();
}

TEST_CASE("a plan of cuDNN is a convolution with its bias, addend and activation") {
  const std::string conv = "conv src=2x6x14x14 wei=8x3x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=2 ";
  const CallProblem plain = executed(plan_text(pointwise("IDENTITY", "t1", "", "y")));
  CHECK(plain.problem == conv + "bias=0 post= dtype=f16");
  CHECK(plain.implementation == "engine 35");
  CHECK(plain.layout == "nhwc:nhwc:nhwc");
  const std::string bias = pointwise("ADD", "t1", "b", "t2");
  CHECK(executed(plan_text(bias + pointwise("RELU_FWD", "t2", "", "y"))).problem ==
        conv + "bias=1 post=relu dtype=f16");
  CHECK(executed(plan_text(bias + pointwise("ADD", "z", "t2", "t3") + pointwise("RELU_FWD", "t3", "", "y"))).problem ==
        conv + "bias=1 post=add+relu dtype=f16");
  CHECK(executed(plan_text(bias + pointwise("RELU_FWD", "t2", "", "y", R"(, "upperClip": 6.0)"))).problem ==
        conv + "bias=1 post=clip(0,6) dtype=f16");
}

TEST_CASE("a plan that problems cannot describe has none") {
  CHECK(executed(plan_text(pointwise("SWISH_FWD", "t1", "", "y"))).problem.empty());
  CHECK(executed(plan_text(pointwise("MUL", "t1", "b", "y"))).problem.empty());
  CHECK(executed(plan_text(pointwise("RELU_FWD", "t1", "", "y", R"(, "lowerClipSlope": 0.1)"))).problem.empty());
  // Paddings behind that are none of the usual ones, and shapes that are not those of the plan.
  CHECK(executed(plan_text(pointwise("IDENTITY", "t1", "", "y"), R"("pad": [1, 1], "postPadding": [0, 1])"))
            .problem.empty());
  CHECK(executed(plan_text(pointwise("IDENTITY", "t1", "", "y")), "[1,2,3]").problem.empty());
  CHECK(executed("{").problem.empty());
  CHECK(executed(R"({"operationGraph": {"nodes": [{"operation": "CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR"}]}})")
            .problem.empty());
}

TEST_CASE("a plan of cuDNN is a product of matrices as they lie") {
  const std::string plan = R"({"operationGraph": {"tensors": [
    {"name": "a", "dataType": "CUDNN_DATA_HALF", "dim": [6, 96, 40], "stride": [3840, 40, 1]},
    {"name": "b", "dataType": "CUDNN_DATA_HALF", "dim": [6, 40, 72], "stride": [2880, 1, 40]},
    {"name": "c", "dataType": "CUDNN_DATA_HALF", "dim": [6, 96, 72], "stride": [6912, 72, 1]}],
    "nodes": [{"operation": "CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR", "A": "a", "B": "b", "C": "c"}]}})";
  CHECK(executed(plan).problem == "matmul src=6x96x40 wei=6x72x40 ta=0 tb=1 bias=0 post= dtype=f16");
}

TEST_CASE("calls of other libraries, and those without arguments, have no problem") {
  RecordedCall nccl("nccl", "ncclAllReduce");
  CHECK(nccl.number("count", 5).problem().problem.empty());
  RecordedCall creation("onednn", "convolution create");
  creation.text("problem",
                "cpu,eltwise,jit:avx2,forward_training,data:f32::blocked:ab::f0,,alg:eltwise_relu alpha:0 beta:0,2x8");
  CHECK(creation.problem().problem.empty());
  analysis::Trace trace;
  trace.spans.resize(1);
  CHECK(problem_of_call(trace, 0).problem.empty());
}

}  // namespace
}  // namespace xsp::bound
