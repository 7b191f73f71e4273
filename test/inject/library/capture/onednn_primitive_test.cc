// The capture of oneDNN's primitives, with primitives that the installed oneDNN made. Structures of version 2 are given
// room, not declared: no header of it is needed.
#include <cstdlib>
#include <memory>
#include <regex>
#include <vector>

#include "test/catch.h"
#include "test/inject/library/capture/capture_stand_in.h"

extern "C" {
void xsp_capture_dnnl_primitive_execute(const xsp_call*, xsp_values*, void*, void*, int, void*);
void xsp_observe_dnnl_primitive_destroy(void*, void*);
}

namespace {

using namespace xsp::test;

constexpr const char* kVersion2[] = {"libdnnl.so.2", nullptr};
constexpr const char* kVersion3[] = {"libdnnl.so.3", nullptr};
constexpr int kCpu = 1, kF32 = 3, kAnyTag = 1, kForwardInference = 96, kDirect = 1;

constexpr int64_t kSource[] = {2, 8, 14, 14}, kWeights[] = {16, 8, 3, 3}, kBias[] = {16},
                  kDestination[] = {2, 16, 14, 14};
constexpr int64_t kOnes[] = {1, 1};

void* engine_of(void* library) {
  void* engine = nullptr;
  REQUIRE(function_of<int(void**, int, size_t)>(library, "dnnl_engine_create")(&engine, kCpu, 0) == 0);
  return engine;
}

void* with_post_op(void* library, bool version_2) {
  void *attributes = nullptr, *post_ops = nullptr;
  REQUIRE(function_of<int(void**)>(library, "dnnl_primitive_attr_create")(&attributes) == 0);
  REQUIRE(function_of<int(void**)>(library, "dnnl_post_ops_create")(&post_ops) == 0);
  if (version_2) {
    constexpr int kRelu = 0x1f;
    auto* append = function_of<int(void*, float, int, float, float)>(library, "dnnl_post_ops_append_eltwise");
    REQUIRE(append(post_ops, 1, kRelu, 0, 0) == 0);
  } else {
    constexpr int kRelu = 0x20;
    auto* append = function_of<int(void*, int, float, float)>(library, "dnnl_post_ops_append_eltwise");
    REQUIRE(append(post_ops, kRelu, 0, 0) == 0);
  }
  REQUIRE(function_of<int(void*, void*)>(library, "dnnl_primitive_attr_set_post_ops")(attributes, post_ops) == 0);
  return attributes;
}

void* primitive_of(void* library, void* descriptor) {
  void* primitive = nullptr;
  REQUIRE(function_of<int(void**, void*)>(library, "dnnl_primitive_create")(&primitive, descriptor) == 0);
  return primitive;
}

void* convolution_2(void* library) {
  const auto memory = [&](int rank, const int64_t* sizes) {
    std::vector<int64_t> room(512);
    auto* make = function_of<int(void*, int, const int64_t*, int, int)>(library, "dnnl_memory_desc_init_by_tag");
    REQUIRE(make(room.data(), rank, sizes, kF32, kAnyTag) == 0);
    return room;
  };
  auto source = memory(4, kSource), weights = memory(4, kWeights), bias = memory(1, kBias),
       result = memory(4, kDestination);
  std::vector<int64_t> operation(4096);
  auto* make =
      function_of<int(void*, int, int, void*, void*, void*, void*, const int64_t*, const int64_t*, const int64_t*)>(
          library, "dnnl_convolution_forward_desc_init");
  REQUIRE(make(operation.data(), kForwardInference, kDirect, source.data(), weights.data(), bias.data(), result.data(),
               kOnes, kOnes, kOnes) == 0);
  void* descriptor = nullptr;
  auto* describe = function_of<int(void**, void*, void*, void*, void*)>(library, "dnnl_primitive_desc_create");
  REQUIRE(describe(&descriptor, operation.data(), with_post_op(library, true), engine_of(library), nullptr) == 0);
  return primitive_of(library, descriptor);
}

void* convolution_3(void* library) {
  const auto memory = [&](int rank, const int64_t* sizes) {
    void* made = nullptr;
    auto* make = function_of<int(void**, int, const int64_t*, int, int)>(library, "dnnl_memory_desc_create_with_tag");
    REQUIRE(make(&made, rank, sizes, kF32, kAnyTag) == 0);
    return made;
  };
  void* descriptor = nullptr;
  const int64_t none[] = {0, 0};
  auto* describe = function_of<int(void**, void*, int, int, void*, void*, void*, void*, const int64_t*, const int64_t*,
                                   const int64_t*, const int64_t*, void*)>(
      library, "dnnl_convolution_forward_primitive_desc_create");
  REQUIRE(describe(&descriptor, engine_of(library), kForwardInference, kDirect, memory(4, kSource), memory(4, kWeights),
                   memory(1, kBias), memory(4, kDestination), kOnes, none, kOnes, kOnes,
                   with_post_op(library, false)) == 0);
  return primitive_of(library, descriptor);
}

std::string captured_text(const xsp_call& call, void* primitive) {
  xsp_values values{};
  char stream;
  xsp_capture_dnnl_primitive_execute(&call, &values, primitive, &stream, 4, nullptr);
  ValueReader reader(values);
  const std::string text = text_of(reader.next<uint32_t>());
  CHECK(reader.next<uint64_t>() == reinterpret_cast<uint64_t>(&stream));
  CHECK(reader.next<int32_t>() == 4);
  CHECK(reader.at_end());
  return text;
}

void check_convolution(void* library, void* primitive) {
  const xsp_call call = call_of(library);
  const std::string text = captured_text(call, primitive);
  // The library chooses the layouts: letters of the dimensions, and what blocks there are.
  const std::regex expected(
      R"(convolution forward_inference src=f32\[2,8,14,14\][a-dA-D0-9]{4,} wei=f32\[16,8,3,3\][a-dA-D0-9]{4,} )"
      R"(bia=f32\[16\]a dst=f32\[2,16,14,14\][a-dA-D0-9]{4,} alg=convolution_direct post_ops=eltwise impl=\S+)");
  INFO(text);
  CHECK(std::regex_match(text, expected));
  // Known by its address, until it is destroyed.
  const xsp_call elsewhere = call_of(nullptr);
  CHECK(captured_text(elsewhere, primitive) == text);
  xsp_observe_dnnl_primitive_destroy(nullptr, primitive);
  CHECK(captured_text(call, primitive) == text);
  xsp_observe_dnnl_primitive_destroy(nullptr, primitive);
}

TEST_CASE("a primitive of oneDNN 2 is text") {
  void* library = open_library(kVersion2);
  if (library != nullptr) check_convolution(library, convolution_2(library));
}

TEST_CASE("a primitive of oneDNN 3 is text") {
  void* library = open_library(kVersion3);
  if (library != nullptr) check_convolution(library, convolution_3(library));
}

TEST_CASE("no primitive is captured without text") { CHECK(captured_text(call_of(nullptr), nullptr).empty()); }

}  // namespace
