#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "bound/backends/shared_library.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// The functions of one element type. Those of the Fortran interface take all by reference: whole numbers are handed
/// over as 64-bit ones, whose first half is what a library of 32-bit ones reads on these little-endian machines. So
/// both kinds of build are called alike.
struct BlasFunctions {
  using Gemm = void (*)(const char* transpose_a, const char* transpose_b, const int64_t* m, const int64_t* n,
                        const int64_t* k, const void* alpha, const void* a, const int64_t* lda, const void* b,
                        const int64_t* ldb, const void* beta, void* c, const int64_t* ldc);
  using Gemv = void (*)(const char* transpose, const int64_t* m, const int64_t* n, const void* alpha, const void* a,
                        const int64_t* lda, const void* x, const int64_t* x_step, const void* beta, void* y,
                        const int64_t* y_step);
  /// cblas_?gemm_batch of MKL, which OpenBLAS took over: arrays with an entry a group, then pointers to each matrix.
  using GemmBatch = void (*)(int order, const int* transpose_a, const int* transpose_b, const int64_t* m,
                             const int64_t* n, const int64_t* k, const void* alpha, const void* const* a,
                             const int64_t* lda, const void* const* b, const int64_t* ldb, const void* beta,
                             void* const* c, const int64_t* ldc, int64_t groups, const int64_t* group_size);

  Gemm gemm = nullptr;
  Gemv gemv = nullptr;
  GemmBatch gemm_batch = nullptr;  // null in most builds
};

/// A BLAS that says who it is.
class BlasLibrary {
 public:
  /// `is_known` is false where the file can be loaded but holds no OpenBLAS, MKL or BLIS.
  static Status open(const std::string& path, BlasLibrary* library, bool* is_known);

  const Library& facts() const { return facts_; }
  const BlasFunctions& single_precision() const { return single_; }
  const BlasFunctions& double_precision() const { return double_; }
  bool has_wide_integers() const { return has_wide_integers_; }
  /// Whether gemm_batch, where there is one, can be called for products of this size.
  bool can_batch(int64_t m, int64_t n, int64_t k) const;
  void set_threads(int threads) const;

 private:
  BlasFunctions functions(char letter) const;

  SharedLibrary file_;
  std::string prefix_;  // "scipy_" in front of all names of SciPy's and NumPy's builds
  std::string suffix_;  // "64_" behind those of builds with 64-bit integers
  bool has_wide_integers_ = false;
  Library facts_;
  BlasFunctions single_;
  BlasFunctions double_;
};

}  // namespace xsp::bound
