#include "inject/launch/run/collector_status.h"

#include "test/catch.h"

using xsp::launch::parse_collector_status;

TEST_CASE("the collector's last word") {
  const auto status = parse_collector_status(
      R"({"output":"a.pb","spans":7,"by_level":{"model":1},"dropped":2,"processes":3,"killed":1,"bytes":99,)"
      R"("complete":true,"notices":["one",{"component":"torch","text":"two"}],)"
      R"("losses":[{"reason":"RING_FULL","count":2}],"unrecorded":[{"reason":"OTHER_USER","user":33,"count":4}],)"
      R"("error":""})");
  REQUIRE(status.has_value());
  CHECK(status->output == "a.pb");
  CHECK(status->spans == 7);
  CHECK(status->dropped == 2);
  CHECK(status->processes == 3);
  CHECK(status->killed == 1);
  CHECK(status->complete);
  CHECK(status->notices == std::vector<std::string>{"one", "torch: two"});
  REQUIRE(status->losses.size() == 1);
  CHECK(status->losses[0].reason == "RING_FULL");
  REQUIRE(status->unrecorded.size() == 1);
  CHECK(status->unrecorded[0].reason == "OTHER_USER");
  CHECK(status->unrecorded[0].user == 33);
  CHECK(status->unrecorded[0].count == 4);
  CHECK(status->error.empty());
}

TEST_CASE("what is no status is none, and wrong types read as nothing") {
  CHECK_FALSE(parse_collector_status("").has_value());
  CHECK_FALSE(parse_collector_status("ready").has_value());
  CHECK_FALSE(parse_collector_status("[1]").has_value());
  const auto odd =
      parse_collector_status(R"({"spans":-1,"complete":"yes","notices":{"a":1},"losses":[3],"error":null})");
  REQUIRE(odd.has_value());
  CHECK(odd->spans == 0);
  CHECK_FALSE(odd->complete);
  CHECK(odd->notices.empty());
  CHECK(odd->losses.empty());
}
