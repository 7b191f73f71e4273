// The capture of cublasLtMatmul, with descriptors that the installed cuBLASLt made. No device is needed.
#include "test/catch.h"
#include "test/inject/library/capture/capture_stand_in.h"

extern "C" {
void xsp_capture_cublasLtMatmul(const xsp_call*, xsp_values*, void*, void*, void*, void*, void*, void*, void*, void*,
                                void*, void*, void*, void*, void*, void*, size_t, void*);
uint32_t xsp_describe_cublasLtMatrixLayout_t(const xsp_call*, const void*);
}

namespace {

using namespace xsp::test;

constexpr const char* kNames[] = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13", "libcublasLt.so.12",
                                  nullptr};
constexpr int kR16F = 2, kR32F = 0, kCompute32F = 68, kEpilogueReluBias = 6;

struct Descriptors {
  void* product = nullptr;
  void *a = nullptr, *b = nullptr, *d = nullptr;
};

Descriptors make(void* library, int order) {
  Descriptors made;
  auto* create = function_of<int(void**, int, uint64_t, uint64_t, int64_t)>(library, "cublasLtMatrixLayoutCreate");
  auto* set = function_of<int(void*, int, const void*, size_t)>(library, "cublasLtMatrixLayoutSetAttribute");
  REQUIRE(create(&made.a, kR16F, 512, 1024, 512) == 0);  // transposed: k x m
  REQUIRE(create(&made.b, kR16F, 512, 256, 600) == 0);
  REQUIRE(create(&made.d, kR32F, 1024, 256, 1024) == 0);
  for (void* layout : {made.a, made.b, made.d}) {
    const int batch = 3;
    REQUIRE(set(layout, 5, &batch, sizeof batch) == 0);
    REQUIRE(set(layout, 1, &order, sizeof order) == 0);
  }
  REQUIRE(function_of<int(void**, int, int)>(library, "cublasLtMatmulDescCreate")(&made.product, kCompute32F, kR32F) ==
          0);
  auto* set_product = function_of<int(void*, int, const void*, size_t)>(library, "cublasLtMatmulDescSetAttribute");
  const int transposed = 1;
  const uint32_t epilogue = kEpilogueReluBias;
  const int8_t fast = 1;
  REQUIRE(set_product(made.product, 3, &transposed, sizeof transposed) == 0);
  REQUIRE(set_product(made.product, 7, &epilogue, sizeof epilogue) == 0);
  REQUIRE(set_product(made.product, 25, &fast, sizeof fast) == 0);
  return made;
}

TEST_CASE("cublasLtMatmul is captured through its descriptors") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  const Descriptors made = make(library, 0);
  const xsp_call call = call_of(library);
  xsp_values values{};
  void* handle = &values;
  char stream;
  xsp_capture_cublasLtMatmul(&call, &values, handle, made.product, nullptr, nullptr, made.a, nullptr, made.b, nullptr,
                             nullptr, made.d, nullptr, made.d, nullptr, nullptr, 4096, &stream);
  ValueReader reader(values);
  CHECK(reader.next<int64_t>() == 1024);  // m
  CHECK(reader.next<int64_t>() == 256);   // n
  CHECK(reader.next<int64_t>() == 512);   // k
  CHECK(reader.next<int32_t>() == 3);     // batch
  for (int type : {kR16F, kR16F, kR32F, kR32F}) CHECK(reader.next<int16_t>() == type);
  CHECK(reader.next<int8_t>() == 1);  // op_a
  CHECK(reader.next<int8_t>() == 0);  // op_b
  CHECK(reader.next<int16_t>() == kCompute32F);
  CHECK(reader.next<int16_t>() == kR32F);  // scale type
  CHECK(reader.next<int16_t>() == kEpilogueReluBias);
  for (int i = 0; i < 4; ++i) CHECK(reader.next<int8_t>() == 0);  // orders
  for (int64_t leading : {512, 600, 1024, 1024}) CHECK(reader.next<int64_t>() == leading);
  CHECK(reader.next<int8_t>() == 1);  // fast accumulation
  CHECK(reader.next<uint64_t>() == 4096);
  CHECK(reader.next<uint64_t>() == reinterpret_cast<uint64_t>(&stream));
  CHECK(reader.next<uint64_t>() == reinterpret_cast<uint64_t>(handle));
  CHECK(reader.next<uint64_t>() == 0);
  CHECK(reader.at_end());
}

TEST_CASE("a matrix layout is text") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  const Descriptors made = make(library, 1);
  const xsp_call call = call_of(library);
  CHECK(text_of(xsp_describe_cublasLtMatrixLayout_t(&call, made.b)) == "R_16F[512,256] order=ROW ld=600 batch=3");
  CHECK(xsp_describe_cublasLtMatrixLayout_t(&call, nullptr) == 0);
}

TEST_CASE("missing descriptors are captured as unknown") {
  void* library = open_library(kNames);
  if (library == nullptr) return;
  const xsp_call call = call_of(library);
  xsp_values values{};
  xsp_capture_cublasLtMatmul(&call, &values, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr);
  ValueReader reader(values);
  CHECK(reader.next<int64_t>() == 0);
  reader.next<int64_t>(), reader.next<int64_t>(), reader.next<int32_t>();
  CHECK(reader.next<int16_t>() == -1);
}

}  // namespace
