#include "bound/problems/problem.h"

#include <limits>

#include "test/catch.h"

namespace xsp::bound {
namespace {

constexpr const char* kConvolution =
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32";

}  // namespace

TEST_CASE("a problem is read from its text and written as the same text") {
  const auto problem = Problem::parse(kConvolution);
  REQUIRE(problem);
  CHECK(problem->kind() == "conv");
  CHECK(problem->dimensions("src") == std::vector<int64_t>{1, 64, 56, 56});
  CHECK(problem->list("pads") == std::vector<int64_t>{1, 1, 1, 1});
  CHECK(problem->integer("groups") == 1);
  CHECK(problem->has("post"));
  CHECK(problem->field("post").empty());
  CHECK_FALSE(problem->has("alpha"));
  CHECK(problem->number("alpha", 7) == 7);
  CHECK(problem->text() == kConvolution);
}

TEST_CASE("a problem that is set up field by field has the fields in that order") {
  Problem problem("conv");
  problem.set_dimensions("src", {1, 64, 56, 56})
      .set_dimensions("wei", {64, 64, 3, 3})
      .set_dimensions("strides", {1, 1});
  problem.set_list("pads", {1, 1, 1, 1}).set_dimensions("dil", {1, 1}).set_integer("groups", 1).set("bias", "0");
  problem.set("post", "").set("dtype", "f16").set("dtype", "f32");
  CHECK(problem.text() == kConvolution);
  CHECK(problem == *Problem::parse(kConvolution));
}

TEST_CASE("blanks, percent signs and control characters are escaped, in names also equal signs") {
  Problem problem("acme.A b");
  problem.set("a=b", "50% of\n\"x\"=\xC3\xA9");
  CHECK(problem.text() == "acme.A%20b a%3Db=50%25%20of%0A\"x\"=\xC3\xA9");
  const auto read = Problem::parse(problem.text());
  REQUIRE(read);
  CHECK(*read == problem);
}

TEST_CASE("texts that no problem would write are refused") {
  for (const char* text : {"", " ", "conv ", " conv", "conv  a=1", "conv a", "conv =1", "conv a=1 a=2", "conv a=%2g",
                           "conv a=%41", "conv a=%0a", "conv a=1\tb=2", "conv a=%", "conv a=%2", "co=nv"})
    CHECK_FALSE(Problem::parse(text));
}

TEST_CASE("a text of very many fields is read in time") {
  std::string text = "k";
  for (int i = 0; i < 300'000; ++i) text += " a" + std::to_string(i) + "=";
  CHECK(Problem::parse(text));
  CHECK_FALSE(Problem::parse(text + " a7="));
}

TEST_CASE("dimensions are empty for a scalar and for what is no list of dimensions") {
  for (const char* text : {"", "x", "1x", "x1", "1xx2", "1x-2", "1x2a", "99999999999999999999", "1 2"})
    CHECK(Problem("k").set("src", text).dimensions("src").empty());
  CHECK(Problem("k").set("src", "0x3").dimensions("src") == std::vector<int64_t>{0, 3});
  CHECK(Problem("k").set_list("axes", {-1, 2}).list("axes") == std::vector<int64_t>{-1, 2});
}

TEST_CASE("one element type is that of source, weights and destination") {
  CHECK(Problem("k").set("dtype", "f32").types().destination == "f32");
  const auto types = Problem("k").set("dtype", "u8:i8:i32").types();
  CHECK(types.source == "u8");
  CHECK(types.weights == "i8");
  CHECK(types.destination == "i32");
}

TEST_CASE("numbers are written as the shortest decimal of their precision") {
  CHECK(number_text(static_cast<double>(0.1F)) == "0.1");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(6) == "6");
  CHECK(number_text(-0.0) == "0");
  CHECK(number_text(static_cast<double>(1e-5F)) == "1e-05");
  CHECK(number_text(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(Problem("k").set_number("alpha", static_cast<double>(0.01F)).number("alpha") == Approx(0.01));
}

}  // namespace xsp::bound
