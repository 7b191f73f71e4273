#include "analysis/work/analytic_metrics.h"

#include <cmath>
#include <string>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::DataType;
using analysis::KernelMetrics;
using analysis::MetricFlag;
using analysis::MetricSource;

/// Operators, library calls, launches and kernels of one process.
class Scene {
 public:
  explicit Scene(const std::string& device = "") {
    builder_.add_process(10);
    if (device.empty()) return;
    Device* told = builder_.packet(1)->mutable_device();
    told->set_name(device);
    told->set_compute_capability_major(7);
    told->set_compute_capability_minor(0);
    told->set_l2_cache_bytes(6 << 20);
  }

  /// Ids count from 1; a parent of 0 is none.
  uint32_t operation(const std::string& name, const std::string& inputs, const std::string& values = "",
                     uint32_t parent = 0) {
    SpanSpec span = span_of(name, LEVEL_APPLICATION, KIND_OPERATOR, parent);
    span.type = name;
    span.layout = "inputs:s4 outputs:s4 values:s4";
    span.values = Values().add(text(inputs)).add(uint32_t{0}).add(text(values));
    return add(span);
  }

  uint32_t library_call(const std::string& library, const std::string& function, const std::string& layout,
                        const std::string& values, uint32_t parent = 0) {
    SpanSpec span = span_of(function, LEVEL_LIBRARY, KIND_LIBRARY_CALL, parent);
    span.type = library;
    span.layout = layout;
    span.values = values;
    return add(span);
  }

  uint32_t launch(uint32_t parent, const std::string& name = "cudaLaunchKernel") {
    return add(span_of(name, LEVEL_RUNTIME, KIND_RUNTIME_CALL, parent));
  }

  /// A kernel with a launch of its own.
  void kernel(uint32_t parent, const std::string& name, int64_t duration, int kind = KIND_KERNEL) {
    const uint32_t by = launch(parent);
    executions_.push_back({.begin = time_, .end = time_ + duration, .name = name, .kind = kind, .launch = by});
    time_ += duration;
  }

  void node(uint32_t replay, uint32_t captured, const std::string& name, int64_t duration) {
    executions_.push_back({.begin = time_,
                           .end = time_ + duration,
                           .name = name,
                           .launch = replay,
                           .capture = captured,
                           .graph_node = captured + 100,
                           .graph = 1});
    time_ += duration;
  }

  uint32_t text(const std::string& text) { return text.empty() ? 0 : builder_.string_id(1, text); }
  TraceBuilder& builder() { return builder_; }

  std::vector<KernelMetrics> metrics() {
    builder_.add_executions(executions_);
    analysed_.emplace(std::vector<std::string>{builder_.bytes()});
    REQUIRE(analysed_->trace.files[0].corrupt_packets == 0);
    return analysis::analytic_metrics(analysed_->trace, analysed_->parents, analysed_->executions);
  }

