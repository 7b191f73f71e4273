#include "bound/backends/blas_backend.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>

#include "bound/backends/matrix_product.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// All that are found on this machine, by name and version.
const std::map<std::string, std::unique_ptr<Backend>>& loaded_blas() {
  static const auto* const loaded = [] {
    auto* const backends = new std::map<std::string, std::unique_ptr<Backend>>();
    std::vector<std::string> files = blas_files();
    if (const char* const more = getenv("XSP_TEST_BLAS")) files.emplace_back(more);
    for (const std::string& file : files) {
      std::unique_ptr<Backend> backend;
      if (!load_blas(file, &backend).ok() || backend == nullptr) continue;
      const std::string name = backend->library().name + " " + backend->library().version;
      if (backend->set_threads(1).ok()) backends->emplace(name, std::move(backend));
    }
    return backends;
  }();
  return *loaded;
}

std::vector<std::unique_ptr<Candidate>> candidates_of(Backend* backend, const std::string& problem) {
  WorkItem item;
  item.problem = problem;
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = backend->candidates(item, &candidates);
  INFO(status.error);
  REQUIRE(status.ok());
  return candidates;
}

std::string refusal_of(Backend* backend, const std::string& problem) {
  WorkItem item;
  item.problem = problem;
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Status status = backend->candidates(item, &candidates);
  REQUIRE(candidates.empty());
  return status.error;
}

/// Runs an implementation twice on fresh buffers, as the second run must not add to the first.
std::vector<float> result_of(Candidate* candidate, const Problem& problem) {
  std::unique_ptr<Implementation> implementation;
  REQUIRE(candidate->make(&implementation).ok());
  std::vector<std::unique_ptr<void, decltype(&free)>> owned;
  std::vector<void*> buffers;
  for (const size_t size : implementation->buffer_sizes()) {
    owned.emplace_back(aligned_alloc(64, (size + 63) / 64 * 64), &free);
    buffers.push_back(owned.back().get());
  }
  REQUIRE(implementation->fill(make_operands(problem), buffers).ok());
  const std::unique_ptr<BoundCall> call = implementation->bind(buffers);
  call->run();
  call->run();
  return implementation->result(buffers);
}

std::vector<std::string> names_of(const std::vector<std::unique_ptr<Candidate>>& candidates) {
  std::vector<std::string> names;
  for (const auto& candidate : candidates) names.push_back(candidate->facts().implementation);
  return names;
}

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("every BLAS computes products as they are computed plainly") {
  if (loaded_blas().empty()) WARN("no OpenBLAS, MKL or BLIS on this machine");
  const std::string text = GENERATE(as<std::string>(),  //
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=7x5 wei=7x3 ta=1 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=3x7 ta=0 tb=1 bias=0 post= dtype=f32",
                                    "matmul src=7x5 wei=3x7 ta=1 tb=1 bias=3 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=5x3 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=5x1 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=3 post= dtype=f64",
                                    "matmul src=1x7 wei=7x3 ta=0 tb=0 bias=3 post= dtype=f32",
                                    "matmul src=1x7 wei=3x7 ta=0 tb=1 bias=0 post= dtype=f32",
                                    "matmul src=5x7 wei=7x1 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=7x5 wei=7x1 ta=1 tb=0 bias=5x1 post= dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= alpha=0.5 dtype=f32",
                                    "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=3 post= alpha=0.5 beta=2 dtype=f64",
                                    "matmul src=1x7 wei=7x3 ta=0 tb=0 bias=3 post= alpha=-2 beta=0.25 dtype=f32",
                                    "matmul src=3x20x11 wei=3x11x10 ta=0 tb=0 bias=0 post= alpha=0.25 dtype=f32",
                                    "matmul src=2x3x5x7 wei=2x3x7x4 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=2x3x5x7 wei=2x3x4x7 ta=0 tb=1 bias=4 post= dtype=f32",
                                    "matmul src=2x1x5x7 wei=3x7x4 ta=0 tb=0 bias=0 post= dtype=f32",
                                    "matmul src=2x5x7 wei=2x7x4 ta=0 tb=0 bias=2x1x4 post= dtype=f64",
                                    "matmul src=3x120x110 wei=3x110x100 ta=0 tb=0 bias=100 post= dtype=f32",
                                    "matmul src=130x257 wei=257x100 ta=0 tb=0 bias=100 post= dtype=f32");
  const Problem problem = *Problem::parse(text);
  for (const auto& [name, backend] : loaded_blas()) {
    for (const auto& candidate : candidates_of(backend.get(), text)) {
      CAPTURE(text, name, candidate->facts().implementation);
      const std::vector<float> result = result_of(candidate.get(), problem);
      std::vector<size_t> positions(result.size());
      std::iota(positions.begin(), positions.end(), size_t{0});
      const std::vector<double> expected = reference_values(problem, make_operands(problem), positions);
      REQUIRE(result.size() == expected.size());
      const Tolerance tolerance = tolerance_of(problem);
      for (const size_t i : positions) {
        CAPTURE(i);
        REQUIRE(std::fabs(result[i] - expected[i]) <= tolerance.absolute + tolerance.relative * std::fabs(expected[i]));
      }
    }
  }
}

