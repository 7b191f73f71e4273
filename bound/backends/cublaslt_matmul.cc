#include "bound/backends/cublaslt_matmul.h"

#include <algorithm>

#include <fmt/format.h>

namespace xsp::bound {
namespace {

constexpr cuda::DevicePointer kSomeAlignedAddress = 256;

struct AlgorithmField {
  int attribute;
  const char* name;
  size_t bytes;
};
constexpr AlgorithmField kAlgorithmFields[] = {
    {cublas::kAlgorithmTile, "tile", 4},       {cublas::kAlgorithmStages, "stages", 4},
    {cublas::kAlgorithmSplitK, "split-k", 4},  {cublas::kAlgorithmReduction, "reduction", 4},
    {cublas::kAlgorithmSwizzle, "swizzle", 4}, {cublas::kAlgorithmInnerShape, "inner shape", 2},
    {cublas::kAlgorithmCluster, "cluster", 2}, {cublas::kAlgorithmCustom, "option", 4},
};

/// Only algorithms of later versions have all fields: nothing where it has none.
uint32_t field_of(const cublas::CublasLt& library, const cublas::Algorithm& algorithm, int attribute, size_t bytes) {
  uint32_t value = 0;
  size_t written = 0;
  return library.algorithm_config(&algorithm, attribute, &value, bytes, &written) == cublas::kSuccess ? value : 0;
}

int epilogue_of(const DeviceProduct& product) {
  int epilogue = product.has_bias ? cublas::kEpilogueBias : 0;
  if (product.activation == "relu") epilogue |= cublas::kEpilogueRelu;
  if (product.activation == "gelu_tanh") epilogue |= cublas::kEpilogueGelu;
  return epilogue == 0 ? cublas::kEpilogueNone : epilogue;
}

/// Frees a preference at the end of its scope.
struct HeuristicPreference {
  explicit HeuristicPreference(const cublas::CublasLt& owner) : library(owner) {}
  ~HeuristicPreference() {
    if (object != nullptr) library.destroy_preference(object);
  }
  HeuristicPreference(const HeuristicPreference&) = delete;
  HeuristicPreference& operator=(const HeuristicPreference&) = delete;

