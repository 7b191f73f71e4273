#include "analysis/compare/kernel_family.h"

#include <string>

#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::kernel_family;

bool are_versions(const std::string& a, const std::string& b) { return kernel_family(a) == kernel_family(b); }

TEST_CASE("versions of a kernel differ in architecture, tiles, numbers and types") {
  CHECK(are_versions("ampere_sgemm_128x64_nn", "volta_sgemm_32x128_nn"));
  CHECK(are_versions("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4_execute_kernel__5x_cublas",
                     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_stage3_execute_kernel__5x_cublas"));
  CHECK(are_versions("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(int)",
                     "void cutlass::Kernel<cutlass_75_tensorop_s1688gemm_128x128_32x2_nn_align1>(int)"));
  CHECK(are_versions("void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*, int)",
                     "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 11, false>(int)"));
  CHECK(
      are_versions("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)",
                   "void at::native::vectorized_elementwise_kernel<2, at::native::CUDAFunctor_add<c10::Half> >(int)"));
  CHECK(are_versions("triton_poi_fused_add_3", "triton_poi_fused_add_11"));
}

TEST_CASE("kernels that do other things are no versions of each other") {
  CHECK_FALSE(are_versions("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nt"));
  CHECK_FALSE(are_versions("ampere_sgemm_128x64_nn", "ampere_hgemm_128x64_nn"));
  CHECK_FALSE(
      are_versions("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)",
                   "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)"));
  CHECK_FALSE(are_versions("op_generic_tensor_kernel<2, float, (cudnnGenericOp_t)0>(int)",
                           "op_generic_tensor_kernel<2, float, (cudnnGenericOp_t)1>(int)"));
  CHECK_FALSE(are_versions("Memset (Device)", "ampere_sgemm_128x64_nn"));
  CHECK_FALSE(are_versions("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", "ncclDevKernel_AllGather_RING_LL(args)"));
}

TEST_CASE("names that are nothing but versions, cut or never closed, are families too") {
  CHECK(kernel_family("128x64") == "128x64");
  CHECK(kernel_family("volta") == "volta");
  CHECK(kernel_family("").empty());
  CHECK(kernel_family("void f<g<h").find("f g h") != std::string::npos);
  CHECK_FALSE(kernel_family(std::string(100000, '<')).empty());
  CHECK_FALSE(kernel_family("f" + std::string(100000, '(')).empty());
}

}  // namespace
}  // namespace xsp::test
