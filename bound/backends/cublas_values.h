#pragma once

#include <cstddef>
#include <cstdint>

/// Numbers and structures of cuBLAS and cuBLASLt (cublas_api.h, cublasLt.h), as far as they are called: they do not
/// change once a version has shipped. test/bound/backends/vendor_values_test.py compares them with headers that are
/// installed.
namespace xsp::bound::cublas {

using Status = int;  // cublasStatus_t
inline constexpr Status kSuccess = 0;
inline constexpr Status kAllocationFailed = 3;
inline constexpr Status kNotSupported = 15;

enum class Operation : int { kPlain = 0, kTransposed = 1 };  // cublasOperation_t

/// cublasComputeType_t
enum class ComputeType : int {
  k16F = 64,
  k32F = 68,
  k32FFastTf32 = 77,
  k64F = 70,
  k32I = 72,
};

inline constexpr int kDefaultMath = 0;        // CUBLAS_DEFAULT_MATH
inline constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

// libraryPropertyType
inline constexpr int kMajorVersion = 0;
inline constexpr int kMinorVersion = 1;
inline constexpr int kPatchLevel = 2;

// cublasLtMatmulDescAttributes_t
inline constexpr int kMatmulTransposeA = 3;
inline constexpr int kMatmulTransposeB = 4;
inline constexpr int kMatmulEpilogue = 7;
inline constexpr int kMatmulBiasPointer = 8;
inline constexpr int kMatmulFastAccumulation = 25;
inline constexpr int kMatmulBiasType = 26;

// cublasLtMatrixLayoutAttribute_t
inline constexpr int kLayoutBatchCount = 5;
inline constexpr int kLayoutBatchStride = 6;

// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kPreferenceWorkspaceBytes = 1;

// cublasLtEpilogue_t: bits
inline constexpr int kEpilogueNone = 1;
inline constexpr int kEpilogueRelu = 2;
inline constexpr int kEpilogueBias = 4;
inline constexpr int kEpilogueGelu = 32;

// cublasLtMatmulAlgoConfigAttributes_t
inline constexpr int kAlgorithmId = 0;
inline constexpr int kAlgorithmTile = 1;
inline constexpr int kAlgorithmSplitK = 2;
inline constexpr int kAlgorithmReduction = 3;
inline constexpr int kAlgorithmSwizzle = 4;
inline constexpr int kAlgorithmCustom = 5;
inline constexpr int kAlgorithmStages = 6;
inline constexpr int kAlgorithmInnerShape = 7;
inline constexpr int kAlgorithmCluster = 8;

/// cublasLtMatmulAlgo_t
struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

}  // namespace xsp::bound::cublas
