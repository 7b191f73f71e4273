#include "bound/backends/blas_backend.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "bound/backends/blas_library.h"
#include "bound/backends/matrix_product.h"
#include "bound/backends/python_folders.h"

namespace xsp::bound {
namespace {

enum class BlasRoutine { kGemm, kGemv, kGemmBatch, kGemmLoop };

constexpr const char* kRoutineNames[] = {"gemm", "gemv", "gemm_batch", "gemm loop"};

constexpr int kRowMajor = 101;  // of CBLAS
constexpr int kPlain = 111;
constexpr int kTransposed = 112;

/// Buffers of an implementation, in this order; the last one only with a bias.
enum BlasBuffer : size_t { kBufferA, kBufferB, kBufferC, kBufferBias };

/// One product on given buffers. Fortran's matrices lie by columns: what lies by rows is its transposed matrix, and
/// (a·b)ᵀ = bᵀ·aᵀ, so that the operands change places and nothing is copied.
template <typename Real>
class BlasCall : public BoundCall {
 public:
  BlasCall(const MatrixProduct& product, const BlasFunctions& functions, BlasRoutine routine,
           std::span<void* const> buffers)
      : product_(product),
        functions_(functions),
        routine_(routine),
        alpha_(static_cast<Real>(product.alpha)),
        beta_(product.bias.empty() ? 0 : static_cast<Real>(product.beta)) {
    const auto* const a = static_cast<const Real*>(buffers[kBufferA]);
    const auto* const b = static_cast<const Real*>(buffers[kBufferB]);
    auto* const c = static_cast<Real*>(buffers[kBufferC]);
    for (size_t i = 0; i < product.a.size(); ++i) {
      a_.push_back(a + product.a[i]);
      b_.push_back(b + product.b[i]);
      c_.push_back(c + static_cast<int64_t>(i) * product.m * product.n);
      if (!product.bias.empty()) bias_.push_back(static_cast<const Real*>(buffers[kBufferBias]) + product.bias[i]);
    }
    lda_ = product.transposed_a ? product.m : product.k;
    ldb_ = product.transposed_b ? product.k : product.n;
  }

  void run() override {
    if (!bias_.empty()) preset();
    switch (routine_) {
      case BlasRoutine::kGemm:
      case BlasRoutine::kGemmLoop:
        for (size_t i = 0; i < a_.size(); ++i) multiply(i);
        break;
      case BlasRoutine::kGemv:
        multiply_vector();
        break;
      case BlasRoutine::kGemmBatch:
        multiply_all();
        break;
    }
  }

 private:
  /// BLAS adds to what is there.
  void preset() {
    const size_t n = static_cast<size_t>(product_.n);
    for (size_t i = 0; i < c_.size(); ++i) {
      const Real* bias = static_cast<const Real*>(bias_[i]);
      Real* row = static_cast<Real*>(c_[i]);
      for (int64_t m = 0; m < product_.m; ++m, row += n, bias += product_.bias_row) {
        if (product_.bias_is_single) {
          std::fill_n(row, n, *bias);
        } else {
          memcpy(row, bias, n * sizeof(Real));
        }
      }
    }
  }

  void multiply(size_t i) {
    functions_.gemm(product_.transposed_b ? "T" : "N", product_.transposed_a ? "T" : "N", &product_.n, &product_.m,
                    &product_.k, &alpha_, b_[i], &ldb_, a_[i], &lda_, &beta_, c_[i], &product_.n);
  }

  void multiply_vector() {
    if (product_.n == 1) {
      // By columns the matrix a is k×m, or m×k where it is stored transposed.
      const bool stored = product_.transposed_a;
      functions_.gemv(stored ? "N" : "T", stored ? &product_.m : &product_.k, stored ? &product_.k : &product_.m,
                      &alpha_, a_[0], &lda_, b_[0], &kStep, &beta_, c_[0], &kStep);
    } else {
      const bool stored = product_.transposed_b;
      functions_.gemv(stored ? "T" : "N", stored ? &product_.k : &product_.n, stored ? &product_.n : &product_.k,
                      &alpha_, b_[0], &ldb_, a_[0], &kStep, &beta_, c_[0], &kStep);
    }
  }

