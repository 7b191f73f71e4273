#include "bound/backends/device_product.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "bound/backends/tensor_bytes.h"
#include "bound/problems/plain_values.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound {
namespace {

// Of FP8 the sums are added to a matrix of 16 bits at least. Sums of whole numbers are scaled as f32 where they are cut
// off to bytes.
std::span<const ComputeForm> all_compute_forms() {
  using enum ElementType;
  using enum cublas::ComputeType;
  static constexpr ComputeForm kComputeForms[] = {
      {"f32", "f32", kF32, kF32, kF32, kF32, k32F, kF32},
      {"tf32", "tf32", kF32, kF32, kF32, kF32, k32FFastTf32, kF32, Numerics::kReduced, "tf32"},
      {"f64", "f64", kF64, kF64, kF64, kF64, k64F, kF64},
      {"f16", "f16", kF16, kF16, kF16, kF16, k32F, kF32},
      {"f16", "f16", kF16, kF16, kF16, kF16, k16F, kF16, Numerics::kReduced, "f16 sums"},
      {"f16", "f32", kF16, kF32, kF32, kF32, k32F, kF32},
      {"bf16", "bf16", kBf16, kBf16, kBf16, kBf16, k32F, kF32},
      {"bf16", "f32", kBf16, kF32, kF32, kF32, k32F, kF32},
      {"f8e4m3", "f8e4m3", kF8E4M3, kBf16, kF8E4M3, kBf16, k32F, kF32, Numerics::kExact, "", true},
      {"f8e4m3", "f8e4m3", kF8E4M3, kBf16, kF8E4M3, kBf16, k32F, kF32, Numerics::kReduced, "fast sums", true, true},
      {"f8e4m3", "bf16", kF8E4M3, kBf16, kBf16, kBf16, k32F, kF32, Numerics::kExact, "", true},
      {"f8e4m3", "bf16", kF8E4M3, kBf16, kBf16, kBf16, k32F, kF32, Numerics::kReduced, "fast sums", true, true},
      {"f8e4m3", "f16", kF8E4M3, kF16, kF16, kF16, k32F, kF32, Numerics::kExact, "", true},
      {"f8e4m3", "f16", kF8E4M3, kF16, kF16, kF16, k32F, kF32, Numerics::kReduced, "fast sums", true, true},
      {"f8e4m3", "f32", kF8E4M3, kF32, kF32, kBf16, k32F, kF32, Numerics::kExact, "", true},
      {"i8", "i8", kI8, kI8, kI8, kF32, k32I, kF32, Numerics::kExact, "", true},
      {"i8", "i32", kI8, kI32, kI32, kI32, k32I, kI32},
      {"i8", "f32", kI8, kF32, kF32, kF32, k32F, kF32},
  };
  return kComputeForms;
}

/// How far apart batches lie whose matrices begin at these places; false where that is not the same for all.
bool stride_of(const std::vector<int64_t>& begins, int64_t* stride) {
  *stride = begins.size() > 1 ? begins[1] - begins[0] : 0;
  for (size_t i = 1; i < begins.size(); ++i) {
    if (begins[i] - begins[i - 1] != *stride) return false;
  }
  return true;
}

Status take_bias(const MatrixProduct& from, DeviceProduct* product) {
  if (from.bias.empty()) return {};
  int64_t stride = 0;
  if (!stride_of(from.bias, &stride)) return {"batches of the bias do not lie equally far apart", ""};
  if (from.bias_row == 0 && !from.bias_is_single && stride == 0 && from.beta == 1) {
    product->has_bias = true;
    return {};
  }
  if (from.bias_row != from.n) return {"a bias that is neither a vector nor a matrix like the result", ""};
  product->has_addend = true;
  product->beta = from.beta;
  product->addend_stride = stride;
  product->addend_elements = from.bias_elements;
  return {};
}

Status take_post(const Problem& problem, DeviceProduct* product) {
  for (const PostStep& step : post_steps(problem.field("post"))) {
    const bool is_free = product->activation.empty();
    if (step.is_add() && is_free && !product->has_addend) {
      product->has_addend = true;
      product->beta = 1;
      product->addend_stride = int64_t{product->rows} * product->columns;
      product->addend_elements = product->result_elements();
    } else if ((step.alg == "relu" || step.alg == "gelu_tanh") && is_free) {
      product->activation = step.alg;
    } else {
      return {"the library cannot compute " + text_of(step) +
                  " at this place of post=" + std::string(problem.field("post")),
              ""};
    }
  }
  return {};
}

const PlainTensor* operand_named(const std::vector<PlainTensor>& operands, std::string_view name) {
  const auto found = std::ranges::find(operands, name, &PlainTensor::name);
  return found == operands.end() ? nullptr : &*found;
}

/// A matrix by rows as one by columns, `rows` × `columns` before.
std::vector<float> turned(const std::vector<float>& values, size_t rows, size_t columns) {
  std::vector<float> other(values.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) other[j * rows + i] = values[i * columns + j];
  }
  return other;
}

size_t bytes_for(int64_t elements, ElementType type) {
  return static_cast<size_t>(elements) * static_cast<size_t>(bytes_of(type));
}

}  // namespace

std::vector<const ComputeForm*> compute_forms(const Problem::Types& types) {
  std::vector<const ComputeForm*> forms;
  if (types.source != types.weights) return forms;
  for (const ComputeForm& form : all_compute_forms()) {
    if (form.source == types.source && form.destination == types.destination) forms.push_back(&form);
  }
  return forms;
}

