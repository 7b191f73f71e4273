#include "bound/advice/inefficiency.h"

#include <algorithm>
#include <string>
#include <vector>

#include "test/bound/advice/made_convolution.h"
#include "test/bound/advice/made_evaluations.h"
#include "test/catch.h"

namespace xsp::bound::test {
namespace {

using FoundTexts = std::vector<std::string>;

const std::string kMadePad = "void mshadow::cuda::image_2d_pad_constant_kernel<8, float>(float*, int, int, float)";
const std::string kMadeRelu =
    "void mxnet::op::mxnet_op::mxnet_generic_kernel<mxnet::op::mshadow_op::relu, 1>(int, float*, float*)";
const std::string kMadeNormalization =
    "void mxnet::op::batchnorm::cuda::BatchNormalizationUpdateOutputInferenceKernel<float>(float const*, float*)";

FoundTexts summaries_of(MadeEvaluations& made) { return summaries(made.found()); }

TEST_CASE("a program that only calls its libraries has no inefficiency") {
  MadeEvaluations made;
  made.call("cudnn", "cudnnCreate", 100).call("cudnn", "cudnnGetConvolutionForwardAlgorithm_v7", 20);
  made.calls(5, [](MadeEvaluations& call) {
    for (int i = 0; i < 3; ++i) {
      add_convolution(call);
      call.kernel(kMadeRelu, 10);
    }
    call.call("cublas", "cublasSgemm_v2", 3, {{"m", "8"}, {"n", "16"}, {"k", "32"}},
              [](MadeEvaluations& in) { in.kernel("ampere_sgemm_128x64_tn", 50); });
    call.synchronize();
  });
  CHECK(summaries_of(made).empty());
}

TEST_CASE("padding by kernels between library calls is told with how often it is and what it takes") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    for (int i = 0; i < 3; ++i) {
      call.kernel(kMadePad, 7);
      add_convolution(call);
    }
    call.kernel(kMadePad, 7);  // prepares nothing
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(summaries(found) == FoundTexts{"between_kernels x3: 3 convolutions"});
  CHECK(found[0].time_ms == Approx(0.021));
  CHECK(found[0].is_kernel_time);
  CHECK(found[0].seen == "padded by mshadow::cuda::image_2d_pad_constant_kernel");
  CHECK(found[0].expected == "padding by cudnnConvolutionForward itself");
  CHECK_THAT(found[0].advice, Catch::Contains("a convolution with a 1x1 kernel needs no padding"));
}

TEST_CASE("kernels that pad in a layer that pads are what the model asks for") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    call.layer("pad", "Pad", [](MadeEvaluations& in) { in.kernel(kMadePad, 20); });
    call.layer("conv", "Conv", [](MadeEvaluations& in) { add_convolution(in); });
    call.synchronize();
  });
  CHECK(summaries_of(made).empty());
}

TEST_CASE("kernels that move data in a layer of a convolution are told") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    call.layer("conv", "Conv", [](MadeEvaluations& in) {
      in.kernel(kMadePad, 20);
      add_convolution(in);
    });
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(summaries(found) == FoundTexts{"between_kernels x1: conv"});
  CHECK(found[0].trace_layer == 0);
}

