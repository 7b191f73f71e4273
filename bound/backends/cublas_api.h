#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "bound/backends/cublas_values.h"
#include "bound/backends/cuda_api.h"
#include "bound/backends/shared_library.h"

/// What is called of cuBLAS and cuBLASLt. No header of theirs is needed to build.
namespace xsp::bound::cublas {

// Objects of the libraries, known by their addresses.
struct HandleObject;
struct LtHandleObject;
struct MatmulObject;
struct LayoutObject;
struct PreferenceObject;

/// member, symbol, parameters; all return a Status.
#define XSP_CUBLAS_FUNCTIONS(X)                                                                                      \
  X(create, cublasCreate_v2, (HandleObject * *handle))                                                               \
  X(destroy, cublasDestroy_v2, (HandleObject * handle))                                                              \
  X(set_stream, cublasSetStream_v2, (HandleObject * handle, cuda::Stream stream))                                    \
  X(set_math_mode, cublasSetMathMode, (HandleObject * handle, int mode))                                             \
  X(property, cublasGetProperty, (int which, int* value))                                                            \
  X(gemm, cublasGemmEx,                                                                                              \
    (HandleObject * handle, Operation op_a, Operation op_b, int m, int n, int k, const void* alpha, const void* a,   \
     cuda::DataType a_type, int lda, const void* b, cuda::DataType b_type, int ldb, const void* beta, void* c,       \
     cuda::DataType c_type, int ldc, ComputeType compute, int algorithm))                                            \
  X(gemm_batched, cublasGemmStridedBatchedEx,                                                                        \
    (HandleObject * handle, Operation op_a, Operation op_b, int m, int n, int k, const void* alpha, const void* a,   \
     cuda::DataType a_type, int lda, long long a_stride, const void* b, cuda::DataType b_type, int ldb,              \
     long long b_stride, const void* beta, void* c, cuda::DataType c_type, int ldc, long long c_stride, int batches, \
     ComputeType compute, int algorithm))

#define XSP_CUBLASLT_FUNCTIONS(X)                                                                                 \
  X(create, cublasLtCreate, (LtHandleObject * *handle))                                                           \
  X(destroy, cublasLtDestroy, (LtHandleObject * handle))                                                          \
  X(property, cublasLtGetProperty, (int which, int* value))                                                       \
  X(create_matmul, cublasLtMatmulDescCreate, (MatmulObject * *matmul, ComputeType compute, cuda::DataType scale)) \
  X(destroy_matmul, cublasLtMatmulDescDestroy, (MatmulObject * matmul))                                           \
  X(set_matmul, cublasLtMatmulDescSetAttribute,                                                                   \
    (MatmulObject * matmul, int attribute, const void* value, size_t bytes))                                      \
  X(create_layout, cublasLtMatrixLayoutCreate,                                                                    \
    (LayoutObject * *layout, cuda::DataType type, uint64_t rows, uint64_t columns, int64_t leading))              \
  X(destroy_layout, cublasLtMatrixLayoutDestroy, (LayoutObject * layout))                                         \
  X(set_layout, cublasLtMatrixLayoutSetAttribute,                                                                 \
    (LayoutObject * layout, int attribute, const void* value, size_t bytes))                                      \
  X(create_preference, cublasLtMatmulPreferenceCreate, (PreferenceObject * *preference))                          \
  X(destroy_preference, cublasLtMatmulPreferenceDestroy, (PreferenceObject * preference))                         \
  X(set_preference, cublasLtMatmulPreferenceSetAttribute,                                                         \
    (PreferenceObject * preference, int attribute, const void* value, size_t bytes))                              \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic,                                                                    \
    (LtHandleObject * handle, MatmulObject * matmul, LayoutObject * a, LayoutObject * b, LayoutObject * c,        \
     LayoutObject * d, PreferenceObject * preference, int asked, HeuristicResult* results, int* found))           \
  X(algorithm_config, cublasLtMatmulAlgoConfigGetAttribute,                                                       \
    (const Algorithm* algorithm, int attribute, void* value, size_t bytes, size_t* written))                      \
  X(matmul, cublasLtMatmul,                                                                                       \
    (LtHandleObject * handle, MatmulObject * matmul, const void* alpha, const void* a, LayoutObject* a_layout,    \
     const void* b, LayoutObject* b_layout, const void* beta, const void* c, LayoutObject* c_layout, void* d,     \
     LayoutObject* d_layout, const Algorithm* algorithm, void* workspace, size_t workspace_bytes,                 \
     cuda::Stream stream))

#define XSP_DECLARE(member, symbol, parameters) Status(*member) parameters = nullptr;
/// libcublas, loaded. Lives until the process ends.
class Cublas {
 public:
  static xsp::Status open(const std::string& path, Cublas* library);
  XSP_CUBLAS_FUNCTIONS(XSP_DECLARE)
  const std::string& path() const { return file_.path(); }
  const std::string& version() const { return version_; }

 private:
  SharedLibrary file_;
  std::string version_;
};

/// libcublasLt, loaded.
class CublasLt {
 public:
  static xsp::Status open(const std::string& path, CublasLt* library);
  XSP_CUBLASLT_FUNCTIONS(XSP_DECLARE)
  const std::string& path() const { return file_.path(); }
  const std::string& version() const { return version_; }

 private:
  SharedLibrary file_;
  std::string version_;
};
#undef XSP_DECLARE

/// Ok for kSuccess, else "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED".
xsp::Status status_of(Status status, std::string_view function);

}  // namespace xsp::bound::cublas
