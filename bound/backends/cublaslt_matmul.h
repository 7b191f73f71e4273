#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/cublas_api.h"
#include "bound/backends/device_product.h"

namespace xsp::bound {

/// A product as descriptors of cuBLASLt. Needs no device.
class CublasLtMatmul {
 public:
  static Status make(const cublas::CublasLt& library, const DeviceProduct& product, const ComputeForm& form,
                     std::unique_ptr<CublasLtMatmul>* matmul);
  ~CublasLtMatmul();
  CublasLtMatmul(const CublasLtMatmul&) = delete;
  CublasLtMatmul& operator=(const CublasLtMatmul&) = delete;

  /// What the library would take, best first; an error where it has nothing. Needs the device of `handle`.
  Status algorithms(cublas::LtHandleObject* handle, uint64_t most_workspace, int most,
                    std::vector<cublas::HeuristicResult>* found) const;
  /// Of the vector that is added; each call reads the one that was set last.
  Status set_bias(cuda::DevicePointer address) const;
  cublas::Status run(cublas::LtHandleObject* handle, const Scalar& alpha, const Scalar& beta,
                     std::span<const cuda::DevicePointer> buffers, const cublas::Algorithm& algorithm,
                     size_t workspace_bytes, cuda::Stream stream) const;

  cublas::MatmulObject* descriptor() const { return matmul_; }
  cublas::LayoutObject* first_layout() const { return first_; }
  cublas::LayoutObject* result_layout() const { return result_; }

 private:
  explicit CublasLtMatmul(const cublas::CublasLt& library) : library_(library) {}
  Status describe(const DeviceProduct& product, const ComputeForm& form);
  Status set(int attribute, const void* value, size_t bytes) const;
  Status make_layout(ElementType type, int rows, int columns, int leading, int batches, int64_t stride,
                     cublas::LayoutObject** layout);

  const cublas::CublasLt& library_;
  bool has_addend_ = false;
  bool is_result_like_addend_ = false;
  cublas::MatmulObject* matmul_ = nullptr;
  cublas::LayoutObject* first_ = nullptr;
  cublas::LayoutObject* second_ = nullptr;
  cublas::LayoutObject* addend_ = nullptr;
  cublas::LayoutObject* result_ = nullptr;
};

/// As its configuration tells: "algorithm 66, tile 20, stages 36, split-k 1, cluster 3". What is 0 is left out.
std::string name_of_algorithm(const cublas::CublasLt& library, const cublas::Algorithm& algorithm);

}  // namespace xsp::bound
