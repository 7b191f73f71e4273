#include "import/kineto/operator_arguments.h"

#include "test/catch.h"

namespace xsp::kineto {
namespace {

std::string inputs_of(std::string_view dims, std::string_view types) {
  std::string inputs;
  append_operator_inputs(dims, types, &inputs);
  return inputs;
}

TEST_CASE("tensors have their element type and shape, other arguments an empty place", "[kineto]") {
  CHECK(inputs_of("[[4, 3, 224, 224], [768, 3, 16, 16], [768], [], [], [], []]",
                  R"(["c10::BFloat16", "float", "c10::Half", "ScalarList", "ScalarList", "", "Scalar"])") ==
        "bf16[4,3,224,224];f32[768,3,16,16];f16[768];;;;");
  CHECK(inputs_of("[]", "[]").empty());
  CHECK(inputs_of("[[8]]", R"(["long int"])") == "i64[8]");
}

TEST_CASE("a tensor without dimensions is one, a number is none", "[kineto]") {
  CHECK(inputs_of("[[], [], [], []]", R"(["double", "Double", "bool", "Bool"])") == "f64[];;bool[];");
}

TEST_CASE("lists of tensors", "[kineto]") {
  CHECK(inputs_of("[[[4, 1, 768],\n [4, 196, 768]], [], [[2]], [[]]]",
                  R"(["TensorList", "Scalar", "float", "TensorList"])") == "(?[4,1,768],?[4,196,768]);;(f32[2]);(?[])");
}

TEST_CASE("element types that are not known keep their name", "[kineto]") {
  CHECK(inputs_of("[[3], [3], []]", R"(["c10::qint8", "c10::Float8_e4m3fn", "c10::qint8"])") ==
        "c10::qint8[3];f8e4m3[3];");
  CHECK(inputs_of("[[3], [3], [3]]", R"(["a;b", "a[0]", "Scalar"])") == ";;");
}

TEST_CASE("a damaged list ends before the damage", "[kineto]") {
  CHECK(inputs_of("[[1], [2", R"(["float", "float"])") == "f32[1]");
  CHECK(inputs_of("[[1], {}, [2]]", R"(["float", "float", "float"])") == "f32[1]");
  CHECK(inputs_of("[[1], [2]]", R"(["float"])") == "f32[1]");
  CHECK(inputs_of("[[1], [2.5]]", R"(["float", "float"])") == "f32[1]");
  CHECK(inputs_of("7", R"(["float"])").empty());
  CHECK(inputs_of("[[1]]", R"([1])").empty());
  CHECK(inputs_of("[[1]]", R"(["float)").empty());
}

}  // namespace
}  // namespace xsp::kineto
