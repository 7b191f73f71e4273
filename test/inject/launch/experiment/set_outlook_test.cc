#include "inject/launch/experiment/set_outlook.h"

#include "test/catch.h"

using xsp::launch::PlannedRun;
using xsp::launch::TwinCheck;

namespace {

PlannedRun outlook_run(const char* level) { return {.command = {"x"}, .level = level}; }

}  // namespace

TEST_CASE("runs of the same level that take about the same and record the same are not told") {
  TwinCheck check;
  CHECK(check.look_at(outlook_run("model"), 1, 10, 100).empty());
  CHECK(check.look_at(outlook_run("layer"), 2, 30, 1000).empty());
  CHECK(check.look_at(outlook_run("model"), 3, 19, 100).empty());
  CHECK(check.look_at(outlook_run("kernel"), 4, 0.01, 10000).empty());
  CHECK(check.look_at(outlook_run("kernel"), 5, 0.05, 10010).empty());
}

TEST_CASE("a run that took more than twice or less than half the time of its twin is told, once") {
  TwinCheck check;
  check.look_at(outlook_run("model"), 1, 10, 100);
  const auto lines = check.look_at(outlook_run("model"), 2, 21, 100);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("run 2 took 21 s, run 1 of the same level 10 s") != std::string::npos);
  CHECK(check.look_at(outlook_run("model"), 3, 4, 100).empty());
  TwinCheck shorter;
  shorter.look_at(outlook_run("model"), 1, 10, 100);
  CHECK(shorter.look_at(outlook_run("model"), 2, 4.9, 100).size() == 1);
}

TEST_CASE("a run that recorded another number of spans than its twin is told, once") {
  TwinCheck check;
  check.look_at(outlook_run("layer"), 1, 10, 100);
  const auto lines = check.look_at(outlook_run("layer"), 2, 10, 99);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("run 2 recorded 99 spans, run 1 of the same level 100") != std::string::npos);
  CHECK(check.look_at(outlook_run("layer"), 3, 10, 50).empty());
  TwinCheck deep;
  deep.look_at(outlook_run("kernel"), 1, 10, 10000);
  CHECK(deep.look_at(outlook_run("kernel"), 2, 10, 9000).size() == 1);
}