TEST_CASE("weights that are cast in every call are told apart from what a layer reads otherwise") {
  const std::string cast =
      "void "
      "at::native::unrolled_elementwise_kernel<at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)>(int)";
  MadeEvaluations made;
  made.calls(5, [&](MadeEvaluations& call) {
    call.layer("fc", "Linear", [&](MadeEvaluations& layer) {
      layer.operation("aten::linear", "f32[8,512];f32[1024,512];f32[1024]", [&](MadeEvaluations& in) {
        in.operation("aten::to", "f32[8,512];;", [&](MadeEvaluations& to) { to.kernel(cast, 10); });
        in.operation("aten::to", "f32[1024,512];;", [&](MadeEvaluations& to) { to.kernel(cast, 30); });
        in.kernel("ampere_fp16_s16816gemm_fp16_128x64", 100);
      });
    });
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(summaries(found) == FoundTexts{"extra_call x1: fc", "between_kernels x1: fc"});
  CHECK(found[0].time_ms == Approx(0.03));
  CHECK(found[0].seen.starts_with("weights cast by "));
  CHECK(found[1].time_ms == Approx(0.01));
}

TEST_CASE("batch normalization by the framework is told where cuDNN is used, and only there") {
  for (const bool with_cudnn : {true, false}) {
    MadeEvaluations made;
    made.calls(5, [&](MadeEvaluations& call) {
      for (int i = 0; i < 2; ++i) {
        if (with_cudnn) add_convolution(call);
        call.call("cublas", "cublasSgemm_v2", 3, {}, [](MadeEvaluations& in) { in.kernel("ampere_sgemm", 50); });
        call.kernel(kMadeNormalization, 15);
      }
      call.synchronize();
    });
    const auto found = made.found();
    INFO("with cuDNN: " << with_cudnn);
    if (!with_cudnn) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(summaries(found) == FoundTexts{"missing_call x2: 2 batch normalizations"});
    CHECK(found[0].time_ms == Approx(0.03));
    CHECK(found[0].expected == "folded into the convolutions before them");
    CHECK_THAT(found[0].advice, Catch::StartsWith("in inference"));
  }
}

TEST_CASE("in training a batch normalization cannot be folded away") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    add_convolution(call);
    call.kernel(kMadeNormalization, 15);
    call.kernel("void mxnet::op::batchnorm::cuda::BatchNormalizationBackwardKernel<float>(float*)", 20);
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(summaries(found) == FoundTexts{"missing_call x1: 1 batch normalization"});
  CHECK(found[0].expected == "a batch normalization of cuDNN");
  CHECK(found[0].advice.empty());
}

TEST_CASE("convolutions that go to no oneDNN call are told where others do") {
  for (const bool any_by_onednn : {true, false}) {
    MadeEvaluations made;
    made.calls(5, [&](MadeEvaluations& call) {
      call.layer("conv1", "Conv2d", [&](MadeEvaluations& in) {
        in.call(any_by_onednn ? "onednn" : "blas", any_by_onednn ? "convolution" : "sgemm_", 100);
      });
      call.layer("conv2", "Conv2d", [](MadeEvaluations& in) { in.call("blas", "sgemm_", 200); });
      call.layer("fc", "Linear", [](MadeEvaluations& in) { in.call("blas", "sgemm_", 50); });
    });
    const auto found = made.found();
    INFO("any by oneDNN: " << any_by_onednn);
    if (!any_by_onednn) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(summaries(found) == FoundTexts{"missing_call x1: conv2"});
    CHECK(found[0].seen == "sgemm_");
    CHECK(found[0].time_ms == Approx(0.205).epsilon(0.01));
  }
}

std::string made_reorder(const std::string& from, const std::string& to, const std::string& sizes) {
  return "cpu,reorder,jit:uni,undef,src:f32::blocked:" + from + "::f0 dst:f32::blocked:" + to +
         "::f0,attr-scratchpad:user,," + sizes;
}

TEST_CASE("reorders of weights, sources and results are told apart") {
  const std::string convolution =
      "cpu,convolution,jit:avx512_core,forward_training,src:f32:a:blocked:aBcd16b::f0 "
      "wei:f32:a:blocked:ABcd16b16a::f0 bia:undef::undef::: dst:f32:a:blocked:aBcd16b::f0,attr-scratchpad:user,"
      "alg:convolution_direct,mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1";
  MadeEvaluations made;
  made.calls(5, [&](MadeEvaluations& call) {
    for (const char* name : {"conv1", "conv2"}) {
      call.layer(name, "Conv2d", [&](MadeEvaluations& in) {
        in.call("onednn", "reorder", 20, {{"problem", made_reorder("abcd", "aBcd16b", "1x64x56x56")}});
        in.call("onednn", "reorder", 30, {{"problem", made_reorder("abcd", "ABcd16b16a", "64x64x3x3")}});
        in.call("onednn", "convolution", 400, {{"problem", convolution}});
        in.call("onednn", "reorder", 10, {{"problem", made_reorder("aBcd16b", "abcd", "1x64x56x56")}});
      });
    }
  });
  const auto found = made.found();
  REQUIRE(summaries(found) == FoundTexts{"extra_call x2: 2 convolutions", "extra_call x2: 2 convolutions",
                                         "extra_call x2: 2 convolutions"});
  CHECK(found[0].seen == "reorder of weights in every call of the model");
  CHECK_THAT(found[0].advice, Catch::StartsWith("prepack the weights"));
  CHECK(found[0].trace_layers == std::vector<size_t>{0, 1});
  CHECK_THAT(found[1].advice, Catch::StartsWith("keep tensors in the layout"));
  CHECK(found[0].time_ms == Approx(0.06));
  CHECK(found[0].evidence == "call 1 for call 2 (convolution): 64x64x3x3 from abcd to ABcd16b16a");
  CHECK(found[1].seen == "reorder of the source before each call");
  CHECK(found[1].time_ms == Approx(0.04));
  CHECK(found[2].seen == "reorder of the result after each call");
  CHECK(found[2].time_ms == Approx(0.02));
}

TEST_CASE("a transposition by cuBLAS is told with whose it is, an addition is not") {
  for (const std::string op : {"T", "N"}) {
    MadeEvaluations made;
    made.calls(5, [&](MadeEvaluations& call) {
      call.call("cublas", "cublasSgeam", 3, {{"op_a", op}, {"op_b", "N"}, {"m", "2048"}, {"n", "512"}},
                [](MadeEvaluations& in) { in.kernel("geam_kernel", 30); });
      call.call("cublas", "cublasSgemm_v2", 3, {{"m", "2048"}, {"n", "8"}, {"k", "512"}},
                [](MadeEvaluations& in) { in.kernel("ampere_sgemm", 50); });
      call.synchronize();
    });
    const auto found = made.found();
    INFO("op_a: " << op);
    if (op == "N") {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(summaries(found).size() == 1);
    CHECK(found[0].kind == InefficiencyKind::kExtraCall);
    CHECK(found[0].seen == "cublasSgeam of weights in every call of the model");
    CHECK(found[0].time_ms == Approx(0.03));
  }
}

TEST_CASE("what is set up in every call of the model is told, not what is set up in some") {
  size_t number = 0;
  MadeEvaluations made;
  made.calls(6, [&](MadeEvaluations& call) {
    call.call("cudnn", "cudnnFindConvolutionForwardAlgorithm", 40);
    call.runtime("cudaMalloc", 5);
    if (number++ < 3) call.call("cublas", "cublasCreate_v2", 200);
    add_convolution(call);
    call.call("cublas", "cublasGemmEx", 10, {},
              [](MadeEvaluations& in) { in.call("cublaslt", "cublasLtMatmulAlgoGetHeuristic", 4); });
    call.synchronize();
  });
  auto found = made.found();
  FoundTexts seen;
  for (const Inefficiency& one : found) seen.push_back(one.seen);
  CHECK(seen == FoundTexts{"cudnnFindConvolutionForwardAlgorithm in every call of the model",
                           "cudaMalloc in every call of the model"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == InefficiencyKind::kRepeatedSetup);
  CHECK(found[0].time_ms == Approx(0.04));
}

TEST_CASE("descriptors of an execution's operands are no plans") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    for (int i = 0; i < 3; ++i) {
      if (i == 1) call.call("cudnn", "cudnnBackendFinalize", 9);  // of a plan
      call.call("cudnn", "cudnnBackendFinalize", 1);
      call.call("cudnn", "cudnnBackendExecute", 5, {}, [](MadeEvaluations& in) { in.kernel("cudnn_conv", 50); });
    }
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 1);
  CHECK(found[0].time_ms == Approx(0.009));
}

TEST_CASE("a wait between two calls costs what the device stands still, the wait for the result nothing") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    add_convolution(call);
    call.synchronize().pause(40);
    add_convolution(call);
    call.synchronize();
  });
  const auto found = made.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == InefficiencyKind::kBetweenCalls);
  CHECK(found[0].count == 1);
  // The call returns within 1 µs; then 40 µs, and 2 µs for the launch.
  CHECK(found[0].time_ms > 0.040);
  CHECK(found[0].time_ms < 0.046);
}