 private:
  SpanSpec span_of(const std::string& name, int level, int kind, uint32_t parent) {
    SpanSpec span{.begin = 1000 * int64_t{++id_}, .end = 1'000'000'000 - int64_t{id_}, .id = id_, .parent = parent};
    // Of spans without a parent none lies inside another.
    if (parent == 0) span.end = 1'000'000'000 + int64_t{id_};
    span.level = level;
    span.kind = kind;
    span.name = name;
    return span;
  }
  uint32_t add(const SpanSpec& span) {
    builder_.add(span);
    return span.id;
  }

  TraceBuilder builder_;
  std::vector<ExecutionSpec> executions_;
  std::optional<Analysed> analysed_;
  uint32_t id_ = 0;
  int64_t time_ = 2'000'000'000;
};

bool has(const KernelMetrics& metrics, MetricFlag flag) { return (metrics.flags & flag) != 0; }

constexpr const char* kProduct = "f16[788,768];f16[768,768]";  // 929562624 flops

TEST_CASE("a kernel has the work of the innermost operator with a formula around its launch") {
  Scene scene;
  const uint32_t linear = scene.operation("aten::linear", "f16[788,768];f16[768,768];f16[768]");
  const uint32_t product = scene.operation("aten::addmm", "f16[768];f16[788,768];f16[768,768]", "", linear);
  scene.kernel(product, "cutlass_80_tensorop_s16816gemm", 100);
  const uint32_t unknown = scene.operation("aten::nothing_known", "f16[8]", "", product);
  scene.kernel(scene.operation("aten::gelu", "f16[788,3072]", "", unknown), "gelu_kernel", 10);
  scene.kernel(0, "of_nothing", 10);
  const auto metrics = scene.metrics();
  REQUIRE(metrics.size() == 3);
  CHECK(metrics[0].flops == 930'167'808);
  CHECK(metrics[0].algorithmic_flops == metrics[0].flops);
  CHECK(metrics[0].dram_write_bytes == 2.0 * 788 * 768);
  CHECK(metrics[0].source == MetricSource::kAnalytic);
  CHECK(metrics[0].type == DataType::kF16Tensor);
  CHECK(metrics[0].flags == 0);
  CHECK(std::isnan(metrics[0].occupancy_pct));
  CHECK(metrics[1].flops == 8.0 * 788 * 3072);
  CHECK(metrics[1].type == DataType::kF16);
  CHECK(std::isnan(metrics[2].flops));
  CHECK(metrics[2].source == MetricSource::kNone);
}

TEST_CASE("of the kernels of one operator the main one has its work, the others are auxiliary") {
  Scene scene;
  const uint32_t product = scene.operation("aten::mm", kProduct);
  scene.kernel(product, "fill", 5, KIND_MEMSET);
  scene.kernel(product, "splitKreduce_kernel", 500);
  scene.kernel(product, "volta_sgemm_64x64_nn", 100);
  scene.kernel(product, "volta_sgemm_64x64_nn", 101);
  const uint32_t sum = scene.operation("aten::sum", "f32[1000,1000]");
  scene.kernel(sum, "reduce_kernel", 10);
  scene.kernel(sum, "gemm_like", 9);
  const auto metrics = scene.metrics();
  CHECK(std::isnan(metrics[0].flops));
  CHECK(has(metrics[1], analysis::kAuxiliary));
  CHECK(std::isnan(metrics[1].flops));
  CHECK(has(metrics[2], analysis::kAuxiliary));
  CHECK(metrics[3].flops == 929'562'624);
  CHECK(has(metrics[3], analysis::kSplit));  // two main kernels
  CHECK(metrics[4].flops == 1'000'000);
  CHECK(has(metrics[5], analysis::kAuxiliary));
}

TEST_CASE("time and work belong together in sums over all kernels that did the work, not over some") {
  Scene scene;
  const std::string inputs = "f32[32,64,56,56];f32[64,64,3,3];;;;;;;";
  const std::string values = R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"])";
  const uint32_t gemm = scene.operation("aten::mm", kProduct);
  scene.kernel(gemm, "splitKreduce_kernel", 500);
  scene.kernel(gemm, "volta_sgemm_64x64_nn", 100);
  const uint32_t transformed = scene.operation("aten::convolution", inputs, values);
  scene.kernel(transformed, "winogradForwardData4x4", 30);
  scene.kernel(transformed, "volta_sgemm_64x64_nt", 100);
  scene.kernel(transformed, "winogradForwardOutput4x4", 30);
  const uint32_t fused = scene.operation("aten::convolution", inputs, values);
  scene.kernel(fused, "generateWinogradTilesKernel", 5);
  scene.kernel(fused, "volta_scudnn_winograd_128x128_ldg1", 100);
  const uint32_t sum = scene.operation("aten::sum", "f32[1000,1000]");
  scene.kernel(sum, "reduce_kernel", 10);
  scene.kernel(sum, "reduce_kernel", 9);
  const auto metrics = scene.metrics();
  REQUIRE(metrics.size() == 9);
  for (const size_t helped : {0, 1, 5, 6}) CHECK(metrics[helped].part == 0);
  CHECK(has(metrics[1], analysis::kShared));
  CHECK(has(metrics[3], analysis::kSplit));
  CHECK(has(metrics[6], analysis::kWinograd));
  CHECK_FALSE(has(metrics[6], analysis::kSplit));
  for (const size_t part : {2, 3, 4, 7, 8}) CHECK(metrics[part].part != 0);
  CHECK(metrics[3].part + metrics[4].part != 0);
  CHECK(metrics[2].part + metrics[3].part + metrics[4].part == 0);
  CHECK(metrics[2].part + metrics[3].part + metrics[8].part != 0);
  CHECK(metrics[7].part + metrics[8].part == 0);
}

TEST_CASE("what an operator does not tell of its bytes, the operator around it may") {
  Scene scene;
  const std::string around = "f32[32,512,7,7];f32[32,2048,7,7];f32[2048,512,1,1];;;;;;;;";
  const std::string inner = ";f32[32,2048,7,7];f32[2048,512,1,1];;;;;;;";
  const uint32_t both = scene.operation("aten::cudnn_convolution_backward", around);
  scene.kernel(scene.operation("aten::cudnn_convolution_backward_input", inner, "", both), "dgrad_engine", 10);
  scene.kernel(scene.operation("aten::cudnn_convolution_backward_input", inner), "dgrad_engine", 10);
  const auto metrics = scene.metrics();
  CHECK(metrics[0].flops == 2.0 * 32 * 2048 * 49 * 512);
  CHECK(metrics[0].dram_read_bytes == 4.0 * (32 * 2048 * 49 + 2048 * 512));
  CHECK(metrics[0].dram_write_bytes == 4.0 * 32 * 512 * 49);
  CHECK(metrics[1].flops == metrics[0].flops);
  CHECK(std::isnan(metrics[1].dram_write_bytes));
}

TEST_CASE("nothing counts twice where operators of one kind stand inside each other") {
  Scene scene;
  // The bias of this one is copied by a kernel that the product itself does not start.
  const uint32_t outer = scene.operation("aten::linear", "f16[788,768];f16[768,768];f16[768]");
  scene.kernel(outer, "copy_of_bias", 10);
  const uint32_t inner = scene.operation("aten::addmm", "f16[768];f16[788,768];f16[768,768]", "", outer);
  scene.kernel(inner, "gemm", 100);
  // A library call inside an operator is the innermost.
  const uint32_t other = scene.operation("aten::mm", kProduct);
  scene.kernel(other, "helper", 10);
  const uint32_t call = scene.library_call(
      "cublas", "cublasGemmEx", "class=gemm m:i4 n:i4 k:i4 type_a=R_16F type_b=R_16F type_c=R_16F handle:p8",
      Values().add(int32_t{768}).add(int32_t{788}).add(int32_t{768}).add(uint64_t{0x1234}), other);
  scene.kernel(call, "gemm", 100);
  const auto metrics = scene.metrics();
  CHECK(has(metrics[0], analysis::kAuxiliary));
  CHECK(std::isnan(metrics[0].flops));
  CHECK(metrics[1].flops == 930'167'808);
  CHECK_FALSE(has(metrics[1], analysis::kShared));
  CHECK(has(metrics[2], analysis::kAuxiliary));
  CHECK(metrics[3].flops == 929'562'624);
}

TEST_CASE("kernels of a graph have the work of their capture, in every replay") {
  Scene scene;
  const uint32_t product = scene.operation("aten::mm", kProduct);
  const uint32_t captured = scene.launch(product);
  const uint32_t helper = scene.launch(product);
  const uint32_t around = scene.operation("aten::gelu", "f16[8]");
  for (int i = 0; i < 3; ++i) {
    const uint32_t replay = scene.launch(around, "cudaGraphLaunch");
    scene.node(replay, captured, "gemm", 100 + i);
    scene.node(replay, helper, "splitKreduce", 10);
    scene.node(replay, 0, "not_known_where", 10);
  }
  const auto metrics = scene.metrics();
  REQUIRE(metrics.size() == 9);
  for (size_t i = 0; i < 9; i += 3) {
    CHECK(metrics[i].flops == 929'562'624);
    CHECK(has(metrics[i], analysis::kShared));
    CHECK(has(metrics[i + 1], analysis::kAuxiliary));
    CHECK(metrics[i + 2].source == MetricSource::kNone);
  }
}

TEST_CASE("the type of a product is told by the kernel, the call or the device") {
  const auto type_of = [](const std::string& inputs, const std::string& kernel, const std::string& device = "") {
    Scene scene(device);
    scene.kernel(scene.operation("aten::mm", inputs), kernel, 100);
    return scene.metrics()[0].type;
  };
  const std::string single = "f32[8,8];f32[8,8]";
  CHECK(type_of(single, "volta_sgemm_64x64_nn") == DataType::kF32);
  CHECK(type_of(single, "ampere_sgemm_128x64_tn") == DataType::kF32);
  CHECK(type_of(single, "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x8") == DataType::kTf32Tensor);
  CHECK(type_of(single, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma") == DataType::kF32);
  CHECK(type_of(single, "cutlass_80_tensorop_s1688gemm_128x128_16x4_tn_align4") == DataType::kTf32Tensor);
  CHECK(type_of(single, "_ZN7cutlass7Kernel2I66cutlass_80_tensorop_bf16_s16816gemm_bf16EEv") == DataType::kBf16Tensor);
  CHECK(type_of(single, "cutlass_80_simt_sgemm_128x32_8x5_nn_align1") == DataType::kF32);
  const std::string half = "f16[8,8];f16[8,8]";
  CHECK(type_of(half, "volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn") == DataType::kF16Tensor);
  CHECK(type_of(half, "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn") == DataType::kF16Tensor);
  CHECK(type_of(half, "some_gemm") == DataType::kF16);
  CHECK(type_of(half, "some_gemm", "Tesla V100") == DataType::kF16Tensor);
  CHECK(type_of(half, "gemv2T_kernel_val", "Tesla V100") == DataType::kF16);
  CHECK(type_of("bf16[8,8];bf16[8,8]", "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT") == DataType::kBf16Tensor);
  CHECK(type_of("f64[8,8];f64[8,8]", "volta_dgemm_64x64_nn") == DataType::kF64);
  CHECK(type_of("f64[8,8];f64[8,8]", "cutlass_80_tensorop_d884gemm_64x64") == DataType::kF64Tensor);
}

TEST_CASE("points that are to be read with care are flagged") {
  Scene scene("Tesla V100-SXM2-16GB");
  const std::string values = R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"])";
  const std::string inputs = "f32[32,64,56,56];f32[64,64,3,3];;;;;;;";
  const uint32_t winograd = scene.operation("aten::convolution", inputs, values);
  scene.kernel(winograd, "winogradForwardData4x4", 10);
  scene.kernel(winograd, "volta_sgemm_128x64_nn", 100);
  const uint32_t transforms = scene.operation("aten::convolution", inputs, values);
  scene.kernel(transforms, "fft2d_r2c_32x32", 10);
  scene.kernel(transforms, "volta_gcgemm_64x64_nt", 100);
  scene.kernel(scene.operation("aten::convolution", inputs, values), "implicit_convolve_sgemm", 100);
  scene.kernel(scene.operation("aten::relu", "f32[100]"), "relu", 1);
  const auto metrics = scene.metrics();
  CHECK(has(metrics[1], analysis::kWinograd));
  CHECK_FALSE(has(metrics[1], analysis::kL2Resident));
  CHECK(has(metrics[3], analysis::kFft));
  CHECK((metrics[4].flags & (analysis::kWinograd | analysis::kFft)) == 0);
  CHECK(metrics[4].flops == 2.0 * 32 * 64 * 56 * 56 * 64 * 9);
  CHECK(has(metrics[5], analysis::kL2Resident));
}

TEST_CASE("old recordings take shapes of convolutions from their gradients") {
  Scene scene;
  const uint32_t outer = scene.operation("aten::convolution", "f32[32,3,224,224];f32[64,3,7,7];;;;;;;");
  const uint32_t forward =
      scene.operation("aten::cudnn_convolution", "f32[32,3,224,224];f32[64,3,7,7];;;;;;", "", outer);
  scene.kernel(forward, "implicit_convolve_sgemm", 100);
  const uint32_t backward = scene.operation("CudnnConvolutionBackward", "f32[32,64,112,112]");
  const uint32_t both = scene.operation("aten::cudnn_convolution_backward",
                                        "f32[32,3,224,224];f32[32,64,112,112];f32[64,3,7,7];;;;;;;;", "", backward);
  const uint32_t weight = scene.operation("aten::cudnn_convolution_backward_weight",
                                          ";f32[32,64,112,112];f32[32,3,224,224];;;;;;;", "", both);
  scene.kernel(weight, "wgrad_alg0_engine", 100);
  scene.builder().bytes(false);
  for (auto& packet : *scene.builder().message().mutable_packet()) {
    if (!packet.has_spans()) continue;
    auto* batch = packet.mutable_spans();
    uint32_t id = 0;
    for (uint32_t i = 0; i < batch->count(); ++i) {
      ++id;
      batch->add_forward_ring(id == backward ? 1 : 0);
      batch->add_forward(id == backward ? 1 + 2 * outer : 0);
    }
  }
  const auto metrics = scene.metrics();
  CHECK(metrics[0].flops == 2.0 * 32 * 64 * 112 * 112 * 3 * 49);
  CHECK(metrics[1].flops == metrics[0].flops);
}

TEST_CASE("without arguments or kernels there are no metrics") {
  Scene scene;
  scene.kernel(scene.launch(0), "gemm", 10);
  const auto metrics = scene.metrics();
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].source == MetricSource::kNone);
}

}  // namespace
}  // namespace xsp::test
