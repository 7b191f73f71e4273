#include "inject/bench/sweep_parameter.h"

#include "test/catch.h"
#include "test/contains.h"

using xsp::bench::check_parameters;
using xsp::bench::parse_scan;
using xsp::bench::parse_value_list;
using xsp::bench::sweep_points;
using xsp::bench::SweepParameter;

namespace {

using Words = std::vector<std::string>;

Words values(const std::string& list) {
  SweepParameter parameter;
  const auto status = parse_value_list("batch", list, &parameter);
  INFO(list << ": " << status.error);
  CHECK(status.ok());
  return parameter.values;
}

/// What is said of a list that is refused.
std::string refusal(const std::string& list, const std::string& name = "batch") {
  SweepParameter parameter;
  const auto status = parse_value_list(name, list, &parameter);
  return status.error;
}

Words scanned(const std::string& first, const std::string& last, const std::string& step) {
  SweepParameter parameter;
  const auto status = parse_scan("n", first, last, step, &parameter);
  return status.ok() ? parameter.values : Words{"refused: " + status.error};
}

}  // namespace

TEST_CASE("values are separated by commas and kept as they are written") {
  CHECK(values("1,2,4,8") == Words{"1", "2", "4", "8"});
  CHECK(values("fp16,fp32") == Words{"fp16", "fp32"});
  CHECK(values("a b, c") == Words{"a b", " c"});
  CHECK(values("016") == Words{"016"});
}

TEST_CASE("commas and backslashes are escaped as in hyperfine") {
  CHECK(values(R"(hello\, world,x)") == Words{"hello, world", "x"});
  CHECK(values(R"(\\\,)") == Words{R"(\,)"});
  CHECK(values(R"(\n)") == Words{R"(\n)"});
  CHECK(values(R"(a\)") == Words{R"(a\)"});
}

TEST_CASE("dots continue a geometric progression") {
  CHECK(values("1,2,4,…,256") == Words{"1", "2", "4", "8", "16", "32", "64", "128", "256"});
  CHECK(values("1,2,4,...,16") == Words{"1", "2", "4", "8", "16"});
  CHECK(values("256,128,...,32") == Words{"256", "128", "64", "32"});
  CHECK(values("1,10,100,...,1000") == Words{"1", "10", "100", "1000"});
  CHECK(values("8,4,2,...,0.5") == Words{"8", "4", "2", "1", "0.5"});
}

TEST_CASE("dots continue an arithmetic progression") {
  CHECK(values("10,20,...,60") == Words{"10", "20", "30", "40", "50", "60"});
  CHECK(values("3,2,...,-1") == Words{"3", "2", "1", "0", "-1"});
  CHECK(values("0.5,1.0,...,2.5") == Words{"0.5", "1.0", "1.5", "2.0", "2.5"});
  CHECK(values("0,8,...,24") == Words{"0", "8", "16", "24"});
}

TEST_CASE("a list may go on behind a progression") {
  CHECK(values("1,2,3,...,5,100") == Words{"1", "2", "3", "4", "5", "100"});
  CHECK(values("1,2,4,...,16,32,64,...,128") == Words{"1", "2", "4", "8", "16", "32", "64", "128"});
}

TEST_CASE("dots that could mean two progressions, or none, are refused") {
  CHECK(xsp::test::contains(refusal("1,2,...,256"), "by adding or by multiplying"));
  CHECK(xsp::test::contains(refusal("1,10,...,1000"), "by adding or by multiplying"));
  CHECK(xsp::test::contains(refusal("1,2,4,...,100"), "do not lead to 100"));
  CHECK(xsp::test::contains(refusal("1,2,4,7,...,100"), "no common difference"));
  CHECK(xsp::test::contains(refusal("1,...,8"), "two values before"));
  CHECK(xsp::test::contains(refusal("...,8"), "two values before"));
  CHECK(xsp::test::contains(refusal("1,2,4,..."), "no value behind the dots"));
  CHECK(xsp::test::contains(refusal("1,2,4,...,...,64"), "no value behind the dots"));
  CHECK(xsp::test::contains(refusal("a,b,...,z"), "\"a\" is none"));
  CHECK(xsp::test::contains(refusal("1,2,4,...,1e3"), "\"1e3\" is none"));
  CHECK(xsp::test::contains(refusal("1,1,...,1"), "no common difference"));
  CHECK(xsp::test::contains(refusal("8,4,...,16"), "do not lead to 16"));
  CHECK(xsp::test::contains(refusal("1,2,3,...,900000000"), "do not lead"));
}

TEST_CASE("empty values, values that are there twice and strange names are refused") {
  CHECK(xsp::test::contains(refusal(""), "an empty value"));
  CHECK(xsp::test::contains(refusal("1,2,"), "an empty value"));
  CHECK(xsp::test::contains(refusal("1,2,1"), "1 is there twice"));
  CHECK(xsp::test::contains(refusal("1", ""), "no name"));
  CHECK(xsp::test::contains(refusal("1", "-r"), "no name"));
  CHECK(xsp::test::contains(refusal("1", "{batch}"), "no name"));
}

TEST_CASE("a scan goes from the first value to the last in steps") {
  CHECK(scanned("1", "4", "") == Words{"1", "2", "3", "4"});
  CHECK(scanned("1", "7", "3") == Words{"1", "4", "7"});
  CHECK(scanned("1", "6", "3") == Words{"1", "4"});
  CHECK(scanned("0.3", "0.7", "0.2") == Words{"0.3", "0.5", "0.7"});
  CHECK(scanned("-2", "0", "") == Words{"-2", "-1", "0"});
}

TEST_CASE("a scan that goes nowhere is refused") {
  CHECK(xsp::test::contains(scanned("4", "1", "")[0], "larger than the last"));
  CHECK(xsp::test::contains(scanned("1", "4", "0")[0], "larger than 0"));
  CHECK(xsp::test::contains(scanned("0.1", "0.4", "")[0], "need a step"));
  CHECK(xsp::test::contains(scanned("a", "4", "")[0], "\"a\" is no number"));
  CHECK(xsp::test::contains(scanned("1", "100000", "")[0], "more than"));
}

TEST_CASE("several parameters give all combinations, the first changing fastest") {
  using Point = xsp::launch::Parameters;
  const auto points = sweep_points({{"a", {"1", "2"}}, {"b", {"x", "y"}}});
  CHECK(points ==
        std::vector<Point>{
            {{"a", "1"}, {"b", "x"}}, {{"a", "2"}, {"b", "x"}}, {{"a", "1"}, {"b", "y"}}, {{"a", "2"}, {"b", "y"}}});
  CHECK(sweep_points({}) == std::vector<Point>{{}});
}

TEST_CASE("a parameter is given once, and the points can be counted") {
  CHECK(check_parameters({{"a", {"1"}}, {"b", {"1"}}}).ok());
  CHECK(xsp::test::contains(check_parameters({{"a", {"1"}}, {"a", {"2"}}}).error, "a is given twice"));
  const SweepParameter many = {"m", Words(200, "x")};
  CHECK(xsp::test::contains(check_parameters({many, {"n", Words(200, "y")}}).error, "more than 10000 points"));
}