TEST_CASE("gaps on the host are told if they are long and not as all others") {
  for (const int64_t others : {1, 300}) {
    MadeEvaluations made;
    made.calls(5, [&](MadeEvaluations& call) {
      for (int i = 0; i < 6; ++i) {
        call.layer("layer" + std::to_string(i), "Linear", [](MadeEvaluations& in) { in.call("blas", "sgemm_", 100); });
        call.pause(i == 2 ? 400 : others);
      }
    });
    const auto found = made.found();
    INFO("other gaps: " << others << " µs");
    if (others > 1) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(summaries(found) == FoundTexts{"host_gap x1: layer3"});
    CHECK(found[0].time_ms == Approx(0.4).epsilon(0.01));
  }
}

TEST_CASE("what takes less than a thousandth of the model is left out") {
  MadeEvaluations made;
  made.calls(5, [](MadeEvaluations& call) {
    call.kernel(kMadePad, 1);
    add_convolution(call);
    call.kernel(kMadeRelu, 5000);
    call.synchronize();
  });
  CHECK(summaries_of(made).empty());
}

TEST_CASE("of a recording without calls of a model nothing is told") {
  MadeEvaluations made;
  made.kernel(kMadePad, 20);
  add_convolution(made);
  made.call("cublas", "cublasCreate_v2", 100);
  CHECK(summaries_of(made).empty());
}

}  // namespace
}  // namespace xsp::bound::test
