#include "bound/backends/cublas_backend.h"

#include <utility>

#include "bound/backends/cublas_api.h"
#include "bound/backends/cuda_files.h"
#include "bound/backends/device_product.h"

namespace xsp::bound {
namespace {

/// The library with its handle, which is bound to a device and its stream.
struct CublasOnDevice {
  cublas::Cublas library;
  cublas::HandleObject* handle = nullptr;
  std::shared_ptr<CudaDevice> device;

  CublasOnDevice() = default;
  CublasOnDevice(const CublasOnDevice&) = delete;
  CublasOnDevice& operator=(const CublasOnDevice&) = delete;
  ~CublasOnDevice() {
    if (handle != nullptr) library.destroy(handle);
  }
};

const char* routine_of(const DeviceProduct& product) {
  return product.batches > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx";
}

cublas::Operation operation_of(bool is_transposed) {
  return is_transposed ? cublas::Operation::kTransposed : cublas::Operation::kPlain;
}

class CublasImplementation : public ProductImplementation {
 public:
  CublasImplementation(std::shared_ptr<CublasOnDevice> cublas, const Problem& problem, const DeviceProduct& product,
                       const ComputeForm& form)
      : ProductImplementation(cublas->device, problem, product, form), cublas_(std::move(cublas)) {}

 protected:
  Status enqueue(std::span<const cuda::DevicePointer> buffers) override {
    const DeviceProduct& call = product();
    const void* const first = pointer(buffers[kWeightBuffer]);
    const void* const second = pointer(buffers[kSourceBuffer]);
    void* const result = pointer(buffers[kResultBuffer]);
    const cuda::DataType operand = data_type_of(form().operand);
    const cuda::DataType written = data_type_of(form().result);
    const cublas::Operation op_first = operation_of(call.transposed_first);
    const cublas::Operation op_second = operation_of(call.transposed_second);
    const cublas::Cublas& library = cublas_->library;
    const cublas::Status status =
        call.batches > 1
            ? library.gemm_batched(cublas_->handle, op_first, op_second, call.rows, call.columns, call.depth,
                                   alpha().bytes, first, operand, call.first_leading, call.first_stride, second,
                                   operand, call.second_leading, call.second_stride, beta().bytes, result, written,
                                   call.rows, int64_t{call.rows} * call.columns, call.batches, form().compute,
                                   cublas::kDefaultAlgorithm)
            : library.gemm(cublas_->handle, op_first, op_second, call.rows, call.columns, call.depth, alpha().bytes,
                           first, operand, call.first_leading, second, operand, call.second_leading, beta().bytes,
                           result, written, call.rows, form().compute, cublas::kDefaultAlgorithm);
    return cublas::status_of(status, routine_of(call));
  }

 private:
  static void* pointer(cuda::DevicePointer address) { return reinterpret_cast<void*>(address); }

  std::shared_ptr<CublasOnDevice> cublas_;
};

class CublasCandidate : public Candidate {
 public:
  CublasCandidate(std::shared_ptr<CublasOnDevice> cublas, const Problem& problem, DeviceProduct product,
                  const ComputeForm& form)
      : cublas_(std::move(cublas)), problem_(problem), product_(std::move(product)), form_(form) {}

  Measurement facts() const override {
    Measurement facts = product_facts(problem_, product_, form_);
    facts.implementation = routine_of(product_);
    return facts;
  }

  Status make(std::unique_ptr<Implementation>* implementation) override {
    auto made = std::make_unique<CublasImplementation>(cublas_, problem_, product_, form_);
    if (Status status = made->start(); !status.ok()) return status;
    *implementation = std::move(made);
    return {};
  }

 private:
  std::shared_ptr<CublasOnDevice> cublas_;
  Problem problem_;
  DeviceProduct product_;
  const ComputeForm& form_;
};

class CublasBackend : public Backend {
 public:
  explicit CublasBackend(std::shared_ptr<CublasOnDevice> cublas) : cublas_(std::move(cublas)) {
    library_ = {.backend = "cublas",
                .name = "cublas",
                .version = cublas_->library.version(),
                .path = cublas_->library.path(),
                .device = cublas_->device->facts()};
  }

  const Library& library() const override { return library_; }
  /// The host only makes the calls.
  Status set_threads(int) override { return {}; }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    const std::optional<Problem> problem = Problem::parse(item.problem);
    if (!problem || problem->kind() != "matmul") return {"cuBLAS computes matrix products only", ""};
    DeviceProduct product;
    if (Status status = make_device_product(*problem, &product); !status.ok()) return status;
    if (product.has_bias || product.has_addend || !product.activation.empty()) {
      return {"cuBLAS adds nothing to a product (cuBLASLt does)", ""};
    }
    for (const ComputeForm* const form : compute_forms(problem->types())) {
      if (form->only_lt) continue;
      candidates->push_back(std::make_unique<CublasCandidate>(cublas_, *problem, product, *form));
      if (!product.can_turn_weights) continue;
      candidates->push_back(std::make_unique<CublasCandidate>(cublas_, *problem, product.with_turned_weights(), *form));
    }
    if (candidates->empty()) return {"cuBLAS has no product of these types", ""};
    return {};
  }

 private:
  std::shared_ptr<CublasOnDevice> cublas_;
  Library library_;
};

}  // namespace

std::vector<std::string> cublas_files() { return cuda_library_files("libcublas", {13, 12, 11}); }

Status load_cublas(const std::string& path, std::unique_ptr<Backend>* backend) {
  auto cublas = std::make_shared<CublasOnDevice>();
  if (Status status = cublas::Cublas::open(path, &cublas->library); !status.ok()) return status;
  bool is_missing = false;
  if (Status status = CudaDevice::open(&cublas->device, &is_missing); !status.ok()) return status;
  const cublas::Cublas& library = cublas->library;
  Status status = cublas::status_of(library.create(&cublas->handle), "cublasCreate");
  if (status.ok()) {
    status = cublas::status_of(library.set_stream(cublas->handle, cublas->device->stream()), "cublasSetStream");
  }
  if (status.ok()) {
    status = cublas::status_of(library.set_math_mode(cublas->handle, cublas::kDefaultMath), "cublasSetMathMode");
  }
  if (!status.ok()) return status;
  *backend = std::make_unique<CublasBackend>(std::move(cublas));
  return {};
}

}  // namespace xsp::bound