  void multiply_all() {
    const int transpose_a = product_.transposed_a ? kTransposed : kPlain;
    const int transpose_b = product_.transposed_b ? kTransposed : kPlain;
    const int64_t size = product_.batches();
    functions_.gemm_batch(kRowMajor, &transpose_a, &transpose_b, &product_.m, &product_.n, &product_.k, &alpha_,
                          a_.data(), &lda_, b_.data(), &ldb_, &beta_, c_.data(), &product_.n, 1, &size);
  }

  static constexpr int64_t kStep = 1;

  const MatrixProduct& product_;
  const BlasFunctions& functions_;
  BlasRoutine routine_;
  Real alpha_;
  Real beta_;
  int64_t lda_ = 0;
  int64_t ldb_ = 0;
  std::vector<const void*> a_;
  std::vector<const void*> b_;
  std::vector<void*> c_;
  std::vector<const void*> bias_;
};

template <typename Real>
class BlasImplementation : public Implementation {
 public:
  BlasImplementation(MatrixProduct product, const BlasFunctions& functions, BlasRoutine routine)
      : product_(std::move(product)), functions_(functions), routine_(routine) {}

  std::vector<size_t> buffer_sizes() const override {
    std::vector<size_t> sizes;
    for (const int64_t elements : {product_.a_elements, product_.b_elements, product_.result_elements()}) {
      sizes.push_back(static_cast<size_t>(elements) * sizeof(Real));
    }
    if (!product_.bias.empty()) sizes.push_back(static_cast<size_t>(product_.bias_elements) * sizeof(Real));
    return sizes;
  }

  Status fill(const std::vector<PlainTensor>& operands, std::span<void* const> buffers) override {
    constexpr size_t kPlaces[] = {kBufferA, kBufferB, kBufferBias};
    const int64_t elements[] = {product_.a_elements, product_.b_elements, product_.bias_elements};
    const size_t wanted = product_.bias.empty() ? 2 : 3;
    if (operands.size() != wanted) return {"the operands are not those of the product", ""};
    for (size_t i = 0; i < wanted; ++i) {
      if (std::cmp_not_equal(operands[i].elements(), elements[i])) return {"an operand has another size", ""};
      std::copy(operands[i].values.begin(), operands[i].values.end(), static_cast<Real*>(buffers[kPlaces[i]]));
    }
    return {};
  }

  std::unique_ptr<BoundCall> bind(std::span<void* const> buffers) override {
    return std::make_unique<BlasCall<Real>>(product_, functions_, routine_, buffers);
  }

  std::vector<float> result(std::span<void* const> buffers) override {
    const auto* const c = static_cast<const Real*>(buffers[kBufferC]);
    return std::vector<float>(c, c + product_.result_elements());
  }

 private:
  MatrixProduct product_;
  const BlasFunctions& functions_;
  BlasRoutine routine_;
};

class BlasCandidate : public Candidate {
 public:
  BlasCandidate(MatrixProduct product, const BlasFunctions& functions, BlasRoutine routine, bool is_double)
      : product_(std::move(product)), functions_(functions), routine_(routine), is_double_(is_double) {}

  Measurement facts() const override {
    Measurement facts;
    facts.implementation = (is_double_ ? "d" : "s") + std::string(kRoutineNames[static_cast<size_t>(routine_)]);
    facts.layout = "plain";
    facts.dtype = is_double_ ? "f64" : "f32";
    return facts;
  }

  Status make(std::unique_ptr<Implementation>* implementation) override {
    if (is_double_) {
      *implementation = std::make_unique<BlasImplementation<double>>(product_, functions_, routine_);
    } else {
      *implementation = std::make_unique<BlasImplementation<float>>(product_, functions_, routine_);
    }
    return {};
  }

