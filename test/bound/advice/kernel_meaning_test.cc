#include "bound/advice/kernel_meaning.h"

#include <string>

#include "bound/advice/call_meaning.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

TEST_CASE("names of kernels tell what they do that no model asks for") {
  struct Case {
    std::string name;
    KernelAction action;
    KernelOrigin origin;
  };
  for (const Case& one : {
           Case{"void mshadow::cuda::image_2d_pad_edge_kernel<8, float>(float*)", KernelAction::kPad,
                KernelOrigin::kFramework},
           Case{"void at::native::(anonymous namespace)::reflection_pad2d_out_kernel<float>(float*)",
                KernelAction::kPad, KernelOrigin::kFramework},
           Case{"void tensorflow::functor::PadInputCustomKernelNHWC<float, 4>(int)", KernelAction::kPad,
                KernelOrigin::kFramework},
           Case{"void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int>(int)",
                KernelAction::kTranspose, KernelOrigin::kFramework},
           Case{"void cudnn::ops::nchwToNhwcKernel<float, float>(int)", KernelAction::kLayoutChange,
                KernelOrigin::kLibrary},
           Case{"void "
                "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)"
                "::{lambda()#2}, at::detail::Array<char*, 2>, at::native::memory::LoadWithCast<1>>(int)",
                KernelAction::kCast, KernelOrigin::kFramework},
           Case{"void at::native::elementwise_kernel<128, 2, "
                "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>"
                "(int)",
                KernelAction::kCopy, KernelOrigin::kFramework},
           Case{"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 1>(float*)",
                KernelAction::kOther, KernelOrigin::kFramework},
           Case{"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
                KernelAction::kOther, KernelOrigin::kFramework},
           Case{"volta_scudnn_128x64_relu_interior_nn_v1", KernelAction::kOther, KernelOrigin::kLibrary},
           Case{"void fbgemm_gpu::permute_2D_data_kernel<false>(int)", KernelAction::kTranspose,
                KernelOrigin::kFramework},
           Case{"void cudnn::ops::scalePackedTensor_kernel<float, float>(float*)", KernelAction::kOther,
                KernelOrigin::kLibrary},
           Case{"triton_poi_fused_add_cos_sin_0", KernelAction::kOther, KernelOrigin::kUnknown},
           Case{"", KernelAction::kOther, KernelOrigin::kUnknown},
       }) {
    INFO(one.name);
    const KernelMeaning meaning = meaning_of_kernel(one.name);
    CHECK(static_cast<int>(meaning.action) == static_cast<int>(one.action));
    CHECK(static_cast<int>(meaning.origin) == static_cast<int>(one.origin));
  }
}

TEST_CASE("only the framework's own kernels compute layers that a library has") {
  const auto computes = [](const std::string& name) { return meaning_of_kernel(name).computes; };
  CHECK(computes("void mxnet::op::batchnorm::cuda::BatchNormalizationUpdateOutputInferenceKernel<float>(int)") ==
        LayerKind::kBatchNormalization);
  CHECK(computes("void at::native::batch_norm_transform_input_kernel<float>(int)") == LayerKind::kBatchNormalization);
  CHECK(computes("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)") ==
        LayerKind::kPooling);
  CHECK(computes("void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(int)") ==
        LayerKind::kOther);
  CHECK(computes("void cudnn::bn_fw_tr_1C11_singleread<float, 512>(int)") == LayerKind::kOther);
  CHECK(computes("void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3>(int)") ==
        LayerKind::kOther);
}

TEST_CASE("short names of kernels have no types and arguments") {
  CHECK(short_kernel_name("void mshadow::cuda::pad<8, float>(int, int)") == "mshadow::cuda::pad");
  CHECK(short_kernel_name("void at::native::(anonymous namespace)::fill<4>(int)") ==
        "at::native::(anonymous namespace)::fill");
  CHECK(short_kernel_name("void at::native::elementwise_kernel<128, at::native::direct_copy_kernel_cuda(int)>(int)") ==
        "direct_copy_kernel_cuda");
  CHECK(short_kernel_name("ampere_sgemm_32x32") == "ampere_sgemm_32x32");
}

TEST_CASE("functions are known by what they are for") {
  CHECK(meaning_of_call("cudnn", "cudnnConvolutionBiasActivationForward").kind == LayerKind::kConv);
  CHECK(meaning_of_call("cublas", "cublasSgemmStridedBatched").kind == LayerKind::kProduct);
  CHECK(meaning_of_call("cublas", "cublasSgeam").role == CallRole::kLayoutChange);
  CHECK(meaning_of_call("cublas", "cublasSetMathMode").role == CallRole::kOther);
  CHECK(meaning_of_call("cublas", "cublasCreate_v2").role == CallRole::kSetUp);
  CHECK(meaning_of_call("cudnn", "cudnnCreate").role == CallRole::kSetUp);
  CHECK(meaning_of_call("cudnn", "cudnnCreateTensorDescriptor").role == CallRole::kOther);
  CHECK(meaning_of_call("cudnn", "cudnnGetConvolutionForwardAlgorithmMaxCount").role == CallRole::kOther);
  CHECK(meaning_of_call("cublaslt", "cublasLtMatmulAlgoGetHeuristic").role == CallRole::kSetUp);
  CHECK(meaning_of_call("cublaslt", "cublasLtMatmul").role == CallRole::kCompute);
  CHECK(meaning_of_call("onednn", "convolution create").role == CallRole::kSetUp);
  CHECK(meaning_of_call("onednn", "reorder").role == CallRole::kLayoutChange);
  CHECK(meaning_of_runtime_call("cudaMalloc").role == CallRole::kSetUp);
  CHECK(meaning_of_runtime_call("cudaMallocAsync").role == CallRole::kOther);
  CHECK(meaning_of_runtime_call("cuMemAlloc_v2").role == CallRole::kSetUp);
  CHECK(meaning_of_runtime_call("cuMemAlloc_v2_ptds").role == CallRole::kSetUp);
  CHECK(meaning_of_runtime_call("cudaLaunchKernel").role == CallRole::kOther);
}

}  // namespace
}  // namespace xsp::bound
