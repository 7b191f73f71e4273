#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "bound/backends/cublas_backend.h"
#include "bound/backends/cublaslt_backend.h"
#include "bound/backends/cublaslt_matmul.h"
#include "bound/backends/cuda_files.h"
#include "bound/problems/plain_values.h"
#include "test/bound/backends/stand_in_gpu.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// "cublas" or "cublaslt" on the stand-in device; loaded once.
Backend* stand_in_blas(const std::string& name) {
  static std::unique_ptr<Backend> cublas;
  static std::unique_ptr<Backend> cublaslt;
  load_stand_in_driver();
  std::unique_ptr<Backend>& backend = name == "cublas" ? cublas : cublaslt;
  if (backend == nullptr) {
    const Status status = name == "cublas" ? load_cublas(fake_cuda_folder() + "/libcublas.so.13", &backend)
                                           : load_cublaslt(fake_cuda_folder() + "/libcublasLt.so.13", &backend);
    INFO(status.error);
    REQUIRE(status.ok());
  }
  return backend.get();
}

std::vector<std::unique_ptr<Candidate>> device_candidates(const std::string& library, const std::string& problem) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = stand_in_blas(library)->candidates({.problem = problem}, &candidates);
  INFO(status.error);
  REQUIRE(status.ok());
  REQUIRE_FALSE(candidates.empty());
  return candidates;
}

std::string device_refusal(const std::string& library, const std::string& problem) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = stand_in_blas(library)->candidates({.problem = problem}, &candidates);
  CHECK(candidates.empty());
  return status.error;
}

std::unique_ptr<Implementation> made(Candidate* candidate) {
  std::unique_ptr<Implementation> implementation;
  const Status status = candidate->make(&implementation);
  INFO(status.error);
  REQUIRE(status.ok());
  return implementation;
}