  const cublas::CublasLt& library;
  cublas::PreferenceObject* object = nullptr;
};

void* address_of(cuda::DevicePointer address) { return reinterpret_cast<void*>(address); }

}  // namespace

Status CublasLtMatmul::make(const cublas::CublasLt& library, const DeviceProduct& product, const ComputeForm& form,
                            std::unique_ptr<CublasLtMatmul>* matmul) {
  std::unique_ptr<CublasLtMatmul> made(new CublasLtMatmul(library));
  if (Status status = made->describe(product, form); !status.ok()) return status;
  *matmul = std::move(made);
  return {};
}

CublasLtMatmul::~CublasLtMatmul() {
  for (cublas::LayoutObject* const layout : {first_, second_, addend_, result_}) {
    if (layout != nullptr) library_.destroy_layout(layout);
  }
  if (matmul_ != nullptr) library_.destroy_matmul(matmul_);
}

Status CublasLtMatmul::set(int attribute, const void* value, size_t bytes) const {
  return cublas::status_of(library_.set_matmul(matmul_, attribute, value, bytes), "cublasLtMatmulDescSetAttribute");
}

Status CublasLtMatmul::make_layout(ElementType type, int rows, int columns, int leading, int batches, int64_t stride,
                                   cublas::LayoutObject** layout) {
  const cublas::Status made = library_.create_layout(layout, data_type_of(type), static_cast<uint64_t>(rows),
                                                     static_cast<uint64_t>(columns), leading);
  if (made != cublas::kSuccess) return cublas::status_of(made, "cublasLtMatrixLayoutCreate");
  if (batches == 1) return {};
  const int32_t count = batches;
  cublas::Status status = library_.set_layout(*layout, cublas::kLayoutBatchCount, &count, sizeof count);
  if (status == cublas::kSuccess) {
    status = library_.set_layout(*layout, cublas::kLayoutBatchStride, &stride, sizeof stride);
  }
  return cublas::status_of(status, "cublasLtMatrixLayoutSetAttribute");
}

Status CublasLtMatmul::describe(const DeviceProduct& product, const ComputeForm& form) {
  has_addend_ = product.has_addend;
  is_result_like_addend_ = form.addend == form.result;
  const cublas::Status made = library_.create_matmul(&matmul_, form.compute, data_type_of(form.scale));
  if (made != cublas::kSuccess) return cublas::status_of(made, "cublasLtMatmulDescCreate");
  const int32_t op_first = product.transposed_first ? 1 : 0;
  const int32_t op_second = product.transposed_second ? 1 : 0;
  const auto epilogue = static_cast<uint32_t>(epilogue_of(product));
  Status status = set(cublas::kMatmulTransposeA, &op_first, sizeof op_first);
  if (status.ok()) status = set(cublas::kMatmulTransposeB, &op_second, sizeof op_second);
  if (status.ok()) status = set(cublas::kMatmulEpilogue, &epilogue, sizeof epilogue);
  if (status.ok() && product.has_bias) {
    const auto type = static_cast<int32_t>(data_type_of(form.bias));
    if (form.bias != form.result) status = set(cublas::kMatmulBiasType, &type, sizeof type);
    // The heuristics look at its alignment.
    if (status.ok()) status = set_bias(kSomeAlignedAddress);
  }
  if (status.ok() && form.fast_accumulation) {
    const int8_t fast = 1;
    status = set(cublas::kMatmulFastAccumulation, &fast, sizeof fast);
  }
  if (!status.ok()) return status;
  // The leading dimension is the number of rows as they lie.
  const int first_columns = product.transposed_first ? product.rows : product.depth;
  const int second_columns = product.transposed_second ? product.depth : product.columns;
  status = make_layout(form.operand, product.first_leading, first_columns, product.first_leading, product.batches,
                       product.first_stride, &first_);
  if (status.ok()) {
    status = make_layout(form.operand, product.second_leading, second_columns, product.second_leading, product.batches,
                         product.second_stride, &second_);
  }
  const int64_t size = int64_t{product.rows} * product.columns;
  if (status.ok()) {
    status = make_layout(form.addend, product.rows, product.columns, product.rows, product.batches,
                         product.has_addend ? product.addend_stride : size, &addend_);
  }
  if (status.ok()) {
    status = make_layout(form.result, product.rows, product.columns, product.rows, product.batches, size, &result_);
  }
  return status;
}

Status CublasLtMatmul::algorithms(cublas::LtHandleObject* handle, uint64_t most_workspace, int most,
                                  std::vector<cublas::HeuristicResult>* found) const {
  HeuristicPreference preference(library_);
  cublas::Status status = library_.create_preference(&preference.object);
  if (status != cublas::kSuccess) return cublas::status_of(status, "cublasLtMatmulPreferenceCreate");
  status = library_.set_preference(preference.object, cublas::kPreferenceWorkspaceBytes, &most_workspace,
                                   sizeof most_workspace);
  if (status != cublas::kSuccess) return cublas::status_of(status, "cublasLtMatmulPreferenceSetAttribute");
  std::vector<cublas::HeuristicResult> results(static_cast<size_t>(most));
  int count = 0;
  status = library_.heuristic(handle, matmul_, first_, second_, addend_, result_, preference.object, most,
                              results.data(), &count);
  if (status != cublas::kSuccess) return cublas::status_of(status, "cublasLtMatmulAlgoGetHeuristic");
  results.resize(static_cast<size_t>(std::clamp(count, 0, most)));
  std::erase_if(results, [](const cublas::HeuristicResult& result) { return result.state != cublas::kSuccess; });
  *found = std::move(results);
  return {};
}

Status CublasLtMatmul::set_bias(cuda::DevicePointer address) const {
  return set(cublas::kMatmulBiasPointer, &address, sizeof address);
}

cublas::Status CublasLtMatmul::run(cublas::LtHandleObject* handle, const Scalar& alpha, const Scalar& beta,
                                   std::span<const cuda::DevicePointer> buffers, const cublas::Algorithm& algorithm,
                                   size_t workspace_bytes, cuda::Stream stream) const {
  // Without a matrix to add, beta is 0 and none is read.
  const cuda::DevicePointer unread = is_result_like_addend_ ? buffers[kResultBuffer] : 0;
  const cuda::DevicePointer addend = has_addend_ ? buffers[kAddendBuffer] : unread;
  return library_.matmul(handle, matmul_, alpha.bytes, address_of(buffers[kWeightBuffer]), first_,
                         address_of(buffers[kSourceBuffer]), second_, beta.bytes, address_of(addend), addend_,
                         address_of(buffers[kResultBuffer]), result_, &algorithm, address_of(buffers[kWorkspaceBuffer]),
                         workspace_bytes, stream);
}

std::string name_of_algorithm(const cublas::CublasLt& library, const cublas::Algorithm& algorithm) {
  std::string name = fmt::format("algorithm {}", field_of(library, algorithm, cublas::kAlgorithmId, 4));
  for (const AlgorithmField& field : kAlgorithmFields) {
    const uint32_t value = field_of(library, algorithm, field.attribute, field.bytes);
    if (value != 0) name += fmt::format(", {} {}", field.name, value);
  }
  return name;
}

}  // namespace xsp::bound
