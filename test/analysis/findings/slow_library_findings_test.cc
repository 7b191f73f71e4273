#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::FindingTables;
using test::word;

const std::vector<std::string> kComputingCalls = {"library", "function",  "count",       "self_ms",
                                                  "gflops",  "kernel_ms", "gflop_per_s", "file"};
const std::string kReference = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0";

/// Calls of the 11 ms steps of Tables, all of one kind.
struct Product {
  std::string function = "sgemm_";
  std::string file = kReference;
  int64_t count = 10;
  double self_ms = 10.5;
  double gflops = 0.021;  // 2 Gflop/s
  Cell kernel_ms = {};

  std::vector<Cell> row() const {
    return {word("blas"), word(function),         count_cell(static_cast<uint64_t>(count)), self_ms, gflops,
            kernel_ms,    1e3 * gflops / self_ms, file.empty() ? Cell() : word(file)};
  }
};

TEST_CASE("products by the reference BLAS are told, with its file, speed and remedy") {
  FindingTables tables;
  tables.add("C2", kComputingCalls,
             {Product{}.row(), Product{.function = "dgemm_", .self_ms = 1, .gflops = 0.012}.row()});
  const Finding* finding = tables.find("slow-library");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "sgemm_ runs at 2.0 GFLOP/s in …/blas/libblas.so.3.11.0, the reference BLAS: 95 % of the call");
  CHECK(finding->advice ==
        "apt install libopenblas0 (Debian, Ubuntu) replaces it with OpenBLAS; the program needs no change; OpenBLAS "
        "reaches at least 8 GFLOP/s on one core even without AVX, which saves at least 7.88 ms of 11.0 ms");
  CHECK(finding->value == Approx(2));
  REQUIRE(finding->gain_ms);
  CHECK(*finding->gain_ms == Approx(7.875));
  REQUIRE(finding->share_pct);
  CHECK(*finding->share_pct == Approx(100 * 10.5 / 11));
  CHECK(finding->share_of == "call");
  CHECK(finding->row == 0);
  // One cause is one finding.
  CHECK(tables.find("bottleneck-function") == nullptr);
}

TEST_CASE("of small products half of the speed is expected") {
  FindingTables tables;
  tables.add("C2", kComputingCalls, {Product{.count = 100}.row()});
  REQUIRE(tables.find("slow-library") != nullptr);
  CHECK(contains(tables.find("slow-library")->advice,
                 "at least 4 GFLOP/s on one core even without AVX, which saves at least 5.25 ms"));
}

TEST_CASE("other libraries than the reference BLAS are not told to be slow, nor calls that say little") {
  const auto is_told = [](const Product& product) {
    FindingTables tables;
    tables.add("C2", kComputingCalls, {product.row()});
    return tables.find("slow-library") != nullptr;
  };
  CHECK(is_told({}));
  for (const char* file :
       {"/usr/lib/libblas.so.3.12", "/opt/lib/librefblas.so.3", "/x/libcblas.so.3", "blas/libblas.so.3.11.0"}) {
    CHECK(is_told({.file = file}));
  }
  for (const char* file :
       {"", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3",
        "/usr/lib/x86_64-linux-gnu/atlas/libblas.so.3.10.3", "/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3",
        "/opt/intel/oneapi/mkl/2024/lib/libmkl_rt.so.2", "/env/lib/libopenblasp-r0.3.21.so", "/env/lib/libblis.so.4",
        "/a/libmine.so", "/a/libmine.so, /usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"}) {
    CHECK_FALSE(is_told({.file = file}));
  }
  // Its speed is no plain loop's, or that of single precision would be.
  CHECK_FALSE(is_told({.gflops = 0.169}));
  CHECK(is_told({.gflops = 0.167}));
  CHECK_FALSE(is_told({.function = "cblas_dgemm", .gflops = 0.085}));
  CHECK(is_told({.function = "cblas_dgemm64_", .gflops = 0.083}));
  // Vectors wait for memory, whoever multiplies them.
  CHECK_FALSE(is_told({.function = "sgemv_"}));
  CHECK_FALSE(is_told({.function = "saxpy_"}));
  // Tiny products, few calls, little time, work of a GPU.
  CHECK_FALSE(is_told({.count = 106}));
  CHECK(is_told({.count = 104}));
  CHECK_FALSE(is_told({.count = 4}));
  CHECK_FALSE(is_told({.self_ms = 9, .gflops = 0.018}));
  CHECK_FALSE(is_told({.kernel_ms = 4.0}));
}

TEST_CASE("what the reference BLAS costs a recording without steps is of all of it") {
  test::TraceBuilder builder;
  builder.add_process(10);
  auto* used = builder.packet(1)->mutable_used_library();
  used->set_library("blas");
  used->set_file("/opt/lib/libblas.so.3.12");
  constexpr int64_t kMs = 1'000'000;
  for (uint32_t i = 0; i < 10; ++i) {
    test::SpanSpec call{.begin = i * 10 * kMs, .end = (i * 10 + 4) * kMs, .id = i + 1};
    call.level = LEVEL_LIBRARY;
    call.kind = KIND_LIBRARY_CALL;
    call.name = "sgemm_";
    call.type = "blas";
    call.layout = "class=gemm type_a=R_32F type_b=R_32F type_c=R_32F m:i4 n:i4 k:i4";
    call.values = test::Values().add(int32_t{100}).add(int32_t{200}).add(int32_t{200});
    builder.add(call);
  }
  auto* end = builder.packet(1)->mutable_process_end();
  end->set_how(xsp::ProcessEnd::GOODBYE);
  end->set_end_ns(160 * kMs);
  const test::Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  std::vector<Table> tables = {analysed.table("C2")};
  const auto found = findings(*analysed.study, tables);
  const auto slow = std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.id == "slow-library"; });
  REQUIRE(slow != found.end());
  CHECK(slow->text == "sgemm_ runs at 2.0 GFLOP/s in …/lib/libblas.so.3.12, the reference BLAS: 25 % of the recording");
  CHECK(contains(slow->advice, "replace it with OpenBLAS, BLIS or MKL"));
  CHECK(*slow->gain_ms == Approx(30));
}

}  // namespace
}  // namespace xsp::analysis
