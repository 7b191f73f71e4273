#include "analysis/waves/kernel_kinds.h"

#include <string>

#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("the bare name of a kernel is that of its function") {
  CHECK(bare_kernel_name("volta_scudnn_128x64_relu_small_nn_v1") == "volta_scudnn_128x64_relu_small_nn_v1");
  CHECK(bare_kernel_name("void cudnn::bn_bw_1C11_kernel_new<float, 512, true>(float, float const*)") ==
        "bn_bw_1C11_kernel_new");
  CHECK(bare_kernel_name("cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)") ==
        "computeOffsetsKernel");
  CHECK(bare_kernel_name("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, long*)") ==
        "max_pool_forward_nchw");
  CHECK(bare_kernel_name(
            "void at::native::elementwise_kernel<128, 4, f(a&)::{lambda(int)#1}>(int, f(a&)::{lambda()#1})") ==
        "elementwise_kernel");
}

TEST_CASE("wrappers of CUTLASS have the name of what they wrap") {
  CHECK(bare_kernel_name("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_64x64>(cutlass_80_tensorop::Params)") ==
        "cutlass_80_tensorop_s16816gemm_64x64");
  CHECK(bare_kernel_name("void cutlass::device_kernel<flash::FlashAttnFwdSm90<a::B<int, int>, c> >(d)") ==
        "FlashAttnFwdSm90");
  CHECK(bare_kernel_name("void mine::Kernel<>(int)") == "Kernel");
}

TEST_CASE("a name that is no function stays as it is, and none reads beyond its end") {
  for (const std::string name :
       {"", "(", "<<<", ">>", "::", "void ", "a<", "a<b", "Kernel<(", "(anonymous namespace)"}) {
    CAPTURE(name);
    CHECK(bare_kernel_name(name).size() <= name.size());
  }
  CHECK(bare_kernel_name("(unknown)") == "(unknown)");
  CHECK(bare_kernel_name(std::string(100'000, '<')).size() == 100'000);
}

TEST_CASE("roles are told by names") {
  CHECK(role_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        KernelRole::kCommunicates);
  for (const char* name : {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
                           "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16", "matmul_kernel_persistent",
                           "void cutlass::Kernel2<cutlass_80_gemm_streamk_128x128>(int)",
                           "void cutlass::device_kernel<flash::FlashAttnFwdSm90<int> >(int)"}) {
    CAPTURE(name);
    CHECK(role_of_kernel(name) == KernelRole::kIsPersistent);
  }
  for (const char* name : {"sm80_xmma_gemm_f16", "void cutlass::Kernel2<cutlass_80_tensorop_gemm>(int)", "volta_sgemm",
                           // What a kernel is given does not make it persistent.
                           "void cudnn::bn_fw_tr_1C11_singleread<float>(cudnn::bnFwPersistentState*, int)"}) {
    CAPTURE(name);
    CHECK(role_of_kernel(name) == KernelRole::kComputes);
  }
}

TEST_CASE("kinds are told by the function alone") {
  CHECK(kind_of_kernel("void cudnn::bn_fw_tr_1C11_singleread<float>(int)") == KernelKind::kChannelNormalization);
  CHECK(kind_of_kernel("void mxnet::op::batchnorm::cuda::BatchNormalizationUpdateOutputInferenceKernel<float>(int)") ==
        KernelKind::kChannelNormalization);
  CHECK(kind_of_kernel("void at::native::vectorized_layer_norm_kernel<float>(int)") == KernelKind::kReduction);
  CHECK(kind_of_kernel("void cudnn::cnn::wgrad_alg0_engine<float>(int)") == KernelKind::kWeightGradient);
  CHECK(kind_of_kernel("sm80_xmma_wgrad_implicit_gemm") == KernelKind::kWeightGradient);
  CHECK(kind_of_kernel("void implicit_convolve_sgemm<float>(int)") == KernelKind::kProduct);
  CHECK(kind_of_kernel("void pytorch_flash::flash_fwd_kernel<cutlass::bfloat16_t>(int)") == KernelKind::kOther);
  CHECK(kind_of_kernel("void at::native::vectorized_elementwise_kernel<4, AddFunctor>(int)") == KernelKind::kOther);
  CHECK(is_backward_kernel("void cudnn::bn_bw_1C11_kernel_new<float>(int)"));
  CHECK(is_backward_kernel("void cudnn::detail::dgrad_engine<float>(int)"));
  CHECK(is_backward_kernel("void cudnn::winograd_nonfused::winogradWgradData4x4<float, float>(int)"));
  CHECK_FALSE(is_backward_kernel("volta_sgemm_128x32_nt"));
  CHECK_FALSE(is_backward_kernel("volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"));
  CHECK_FALSE(is_backward_kernel("void cudnn::winograd::generateWinogradTilesKernel<0, float>(int)"));
}

}  // namespace
}  // namespace xsp::analysis
