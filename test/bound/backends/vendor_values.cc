/// Compiled, not run, by vendor_values_test.py: numbers, structures and functions of NVIDIA's libraries as this project
/// has them, beside the vendor's own headers.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <library_types.h>

#include <cstddef>
#include <type_traits>

#include "bound/backends/cublas_api.h"
#include "bound/backends/cuda_api.h"

namespace xsp::bound {
namespace {

#ifndef XSP_ALTERED
#define XSP_ALTERED 0
#endif

/// What a caller and a function have to agree on: registers by kind and size.
template <typename Ours, typename Theirs>
constexpr bool passes_alike() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    return std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameCall<R (*)(A...), S (*)(B...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return passes_alike<R, S>() && (passes_alike<A, B>() && ...);
    }
  }
};

// In C++ the headers have overloads of these two, for callers of old.
constexpr cublasStatus_t (*cublasGemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                         const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                                         const void*, void*, cudaDataType, int, cublasComputeType_t,
                                         cublasGemmAlgo_t) = &::cublasGemmEx;
constexpr cublasStatus_t (*cublasGemmStridedBatchedEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                                       int, const void*, const void*, cudaDataType, int, long long,
                                                       const void*, cudaDataType, int, long long, const void*, void*,
                                                       cudaDataType, int, long long, int, cublasComputeType_t,
                                                       cublasGemmAlgo_t) = &::cublasGemmStridedBatchedEx;

#define XSP_SAME(member, symbol, parameters) \
  static_assert(SameCall<decltype(XSP_OWNER::member), decltype(+symbol)>::value(), #symbol);
#define XSP_OWNER cuda::CudaApi
XSP_CUDA_FUNCTIONS(XSP_SAME)
#undef XSP_OWNER
#define XSP_OWNER cublas::Cublas
XSP_CUBLAS_FUNCTIONS(XSP_SAME)
#undef XSP_OWNER
#define XSP_OWNER cublas::CublasLt
XSP_CUBLASLT_FUNCTIONS(XSP_SAME)
#undef XSP_OWNER

#define XSP_EQUAL(ours, theirs) static_assert(static_cast<long>(ours) == static_cast<long>(theirs), #theirs)
XSP_EQUAL(cuda::kSuccess + XSP_ALTERED, CUDA_SUCCESS);
XSP_EQUAL(cuda::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
XSP_EQUAL(cuda::kStubLibrary, CUDA_ERROR_STUB_LIBRARY);
XSP_EQUAL(cuda::kNoDevice, CUDA_ERROR_NO_DEVICE);
XSP_EQUAL(cuda::kClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
XSP_EQUAL(cuda::kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
XSP_EQUAL(cuda::kMemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
XSP_EQUAL(cuda::kL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
XSP_EQUAL(cuda::kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
XSP_EQUAL(cuda::kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
XSP_EQUAL(cuda::kNonBlockingStream, CU_STREAM_NON_BLOCKING);
XSP_EQUAL(cuda::kDefaultEvent, CU_EVENT_DEFAULT);
static_assert(sizeof(cuda::DevicePointer) == sizeof(CUdeviceptr));

XSP_EQUAL(cuda::DataType::kF32, CUDA_R_32F);
XSP_EQUAL(cuda::DataType::kF64, CUDA_R_64F);
XSP_EQUAL(cuda::DataType::kF16, CUDA_R_16F);
XSP_EQUAL(cuda::DataType::kI8, CUDA_R_8I);
XSP_EQUAL(cuda::DataType::kU8, CUDA_R_8U);
XSP_EQUAL(cuda::DataType::kI32, CUDA_R_32I);
XSP_EQUAL(cuda::DataType::kBf16, CUDA_R_16BF);
XSP_EQUAL(cuda::DataType::kF8E4M3, CUDA_R_8F_E4M3);
XSP_EQUAL(cuda::DataType::kF8E5M2, CUDA_R_8F_E5M2);

XSP_EQUAL(cublas::kSuccess, CUBLAS_STATUS_SUCCESS);
XSP_EQUAL(cublas::kAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED);
XSP_EQUAL(cublas::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
XSP_EQUAL(cublas::Operation::kPlain, CUBLAS_OP_N);
XSP_EQUAL(cublas::Operation::kTransposed, CUBLAS_OP_T);
XSP_EQUAL(cublas::ComputeType::k16F, CUBLAS_COMPUTE_16F);
XSP_EQUAL(cublas::ComputeType::k32F, CUBLAS_COMPUTE_32F);
XSP_EQUAL(cublas::ComputeType::k32FFastTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
XSP_EQUAL(cublas::ComputeType::k64F, CUBLAS_COMPUTE_64F);
XSP_EQUAL(cublas::ComputeType::k32I, CUBLAS_COMPUTE_32I);
XSP_EQUAL(cublas::kDefaultMath, CUBLAS_DEFAULT_MATH);
XSP_EQUAL(cublas::kDefaultAlgorithm, CUBLAS_GEMM_DEFAULT);
XSP_EQUAL(cublas::kMajorVersion, MAJOR_VERSION);
XSP_EQUAL(cublas::kMinorVersion, MINOR_VERSION);
XSP_EQUAL(cublas::kPatchLevel, PATCH_LEVEL);

XSP_EQUAL(cublas::kMatmulTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
XSP_EQUAL(cublas::kMatmulTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
XSP_EQUAL(cublas::kMatmulEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
XSP_EQUAL(cublas::kMatmulBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
XSP_EQUAL(cublas::kMatmulFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
XSP_EQUAL(cublas::kMatmulBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
XSP_EQUAL(cublas::kLayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
XSP_EQUAL(cublas::kLayoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
XSP_EQUAL(cublas::kPreferenceWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
XSP_EQUAL(cublas::kEpilogueNone, CUBLASLT_EPILOGUE_DEFAULT);
XSP_EQUAL(cublas::kEpilogueRelu, CUBLASLT_EPILOGUE_RELU);
XSP_EQUAL(cublas::kEpilogueBias, CUBLASLT_EPILOGUE_BIAS);
XSP_EQUAL(cublas::kEpilogueGelu, CUBLASLT_EPILOGUE_GELU);
XSP_EQUAL(cublas::kEpilogueBias | cublas::kEpilogueRelu, CUBLASLT_EPILOGUE_RELU_BIAS);
XSP_EQUAL(cublas::kEpilogueBias | cublas::kEpilogueGelu, CUBLASLT_EPILOGUE_GELU_BIAS);
XSP_EQUAL(cublas::kAlgorithmId, CUBLASLT_ALGO_CONFIG_ID);
XSP_EQUAL(cublas::kAlgorithmTile, CUBLASLT_ALGO_CONFIG_TILE_ID);
XSP_EQUAL(cublas::kAlgorithmSplitK, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
XSP_EQUAL(cublas::kAlgorithmReduction, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
XSP_EQUAL(cublas::kAlgorithmSwizzle, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING);
XSP_EQUAL(cublas::kAlgorithmCustom, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION);
XSP_EQUAL(cublas::kAlgorithmStages, CUBLASLT_ALGO_CONFIG_STAGES_ID);
XSP_EQUAL(cublas::kAlgorithmInnerShape, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID);
XSP_EQUAL(cublas::kAlgorithmCluster, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);

static_assert(sizeof(cublas::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(cublas::HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(cublas::HeuristicResult, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(cublas::HeuristicResult, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(cublas::HeuristicResult, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

}  // namespace
}  // namespace xsp::bound
