#include "bound/model/precision_problem.h"

#include <algorithm>

#include "bound/problems/plain_values.h"
#include "bound/problems/problem.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

constexpr const char* kFloatConvolution =
    "conv src=1x8x9x9 wei=16x8x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=f32";

}  // namespace

TEST_CASE("a precision has a way, or several, to write a problem") {
  const PrecisionProblem half = in_precision(kFloatConvolution, "bf16");
  CHECK(half.role == PrecisionRole::kComputes);
  REQUIRE(half.problems.size() == 1);
  CHECK(half.problems[0] ==
        "conv src=1x8x9x9 wei=16x8x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=bf16");
  const PrecisionProblem bytes = in_precision(kFloatConvolution, "int8");
  REQUIRE(bytes.problems.size() == 2);
  CHECK(Problem::parse(bytes.problems[0])->field("dtype") == "u8:i8:u8");
  CHECK(Problem::parse(bytes.problems[1])->field("dtype") == "i8");
  // A factor stands before the type.
  CHECK(in_precision("matmul src=2x3 wei=3x4 ta=0 tb=0 bias=0 post= alpha=0.5 dtype=f32", "fp8").problems[0] ==
        "matmul src=2x3 wei=3x4 ta=0 tb=0 bias=0 post= alpha=0.5 dtype=f8e4m3");
}

TEST_CASE("what follows in a precision is as wide as its values") {
  const std::string pooling = "maxpool src=1x8x9x9 kernel=3x3 strides=1x1 pads=1,1,1,1 dil=1x1 dtype=f32";
  const PrecisionProblem bytes = in_precision(pooling, "int8");
  CHECK(bytes.role == PrecisionRole::kFollows);
  REQUIRE(bytes.problems.size() == 2);
  CHECK(Problem::parse(bytes.problems[0])->field("dtype") == "u8");
  CHECK(in_precision(pooling, "f16").role == PrecisionRole::kFollows);
  CHECK(in_precision(pooling, "tf32").role == PrecisionRole::kStays);
  CHECK(in_precision(pooling, "fp8").problems.empty());
}

TEST_CASE("functions that bytes do not hold stay in f32") {
  const std::string sum = "binary alg=add src0=4x8 src1=8 post=";
  CHECK(in_precision(sum + "relu dtype=f32", "int8").role == PrecisionRole::kFollows);
  CHECK(in_precision(sum + "gelu_erf dtype=f32", "int8").role == PrecisionRole::kStays);
  CHECK(in_precision("softmax src=4x8 axis=1 log=0 dtype=f32", "int8").role == PrecisionRole::kStays);
  CHECK(in_precision("eltwise alg=tanh src=4x8 alpha=0 beta=0 dtype=f32", "int8").role == PrecisionRole::kStays);
  // A product has wide sums before it writes bytes.
  CHECK(in_precision("matmul src=4x8 wei=8x8 ta=0 tb=0 bias=0 post=gelu_erf dtype=f32", "int8").role ==
        PrecisionRole::kComputes);
}

TEST_CASE("what is not of f32, of no known kind or of no known precision stays") {
  for (const char* problem :
       {"conv src=1x8x9x9 wei=16x8x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post= "
        "dtype=u8:i8:u8",
        "matmul src=2x3 wei=3x4 ta=0 tb=0 bias=0 post= dtype=f16",
        "matmul src=2x3 wei=3x4 ta=0 tb=0 bias=0 post= dtype=f32:i8:f32",
        "Gather in=f32[30522,768];i64[1,128] out=f32[1,128,768] axis=0", "cast src=4 from=i64 to=f32", ""}) {
    INFO(problem);
    CHECK(in_precision(problem, "bf16").role == PrecisionRole::kStays);
    CHECK(in_precision(problem, "bf16").problems.empty());
  }
  CHECK(in_precision(kFloatConvolution, "f12").problems.empty());
}

TEST_CASE("every precision's problems and casts have operands and values to compare with") {
  for (const std::string& precision : precision_names()) {
    std::vector<std::string> problems =
        in_precision("matmul src=2x3 wei=3x4 ta=0 tb=0 bias=4 post= dtype=f32", precision).problems;
    for (const auto& casts : {casts_into(precision, 6), casts_out_of(precision, 6)})
      problems.insert(problems.end(), casts.begin(), casts.end());
    CHECK(problems.size() >= 1);
    for (const std::string& text : problems) {
      INFO(precision << ": " << text);
      const auto problem = Problem::parse(text);
      REQUIRE(problem.has_value());
      CHECK(problem->text() == text);
      const std::vector<PlainTensor> operands = make_operands(*problem);
      REQUIRE_FALSE(operands.empty());
      CHECK(reference_values(*problem, operands, {0, 5}).size() == 2);
    }
  }
}

TEST_CASE("casts go into and out of the type of values, of tf32 there are none") {
  CHECK(casts_into("bf16", 6) == std::vector<std::string>{"cast src=6 from=f32 to=bf16"});
  CHECK(casts_out_of("fp8", 6) == std::vector<std::string>{"cast src=6 from=f8e4m3 to=f32"});
  CHECK(casts_into("int8", 6) == std::vector<std::string>{"cast src=6 from=f32 to=u8", "cast src=6 from=f32 to=i8"});
  CHECK(casts_into("tf32", 6).empty());
  CHECK_FALSE(changes_values("tf32"));
}

}  // namespace xsp::bound
