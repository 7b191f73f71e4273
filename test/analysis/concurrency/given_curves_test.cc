#include "analysis/concurrency/given_curves.h"

#include <cmath>
#include <string>

#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

GivenCurves parsed(const std::string& text) {
  GivenCurves curves;
  const Status status = parse_curves(text, &curves);
  INFO(status.error);
  REQUIRE(status.ok());
  return curves;
}

TEST_CASE("rows of one operation and size are a curve, in order of threads") {
  const GivenCurves curves = parsed(
      "op,size,threads,ms\n"
      "Conv2D,\"(32,8,8,384)\",68,5.2\n"
      "Relu,,1,0.5\r\n"
      "\n"
      "Conv2D,\"(32,8,8,384)\",45,4.7\n"
      "Conv2D,\"(32,17,17,384)\",45,8\n");
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].operation == "Conv2D");
  CHECK(curves[0].size == "(32,8,8,384)");
  REQUIRE(curves[0].curve.size() == 2);
  CHECK(curves[0].curve[0].threads == 45);
  CHECK(curves[0].curve[0].latency_ns == Approx(4.7e6));
  CHECK(curves[0].curve[1].threads == 68);
  CHECK(curves[1].operation == "Relu");
  CHECK(curves[1].size.empty());
  CHECK(curves[2].size == "(32,17,17,384)");
}

TEST_CASE("several rows of a number of threads are values, and a single one says nothing of noise") {
  const GivenCurves curves = parsed("op,size,threads,ms\nA,,2,1\nA,,2,3\nA,,2,2\nA,,4,1\n");
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].curve[0].latency_ns == Approx(2e6));
  CHECK(curves[0].curve[0].n == 3);
  CHECK(count_of(curves[0].curve[0].values) == 3);
  CHECK(curves[0].curve[1].n == 1);
  CHECK(curves[0].curve[1].values.empty());
  CHECK(std::isnan(curves[0].curve[1].spread_ns));
}

TEST_CASE("what is no curve is refused with its line") {
  const auto error = [](const std::string& rows, const std::string& head = "op,size,threads,ms\n") {
    GivenCurves curves;
    return parse_curves(head + rows, &curves).error;
  };
  CHECK(contains(error("", ""), "line 1"));
  CHECK(contains(error("A,,1,1\n", ""), "line 1: the head is not op,size,threads,ms"));
  CHECK(contains(error(""), "no rows"));
  CHECK(contains(error("A,,1,1\nA,(2,3),1,1\n"), "line 3: 5 fields instead of 4"));
  CHECK(contains(error("A,,0,1\n"), "line 2: threads"));
  CHECK(contains(error("A,,-1,1\n"), "line 2: threads"));
  CHECK(contains(error("A,,1.5,1\n"), "line 2: threads"));
  CHECK(contains(error("A,,99999999999,1\n"), "line 2: threads"));
  CHECK(contains(error("A,,2,\n"), "line 2: ms"));
  CHECK(contains(error("A,,2,nan\n"), "line 2: ms"));
  CHECK(contains(error("A,,2,inf\n"), "line 2: ms"));
  CHECK(contains(error("A,,2,-1\n"), "line 2: ms"));
  CHECK(contains(error(",,2,1\n"), "line 2: no name"));
  CHECK(contains(error("A,\"x\n\ny,2,1\n"), "line 2: a quoted field does not end"));
  CHECK(contains(error("A,\"x\n\",2,1\nA,,0,1\n"), "line 4: threads"));
}

TEST_CASE("a file of curves may begin with a byte order mark, and one that is not there is named") {
  CHECK(parsed("\xEF\xBB\xBFop,size,threads,ms\nA,,1,1\n").size() == 1);
  GivenCurves curves;
  CHECK(contains(read_curves("/nowhere/curves.csv", &curves).error, "/nowhere/curves.csv"));
}

}  // namespace
}  // namespace xsp::analysis
