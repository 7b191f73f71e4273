#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/backends/cublas_values.h"
#include "bound/backends/cuda_api.h"
#include "bound/backends/device_implementation.h"
#include "bound/backends/matrix_product.h"
#include "bound/onnx/element_type.h"
#include "bound/problems/problem.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// In which types cuBLAS computes a product of these ones.
struct ComputeForm {
  std::string_view source;       // of source and weights, as problems name it
  std::string_view destination;  // of the result
  ElementType operand;           // as the libraries are given them
  ElementType addend;
  ElementType result;
  ElementType bias;
  cublas::ComputeType compute;
  ElementType scale;  // of alpha and beta
  Numerics numerics = Numerics::kExact;
  std::string_view math_mode = "";
  bool only_lt = false;            // cublasGemmEx has none
  bool fast_accumulation = false;  // of FP8: sums in fewer bits
};

/// All forms for a problem's types, the usual one first; none where the types are no such product.
std::vector<const ComputeForm*> compute_forms(const Problem::Types& types);

cuda::DataType data_type_of(ElementType type);

/// alpha or beta in the type that a form wants.
struct Scalar {
  alignas(8) unsigned char bytes[8] = {};
};
Scalar scalar_of(double value, ElementType type);

/// A problem `matmul` as a call of cuBLAS, whose matrices lie by columns: what lies by rows is its transposed matrix,
/// and (a·b)ᵀ = bᵀ·aᵀ, so that the weights come first and nothing is copied.
struct DeviceProduct {
  int rows = 0;     // of the result by columns: the product's n
  int columns = 0;  // its m
  int depth = 0;
  bool transposed_first = false;  // the weights
  bool transposed_second = false;
  int first_leading = 0;
  int second_leading = 0;
  int batches = 1;
  int64_t first_stride = 0;  // between batches, in elements
  int64_t second_stride = 0;
  int64_t addend_stride = 0;
  double alpha = 1;
  double beta = 0;  // of the addend

  bool has_bias = false;    // a vector, a number for each column of the problem's result
  bool has_addend = false;  // a matrix like the result: a bias of that shape, or what `post` adds
  std::string activation;   // "", "relu", "gelu_tanh"

  int64_t first_elements = 0;
  int64_t second_elements = 0;
  int64_t addend_elements = 0;
  int64_t result_elements() const { return int64_t{batches} * rows * columns; }

  /// Weights that are one matrix may be brought into the other order once: that costs no call anything.
  bool can_turn_weights = false;
  bool are_weights_turned = false;
  /// The same product with weights in the other order.
  DeviceProduct with_turned_weights() const;
};

/// An error says what of the problem has no such call.
Status make_device_product(const Problem& problem, DeviceProduct* product);

/// Buffers of a product on a device, in this order; those that it lacks are empty.
enum ProductBuffer : size_t {
  kWeightBuffer,
  kSourceBuffer,
  kAddendBuffer,
  kResultBuffer,
  kBiasBuffer,
  kWorkspaceBuffer,
  kProductBuffers
};

/// A product that is given its operands; how it is called is left.
class ProductImplementation : public DeviceImplementation {
 public:
  ProductImplementation(std::shared_ptr<CudaDevice> device, const Problem& problem, DeviceProduct product,
                        const ComputeForm& form);

 protected:
  virtual size_t needed_workspace() const { return 0; }
  const DeviceProduct& product() const { return product_; }
  const ComputeForm& form() const { return form_; }
  const Scalar& alpha() const { return alpha_; }
  const Scalar& beta() const { return beta_; }

  std::vector<size_t> device_sizes() const override;
  Status fill_device(std::span<const cuda::DevicePointer> buffers) override;
  Status read_device(std::span<const cuda::DevicePointer> buffers, std::vector<float>* result) override;

 private:
  Problem problem_;
  DeviceProduct product_;
  const ComputeForm& form_;
  Scalar alpha_;
  Scalar beta_;
};

/// What the rows of all its implementations have in common.
Measurement product_facts(const Problem& problem, const DeviceProduct& product, const ComputeForm& form);

}  // namespace xsp::bound
