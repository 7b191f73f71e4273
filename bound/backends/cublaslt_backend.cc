#include "bound/backends/cublaslt_backend.h"

#include <utility>

#include "bound/backends/cublas_api.h"
#include "bound/backends/cublaslt_matmul.h"
#include "bound/backends/cuda_files.h"
#include "bound/backends/device_product.h"

namespace xsp::bound {
namespace {

/// As frameworks grant it on the devices of their time.
constexpr uint64_t kMostLtWorkspace = uint64_t{32} << 20;
/// Of one form and layout. Later ones are seldom the fastest.
constexpr int kMostLtAlgorithms = 8;

struct CublasLtOnDevice {
  cublas::CublasLt library;
  cublas::LtHandleObject* handle = nullptr;
  std::shared_ptr<CudaDevice> device;

  CublasLtOnDevice() = default;
  CublasLtOnDevice(const CublasLtOnDevice&) = delete;
  CublasLtOnDevice& operator=(const CublasLtOnDevice&) = delete;
  ~CublasLtOnDevice() {
    if (handle != nullptr) library.destroy(handle);
  }
};

/// A product and the algorithm for it.
struct LtChoice {
  Problem problem;
  DeviceProduct product;
  const ComputeForm* form = nullptr;
  std::shared_ptr<const CublasLtMatmul> matmul;  // one for all algorithms
  cublas::HeuristicResult result{};
};

class CublasLtImplementation : public ProductImplementation {
 public:
  CublasLtImplementation(std::shared_ptr<CublasLtOnDevice> lt, const LtChoice& choice)
      : ProductImplementation(lt->device, choice.problem, choice.product, *choice.form),
        lt_(std::move(lt)),
        matmul_(choice.matmul),
        algorithm_(choice.result.algorithm),
        workspace_bytes_(choice.result.workspace_bytes) {}

  uint64_t workspace_bytes() const override { return workspace_bytes_; }

 protected:
  size_t needed_workspace() const override { return workspace_bytes_; }

  Status enqueue(std::span<const cuda::DevicePointer> buffers) override {
    if (product().has_bias) {
      if (Status status = matmul_->set_bias(buffers[kBiasBuffer]); !status.ok()) return status;
    }
    const cublas::Status status =
        matmul_->run(lt_->handle, alpha(), beta(), buffers, algorithm_, workspace_bytes_, lt_->device->stream());
    return cublas::status_of(status, "cublasLtMatmul");
  }

 private:
  std::shared_ptr<CublasLtOnDevice> lt_;
  std::shared_ptr<const CublasLtMatmul> matmul_;
  cublas::Algorithm algorithm_;
  size_t workspace_bytes_;
};

class CublasLtCandidate : public Candidate {
 public:
  CublasLtCandidate(std::shared_ptr<CublasLtOnDevice> lt, LtChoice choice)
      : lt_(std::move(lt)), choice_(std::move(choice)) {}

  Measurement facts() const override {
    Measurement facts = product_facts(choice_.problem, choice_.product, *choice_.form);
    facts.implementation = name_of_algorithm(lt_->library, choice_.result.algorithm);
    return facts;
  }

  Status make(std::unique_ptr<Implementation>* implementation) override {
    auto made = std::make_unique<CublasLtImplementation>(lt_, choice_);
    if (Status status = made->start(); !status.ok()) return status;
    *implementation = std::move(made);
    return {};
  }

 private:
  std::shared_ptr<CublasLtOnDevice> lt_;
  LtChoice choice_;
};

class CublasLtBackend : public Backend {
 public:
  explicit CublasLtBackend(std::shared_ptr<CublasLtOnDevice> lt) : lt_(std::move(lt)) {
    library_ = {.backend = "cublaslt",
                .name = "cublaslt",
                .version = lt_->library.version(),
                .path = lt_->library.path(),
                .device = lt_->device->facts()};
  }

  const Library& library() const override { return library_; }
  /// The host only makes the calls.
  Status set_threads(int) override { return {}; }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    const std::optional<Problem> problem = Problem::parse(item.problem);
    if (!problem || problem->kind() != "matmul") return {"cuBLASLt computes matrix products only", ""};
    DeviceProduct product;
    if (Status status = make_device_product(*problem, &product); !status.ok()) return status;
    const std::vector<const ComputeForm*> forms = compute_forms(problem->types());
    if (forms.empty()) return {"cuBLASLt has no product of these types", ""};
    std::vector<DeviceProduct> layouts{product};
    if (product.can_turn_weights) layouts.push_back(product.with_turned_weights());
    Status refusal{"cuBLASLt has no algorithm for it", ""};
    for (const ComputeForm* const form : forms) {
      for (const DeviceProduct& layout : layouts) {
        if (Status status = add_algorithms(*problem, layout, *form, candidates); !status.ok()) refusal = status;
      }
    }
    return candidates->empty() ? refusal : Status();
  }

 private:
  Status add_algorithms(const Problem& problem, const DeviceProduct& product, const ComputeForm& form,
                        std::vector<std::unique_ptr<Candidate>>* candidates) {
    std::unique_ptr<CublasLtMatmul> made;
    if (Status status = CublasLtMatmul::make(lt_->library, product, form, &made); !status.ok()) return status;
    const std::shared_ptr<const CublasLtMatmul> matmul = std::move(made);
    std::vector<cublas::HeuristicResult> results;
    const Status status = matmul->algorithms(lt_->handle, kMostLtWorkspace, kMostLtAlgorithms, &results);
    for (const cublas::HeuristicResult& result : results) {
      candidates->push_back(
          std::make_unique<CublasLtCandidate>(lt_, LtChoice{problem, product, &form, matmul, result}));
    }
    return status;
  }

  std::shared_ptr<CublasLtOnDevice> lt_;
  Library library_;
};

}  // namespace

std::vector<std::string> cublaslt_files() { return cuda_library_files("libcublasLt", {13, 12, 11}); }

Status load_cublaslt(const std::string& path, std::unique_ptr<Backend>* backend) {
  auto lt = std::make_shared<CublasLtOnDevice>();
  if (Status status = cublas::CublasLt::open(path, &lt->library); !status.ok()) return status;
  bool is_missing = false;
  if (Status status = CudaDevice::open(&lt->device, &is_missing); !status.ok()) return status;
  if (Status status = cublas::status_of(lt->library.create(&lt->handle), "cublasLtCreate"); !status.ok()) {
    return status;
  }
  *backend = std::make_unique<CublasLtBackend>(std::move(lt));
  return {};
}

}  // namespace xsp::bound