TEST_CASE("a product with a vector is tried as both, a batch as a loop of products") {
  for (const auto& [name, loaded] : loaded_blas()) {
    CAPTURE(name);
    const auto of = [&, backend = loaded.get()](const char* text) { return names_of(candidates_of(backend, text)); };
    CHECK(of("matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f32") == std::vector<std::string>{"sgemm"});
    CHECK(of("matmul src=1x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=f64") == std::vector<std::string>{"dgemm", "dgemv"});
    CHECK(contains_name(of("matmul src=2x5x7 wei=2x7x3 ta=0 tb=0 bias=0 post= dtype=f32"), "sgemm loop"));
  }
}

TEST_CASE("BLAS says what it does not compute") {
  for (const auto& [name, backend] : loaded_blas()) {
    CAPTURE(name);
    CHECK(refusal_of(backend.get(), "softmax src=5x7 axis=1 log=0 dtype=f32") == "BLAS computes matrix products only");
    CHECK(refusal_of(backend.get(), "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post=relu dtype=f32") ==
          "BLAS computes nothing on the result of a product");
    CHECK(refusal_of(backend.get(), "matmul src=5x7 wei=7x3 ta=0 tb=0 bias=0 post= dtype=u8:i8:i32") ==
          "BLAS computes in f32 and f64 only");
    CHECK(refusal_of(backend.get(), "matmul src=5x7 wei=8x3 ta=0 tb=0 bias=0 post= dtype=f32") ==
          "the operands do not fit");
    CHECK(refusal_of(backend.get(), "matmul src=5 wei=5x3 ta=0 tb=0 bias=0 post= dtype=f32") ==
          "the operands are no matrices");
  }
}

TEST_CASE("the matrices of a batch lie where broadcasting has them") {
  MatrixProduct product;
  const auto problem = Problem::parse("matmul src=2x1x5x7 wei=3x7x4 ta=0 tb=0 bias=2x1x1x4 post= dtype=f32");
  REQUIRE(make_matrix_product(*problem, &product).ok());
  CHECK(product.m == 5);
  CHECK(product.n == 4);
  CHECK(product.k == 7);
  CHECK(product.a == std::vector<int64_t>{0, 0, 0, 35, 35, 35});
  CHECK(product.b == std::vector<int64_t>{0, 28, 56, 0, 28, 56});
  CHECK(product.bias == std::vector<int64_t>{0, 0, 0, 4, 4, 4});
  CHECK(product.bias_row == 0);
}

TEST_CASE("a product of impossible size is refused before any memory is taken") {
  const auto refusal = [](const char* text) {
    MatrixProduct product;
    return make_matrix_product(*Problem::parse(text), &product).error;
  };
  CHECK(refusal("matmul src=4000000000x4000000000 wei=4000000000x1 ta=0 tb=0 bias=0 post= dtype=f32") ==
        "the operands are no matrices");
  CHECK(refusal("matmul src=1000000x1 wei=1x10000000 ta=0 tb=0 bias=0 post= dtype=f32") == "the product is too large");
  CHECK(refusal("matmul src=9000000x1x1 wei=1x1 ta=0 tb=0 bias=0 post= dtype=f32") == "the product is too large");
  CHECK(refusal("matmul src=0x5 wei=5x5 ta=0 tb=0 bias=0 post= dtype=f32") == "the operands are no matrices");
  CHECK(refusal("matmul src=5x7 wei=7x3 ta=0 tb=0 bias=4 post= dtype=f32") == "the bias does not fit the product");
}

TEST_CASE("a file that holds no BLAS is no error, one that is not there is") {
  std::unique_ptr<Backend> backend;
  CHECK(load_blas("libm.so.6", &backend).ok());
  CHECK(backend == nullptr);
  CHECK_FALSE(load_blas("/nowhere/libopenblas.so.0", &backend).ok());
}

}  // namespace xsp::bound