cuda::DataType data_type_of(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return cuda::DataType::kF64;
    case ElementType::kF16:
      return cuda::DataType::kF16;
    case ElementType::kBf16:
      return cuda::DataType::kBf16;
    case ElementType::kF8E4M3:
      return cuda::DataType::kF8E4M3;
    case ElementType::kI8:
      return cuda::DataType::kI8;
    case ElementType::kI32:
      return cuda::DataType::kI32;
    default:
      return cuda::DataType::kF32;
  }
}

Scalar scalar_of(double value, ElementType type) {
  Scalar scalar;
  if (type == ElementType::kF64) {
    std::memcpy(scalar.bytes, &value, sizeof value);
  } else {
    const auto number = static_cast<float>(value);
    write_elements({&number, 1}, type, scalar.bytes);
  }
  return scalar;
}

DeviceProduct DeviceProduct::with_turned_weights() const {
  DeviceProduct other = *this;
  other.transposed_first = !transposed_first;
  other.first_leading = other.transposed_first ? depth : rows;
  other.are_weights_turned = !are_weights_turned;
  return other;
}

Status make_device_product(const Problem& problem, DeviceProduct* product) {
  MatrixProduct from;
  if (Status status = make_matrix_product(problem, &from); !status.ok()) return status;
  if (std::max({from.m, from.n, from.k, from.batches()}) > std::numeric_limits<int>::max()) {
    return {"a dimension exceeds 32 bits", ""};
  }
  product->rows = static_cast<int>(from.n);
  product->columns = static_cast<int>(from.m);
  product->depth = static_cast<int>(from.k);
  product->batches = static_cast<int>(from.batches());
  product->alpha = from.alpha;
  // Rows of k numbers are columns of k; so the plain weights, k rows of n, are n × k by columns.
  product->transposed_first = from.transposed_b;
  product->transposed_second = from.transposed_a;
  product->first_leading = from.transposed_b ? product->depth : product->rows;
  product->second_leading = from.transposed_a ? product->columns : product->depth;
  product->first_elements = from.b_elements;
  product->second_elements = from.a_elements;
  if (!stride_of(from.b, &product->first_stride) || !stride_of(from.a, &product->second_stride)) {
    return {"batches do not lie equally far apart", ""};
  }
  product->can_turn_weights = problem.dimensions("wei").size() == 2;
  if (Status status = take_bias(from, product); !status.ok()) return status;
  return take_post(problem, product);
}

ProductImplementation::ProductImplementation(std::shared_ptr<CudaDevice> device, const Problem& problem,
                                             DeviceProduct product, const ComputeForm& form)
    : DeviceImplementation(std::move(device)),
      problem_(problem),
      product_(std::move(product)),
      form_(form),
      alpha_(scalar_of(product_.alpha, form.scale)),
      beta_(scalar_of(product_.has_addend ? product_.beta : 0, form.scale)) {}

std::vector<size_t> ProductImplementation::device_sizes() const {
  std::vector<size_t> sizes(kProductBuffers);
  sizes[kWeightBuffer] = bytes_for(product_.first_elements, form_.operand);
  sizes[kSourceBuffer] = bytes_for(product_.second_elements, form_.operand);
  sizes[kAddendBuffer] = bytes_for(product_.addend_elements, form_.addend);
  sizes[kResultBuffer] = bytes_for(product_.result_elements(), form_.result);
  sizes[kBiasBuffer] = product_.has_bias ? bytes_for(product_.rows, form_.bias) : 0;
  sizes[kWorkspaceBuffer] = needed_workspace();
  return sizes;
}

Status ProductImplementation::fill_device(std::span<const cuda::DevicePointer> buffers) {
  const std::vector<PlainTensor> operands = make_operands(problem_);
  const PlainTensor* const source = operand_named(operands, "src");
  const PlainTensor* const weights = operand_named(operands, "wei");
  const PlainTensor* const bias = operand_named(operands, "bias");
  const PlainTensor* const addend = bias != nullptr && !product_.has_bias ? bias : operand_named(operands, "add");
  const auto has = [](const PlainTensor* operand, int64_t elements) {
    return operand != nullptr && std::cmp_equal(operand->elements(), elements);
  };
  if (!has(source, product_.second_elements) || !has(weights, product_.first_elements) ||
      (product_.has_bias && !has(bias, product_.rows)) ||
      (product_.has_addend && !has(addend, product_.addend_elements))) {
    return {"the operands are not those of the product", ""};
  }
  // Turned weights are transposed now exactly where they were not before.
  const bool was_transposed = product_.transposed_first != product_.are_weights_turned;
  const auto depth = static_cast<size_t>(product_.depth);
  const auto width = static_cast<size_t>(product_.rows);
  Status status = device().upload(product_.are_weights_turned ? turned(weights->values, was_transposed ? width : depth,
                                                                       was_transposed ? depth : width)
                                                              : weights->values,
                                  form_.operand, buffers[kWeightBuffer]);
  if (status.ok()) status = device().upload(source->values, form_.operand, buffers[kSourceBuffer]);
  if (status.ok() && product_.has_addend)
    status = device().upload(addend->values, form_.addend, buffers[kAddendBuffer]);
  if (status.ok() && product_.has_bias) status = device().upload(bias->values, form_.bias, buffers[kBiasBuffer]);
  return status;
}

Status ProductImplementation::read_device(std::span<const cuda::DevicePointer> buffers, std::vector<float>* result) {
  return device().download(buffers[kResultBuffer], static_cast<size_t>(product_.result_elements()), form_.result,
                           result);
}

Measurement product_facts(const Problem& problem, const DeviceProduct& product, const ComputeForm& form) {
  Measurement facts;
  facts.numerics = form.numerics;
  facts.math_mode = form.math_mode;
  facts.layout = product.are_weights_turned ? "weights transposed" : "plain";
  facts.dtype = problem.field("dtype");
  return facts;
}

}  // namespace xsp::bound