/// "" where all values are near those that are computed plainly.
std::string difference_of(const std::vector<float>& result, const std::string& text) {
  const Problem problem = *Problem::parse(text);
  std::vector<size_t> positions(result.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  const std::vector<double> expected = reference_values(problem, make_operands(problem), positions);
  if (result.size() != expected.size() || result.empty()) return "another number of values";
  const Tolerance tolerance = tolerance_of(problem);
  for (const size_t i : positions) {
    const double value = static_cast<double>(result[i]);
    if (std::fabs(value - expected[i]) <= tolerance.absolute + tolerance.relative * std::fabs(expected[i])) continue;
    return std::to_string(value) + " instead of " + std::to_string(expected[i]) + " at " + std::to_string(i);
  }
  return {};
}

std::set<std::string> layouts_of(const std::vector<std::unique_ptr<Candidate>>& candidates) {
  std::set<std::string> layouts;
  for (const auto& candidate : candidates) layouts.insert(candidate->facts().layout);
  return layouts;
}

void check_values(const std::string& library, const std::string& text) {
  for (const auto& candidate : device_candidates(library, text)) {
    const Measurement facts = candidate->facts();
    CAPTURE(library, text, facts.implementation, facts.layout, facts.math_mode);
    CHECK(difference_of(made(candidate.get())->result({}), text) == "");
  }
}

/// The vendor's own cuBLASLt, where one is installed; null: none is.
const cublas::CublasLt* real_cublaslt() {
  static const auto* const library = []() -> cublas::CublasLt* {
    auto* const loaded = new cublas::CublasLt;
    for (const std::string& file : cuda_library_files("libcublasLt", {13, 12, 11})) {
      const bool is_stand_in = file.starts_with(fake_cuda_folder()) || file.find('/') == std::string::npos;
      if (!is_stand_in && cublas::CublasLt::open(file, loaded).ok()) return loaded;
    }
    return nullptr;
  }();
  return library;
}

/// An attribute as the library has it now.
template <typename Value, typename Object>
Value attribute_of(const char* getter, Object* object, int attribute) {
  using Get = int (*)(Object*, int, void*, size_t, size_t*);
  void* const handle = dlopen(real_cublaslt()->path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  const auto get = reinterpret_cast<Get>(dlsym(handle, getter));
  REQUIRE(get != nullptr);
  Value value{};
  size_t written = 0;
  CHECK(get(object, attribute, &value, sizeof value, &written) == 0);
  CHECK(written == sizeof value);
  return value;
}

}  // namespace

TEST_CASE("cuBLAS and cuBLASLt compute products as they are computed plainly") {
  const std::string text = GENERATE(as<std::string>(),  //
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=7x5 wei=7x3 ta=1 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=3x7 ta=0 tb=1 bias=0 post= dtype=f32",
                                    "matmul src=7x5 wei=3x7 ta=1 tb=1 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= alpha=0.5 dtype=f32",
                                    "matmul src=1x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=7x1 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=3x5x7 wei=3x7x4 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=2x3x5x7 wei=2x3x4x7 ta=0 tb=1 bias=0 post= dtype=f16",
                                    "matmul src=3x5x7 wei=7x4 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=3x7x4 ta=0 tb=0 bias=0 post= dtype=bf16",
                                    "matmul src=16x7 wei=7x8 ta=0 tb=0 bias=0 post= alpha=0.25 dtype=f64",
                                    "matmul src=16x7 wei=7x8 ta=0 tb=0 bias=0 post= dtype=tf32",
                                    "matmul src=16x7 wei=7x8 ta=0 tb=0 bias=0 post= dtype=f16",
                                    "matmul src=16x7 wei=7x8 ta=0 tb=0 bias=0 post= dtype=f16:f16:f32",
                                    "matmul src=16x7 wei=7x8 ta=0 tb=0 bias=0 post= dtype=bf16:bf16:f32",
                                    "matmul src=16x16 wei=16x8 ta=0 tb=0 bias=0 post= dtype=i8:i8:i32");
  check_values("cublas", text);
  check_values("cublaslt", text);
}

TEST_CASE("cuBLASLt computes on its products what its epilogues do") {
  const std::string text = GENERATE(as<std::string>(),  //
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=3 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=1x3 post=relu dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=5x3 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=5x3 post= alpha=0.5 beta=2 dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=3 post=gelu_tanh dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=3 post=add+relu dtype=f32",
                                    "matmul src=2x5x7 wei=2x7x3 ta=0 tb=0 bias=3 post=add dtype=f16",
                                    "matmul src=2x5x7 wei=2x7x3 ta=0 tb=0 bias=5x3 post=relu dtype=f16",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post=gelu_tanh dtype=bf16",
                                    "matmul src=16x16 wei=16x32 ta=0 tb=0 bias=32 post=relu dtype=i8");
  check_values("cublaslt", text);
  CHECK(device_refusal("cublas", text) != "");
}

TEST_CASE("bytes and FP8 are multiplied where the weights lie as the library wants them") {
  const std::string text = GENERATE(as<std::string>(),  //
                                    "matmul src=16x32 wei=32x48 ta=0 tb=0 bias=0 post= dtype=f8e4m3",
                                    "matmul src=16x32 wei=32x48 ta=0 tb=0 bias=48 post=relu dtype=f8e4m3:f8e4m3:bf16",
                                    "matmul src=16x32 wei=32x48 ta=0 tb=0 bias=0 post= dtype=f8e4m3:f8e4m3:f16",
                                    "matmul src=16x32 wei=32x48 ta=0 tb=0 bias=0 post= dtype=f8e4m3:f8e4m3:f32",
                                    "matmul src=16x32 wei=32x48 ta=0 tb=0 bias=0 post= dtype=i8");
  check_values("cublaslt", text);
  CHECK(layouts_of(device_candidates("cublaslt", text)) == std::set<std::string>{"weights transposed"});
  CHECK(device_refusal("cublas", text).starts_with("cuBLAS "));
}

TEST_CASE("weights that lie transposed by themselves are left so, and those of batches are") {
  CHECK(layouts_of(device_candidates("cublaslt", "matmul src=16x32 wei=48x32 ta=0 tb=1 bias=0 post= dtype=i8")) ==
        std::set<std::string>{"plain"});
  CHECK(layouts_of(device_candidates("cublas", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32")) ==
        std::set<std::string>{"plain", "weights transposed"});
  CHECK(layouts_of(device_candidates("cublas", "matmul src=2x5x7 wei=2x7x3 ta=0 tb=0 bias=0 post= dtype=f32")) ==
        std::set<std::string>{"plain"});
}

TEST_CASE("a candidate's facts are what the library says of its algorithm") {
  const auto candidates = device_candidates("cublaslt", "matmul src=5x7 wei=3x7 ta=0 tb=1 bias=0 post= dtype=tf32");
  const Measurement first = candidates[0]->facts();
  CHECK(first.implementation == "algorithm 21, tile 15, split-k 1");
  CHECK(candidates[1]->facts().implementation == "algorithm 22, tile 16, stages 1, split-k 1");
  CHECK(first.numerics == Numerics::kReduced);
  CHECK(first.math_mode == "tf32");
  CHECK(first.dtype == "tf32");
  CHECK(made(candidates[1].get())->workspace_bytes() == 256);

  const auto exact = device_candidates("cublas", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32");
  CHECK(exact[0]->facts().implementation == "cublasGemmEx");
  CHECK(exact[0]->facts().numerics == Numerics::kExact);
  CHECK(exact[0]->facts().math_mode == "");
  CHECK(device_candidates("cublas", "matmul src=2x5x7 wei=2x7x3 ta=0 tb=0 bias=0 post= dtype=f32")[0]
            ->facts()
            .implementation == "cublasGemmStridedBatchedEx");

  // Sums in f16 are no f16 product as everybody understands it.
  const auto half = device_candidates("cublas", "matmul src=5x7 wei=3x7 ta=0 tb=1 bias=0 post= dtype=f16");
  REQUIRE(half.size() == 4);
  CHECK(half[0]->facts().numerics == Numerics::kExact);
  CHECK(std::ranges::count_if(half, [](const auto& one) { return one->facts().math_mode == "f16 sums"; }) == 2);
}

TEST_CASE("what a product's call cannot compute is refused by its name") {
  CHECK(device_refusal("cublaslt", "eltwise alg=relu src=8 alpha=0 beta=0 dtype=f32") ==
        "cuBLASLt computes matrix products only");
  CHECK(device_refusal("cublas", "conv src=1x1x4x4 wei=1x1x3x3 dtype=f32") == "cuBLAS computes matrix products only");
  CHECK(device_refusal("cublaslt", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post=tanh dtype=f32") ==
        "the library cannot compute tanh at this place of post=tanh");
  CHECK(device_refusal("cublaslt", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post=relu+add dtype=f32") ==
        "the library cannot compute add at this place of post=relu+add");
  // Its GELU is the one of tanh.
  CHECK(device_refusal("cublaslt", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post=gelu_erf dtype=f32") ==
        "the library cannot compute gelu_erf at this place of post=gelu_erf");
  CHECK(device_refusal("cublaslt", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=5x1 post= dtype=f32") ==
        "a bias that is neither a vector nor a matrix like the result");
  CHECK(device_refusal("cublas", "matmul src=2x1x5x7 wei=1x3x7x4 ta=0 tb=0 bias=0 post= dtype=f32") ==
        "batches do not lie equally far apart");
  CHECK(device_refusal("cublaslt", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32:i8:f32") ==
        "cuBLASLt has no product of these types");
  CHECK(device_refusal("cublaslt", "matmul src=16x31 wei=31x48 ta=0 tb=0 bias=0 post= dtype=f8e4m3") ==
        "cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_CASE("times of a device are those of its kernels, whatever the host needs to call them") {
  const SetVariable kernels("FAKE_CUDA_KERNELS", "sm90_xmma_gemm=25us,splitKreduce=5us");
  const auto one =
      made(device_candidates("cublaslt", "matmul src=4x8 wei=8x4 ta=0 tb=0 bias=0 post= dtype=f32")[0].get());
  const std::optional<std::vector<float>> hot = one->own_samples(5e6);
  REQUIRE(hot);
  REQUIRE(hot->size() >= 5);
  CHECK(*std::min_element(hot->begin(), hot->end()) == Approx(25000).epsilon(0.01));
  const std::optional<std::vector<float>> cold = one->own_cold_samples(5e6);
  REQUIRE(cold);
  CHECK(*std::min_element(cold->begin(), cold->end()) == Approx(25000).epsilon(0.01));
  // Two kernels of one call are one time.
  const auto two =
      made(device_candidates("cublaslt", "matmul src=4x4096 wei=4096x4 ta=0 tb=0 bias=0 post= dtype=f32")[0].get());
  const std::optional<std::vector<float>> both = two->own_samples(5e6);
  REQUIRE(both);
  CHECK(*std::min_element(both->begin(), both->end()) == Approx(30000).epsilon(0.01));
  CHECK(two->failure().ok());
}

TEST_CASE("what a device has no memory for is told as that, and leaves it usable") {
  const auto candidates =
      device_candidates("cublas", "matmul src=200000x200000 wei=200000x8 ta=0 tb=0 bias=0 post= dtype=f32");
  std::unique_ptr<Implementation> implementation;
  const Status status = candidates[0]->make(&implementation);
  CHECK(status.error == "not enough memory on the device");
  check_values("cublas", "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32");
}

TEST_CASE("the vendor's cuBLASLt takes products for what they are, without a device") {
  if (real_cublaslt() == nullptr) {
    WARN("no cuBLASLt of NVIDIA's on this machine");
    return;
  }
  const Problem problem = *Problem::parse("matmul src=3x5x7 wei=3x7x4 ta=0 tb=0 bias=4 post=relu dtype=f16");
  DeviceProduct product;
  REQUIRE(make_device_product(problem, &product).ok());
  std::unique_ptr<CublasLtMatmul> matmul;
  const Status status = CublasLtMatmul::make(*real_cublaslt(), product, *compute_forms(problem.types())[0], &matmul);
  INFO(status.error);
  REQUIRE(status.ok());
  constexpr const char* kOfMatmul = "cublasLtMatmulDescGetAttribute";
  constexpr const char* kOfLayout = "cublasLtMatrixLayoutGetAttribute";
  CHECK(attribute_of<int32_t>(kOfMatmul, matmul->descriptor(), 0) == 68);  // CUBLAS_COMPUTE_32F
  CHECK(attribute_of<int32_t>(kOfMatmul, matmul->descriptor(), 1) == 0);   // alpha and beta are f32
  CHECK(attribute_of<int32_t>(kOfMatmul, matmul->descriptor(), cublas::kMatmulTransposeA) == 0);
  CHECK(attribute_of<int32_t>(kOfMatmul, matmul->descriptor(), cublas::kMatmulEpilogue) == 6);  // RELU_BIAS
  // By columns the weights are 4 x 7, the result is 4 x 5.
  CHECK(attribute_of<int32_t>(kOfLayout, matmul->first_layout(), 0) == 2);   // CUDA_R_16F
  CHECK(attribute_of<uint64_t>(kOfLayout, matmul->first_layout(), 2) == 4);  // rows
  CHECK(attribute_of<uint64_t>(kOfLayout, matmul->first_layout(), 3) == 7);  // columns
  CHECK(attribute_of<int64_t>(kOfLayout, matmul->first_layout(), 4) == 4);   // between columns
  CHECK(attribute_of<int32_t>(kOfLayout, matmul->result_layout(), cublas::kLayoutBatchCount) == 3);
  CHECK(attribute_of<int64_t>(kOfLayout, matmul->result_layout(), cublas::kLayoutBatchStride) == 20);
  CHECK(attribute_of<uint64_t>(kOfLayout, matmul->result_layout(), 3) == 5);

  // All other forms are taken, too: fast sums, a bias of another type.
  for (const char* const types : {"tf32", "f64", "bf16", "f8e4m3", "f8e4m3:f8e4m3:f32", "i8", "i8:i8:i32"}) {
    const Problem other =
        *Problem::parse(std::string("matmul src=16x32 wei=32x48 ta=0 tb=0 bias=48 post= dtype=") + types);
    DeviceProduct plain;
    REQUIRE(make_device_product(other, &plain).ok());
    for (const ComputeForm* const form : compute_forms(other.types())) {
      CAPTURE(types, form->math_mode);
      const Status made = CublasLtMatmul::make(*real_cublaslt(), plain.with_turned_weights(), *form, &matmul);
      CHECK(made.error == "");
      CHECK(attribute_of<int8_t>(kOfMatmul, matmul->descriptor(), cublas::kMatmulFastAccumulation) ==
            (form->fast_accumulation ? 1 : 0));
      CHECK(attribute_of<int32_t>(kOfMatmul, matmul->descriptor(), cublas::kMatmulTransposeA) == 1);
    }
  }
}

TEST_CASE("a library of a GPU knows on which one it computes") {
  const Library& library = stand_in_blas("cublaslt")->library();
  CHECK(library.name == "cublaslt");
  CHECK(library.version == "13.0.0");
  REQUIRE(library.device);
  CHECK(library.device->key() == "Stand-in GPU 0, sm_90, 132 multiprocessors, 80 GiB");
  CHECK(library.device->is_gpu());
  CHECK(library.device->cache_bytes == 50u << 20);
  CHECK(library.device->driver.starts_with("CUDA 13.0"));
  CHECK(library.device->clocks == "1.98 GHz, memory 2.62 GHz");
}

}  // namespace xsp::bound