 private:
  MatrixProduct product_;
  const BlasFunctions& functions_;
  BlasRoutine routine_;
  bool is_double_;
};

class BlasBackend : public Backend {
 public:
  explicit BlasBackend(BlasLibrary library) : library_(std::move(library)) {}

  const Library& library() const override { return library_.facts(); }

  Status set_threads(int threads) override {
    library_.set_threads(threads);
    return {};
  }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    const std::optional<Problem> problem = Problem::parse(item.problem);
    if (!problem || problem->kind() != "matmul") return {"BLAS computes matrix products only", ""};
    if (!problem->field("post").empty()) return {"BLAS computes nothing on the result of a product", ""};
    const Problem::Types types = problem->types();
    const bool is_double = types.source == "f64";
    if (types.source != types.weights || types.source != types.destination || (!is_double && types.source != "f32")) {
      return {"BLAS computes in f32 and f64 only", ""};
    }
    MatrixProduct product;
    if (Status status = make_matrix_product(*problem, &product); !status.ok()) return status;
    if (!library_.has_wide_integers() &&
        std::max({product.m, product.n, product.k}) > std::numeric_limits<int>::max()) {
      return {"a dimension exceeds the library's 32-bit integers", ""};
    }
    const BlasFunctions& functions = is_double ? library_.double_precision() : library_.single_precision();
    if (functions.gemm == nullptr) return {"the library has no such product", ""};
    const auto add = [&](BlasRoutine routine) {
      candidates->push_back(std::make_unique<BlasCandidate>(product, functions, routine, is_double));
    };
    if (product.batches() > 1) {
      if (functions.gemm_batch != nullptr && library_.can_batch(product.m, product.n, product.k)) {
        add(BlasRoutine::kGemmBatch);
      }
      add(BlasRoutine::kGemmLoop);
    } else {
      add(BlasRoutine::kGemm);
      if (functions.gemv != nullptr && (product.m == 1 || product.n == 1)) add(BlasRoutine::kGemv);
    }
    return {};
  }

 private:
  BlasLibrary library_;
};

/// Where wheels, below a folder of packages, put a BLAS.
constexpr struct {
  const char* folder;
  const char* pattern;
} kWheelPlaces[] = {
    {"torch/lib", "libtorch_cpu.so"},    {"torch/lib", "libopenblas*.so*"},   {"torch.libs", "libopenblas*.so*"},
    {"numpy.libs", "lib*openblas*.so*"}, {"numpy/.libs", "libopenblas*.so*"}, {"scipy.libs", "lib*openblas*.so*"},
};

/// What packages of Python that hold plain libraries, and those of conda, put below the prefix.
constexpr const char* kPrefixPatterns[] = {"libmkl_rt.so.*", "libopenblas.so.0", "libblis.so.*"};

constexpr const char* kSystemNames[] = {"libopenblas.so.0", "libopenblas64.so.0", "libmkl_rt.so.3", "libmkl_rt.so.2",
                                        "libmkl_rt.so.1",   "libmkl_rt.so",       "libblis.so.4",   "libblas.so.3"};

}  // namespace

std::vector<std::string> blas_files() {
  std::vector<std::string> files;
  const auto add = [&](const std::string& folder, const char* pattern) {
    for (std::string& file : files_like(folder, pattern)) files.push_back(std::move(file));
  };
  for (const std::string& packages : python_folders()) {
    for (const auto& place : kWheelPlaces) add(packages + "/" + place.folder, place.pattern);
  }
  for (const std::string& folder : python_library_folders()) {
    for (const char* pattern : kPrefixPatterns) add(folder, pattern);
  }
  files.insert(files.end(), std::begin(kSystemNames), std::end(kSystemNames));
  return files;
}

Status load_blas(const std::string& path, std::unique_ptr<Backend>* backend) {
  BlasLibrary library;
  bool is_known = false;
  if (Status status = BlasLibrary::open(path, &library, &is_known); !status.ok()) return status;
  if (is_known) *backend = std::make_unique<BlasBackend>(std::move(library));
  return {};
}

}  // namespace xsp::bound
