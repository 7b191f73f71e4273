#include "inject/launch/concurrency/threads_outcome.h"

#include "test/catch.h"
#include "test/contains.h"

using xsp::launch::applied_line;
using xsp::launch::measured_line;
using xsp::launch::whole_run_line;
using xsp::test::contains;

namespace {

std::string e2(const std::string& rows, const std::string& applied) {
  return R"({"E2": {"columns": [{"name": "rule"}], "rows": [)" + rows + R"(], "applied": {)" + applied + "}}}";
}

std::string gained(const std::string& percent, const std::string& low, const std::string& high) {
  return applied_line(e2("[\"whole_run\"]", R"("measured_gain_pct": )" + percent + R"(, "measured_low_pct": )" + low +
                                                R"(, "measured_high_pct": )" + high + R"(, "is_switched_off": false)"));
}

constexpr const char* kNothing = "xsp: concurrency: no gain could be measured";

}  // namespace

TEST_CASE("a gain is told with its interval, where that lies above 0") {
  CHECK(gained("4.23", "1.1", "7.04") == "xsp: concurrency: the advised setting is 4.2 % faster (1.1 to 7.0)");
  CHECK(gained("4.23", "-0.1", "7.04") == kNothing);
  CHECK(gained("4.23", "0", "7.04") == kNothing);
  CHECK(gained("4.23", "null", "null") == kNothing);
  CHECK(gained("null", "null", "null") == kNothing);
  for (const char* odd : {"", "{", "[]", R"({"E2": 3})", R"({"E2": {"columns": [], "rows": []}})"}) {
    INFO(odd);
    CHECK(applied_line(odd) == kNothing);
  }
}

TEST_CASE("advice that was switched off is told as that, whatever was gained until then") {
  CHECK(applied_line(e2("", R"("measured_gain_pct": 4, "measured_low_pct": 1, "measured_high_pct": 5,
                              "is_switched_off": true)")) == "xsp: concurrency: switched off, it was slower");
}

TEST_CASE("after measuring the tables are named, where there is something in them") {
  CHECK(measured_line(e2("[\"whole_run\"]", ""), "xsp-report run.pb -a E1,E2") ==
        "xsp: concurrency: see xsp-report run.pb -a E1,E2");
  CHECK(contains(measured_line(e2("", ""), "xsp-report run.pb -a E1,E2"), "xsp-bench --threads"));
  CHECK(contains(measured_line("", "x"), "no model call"));
}

TEST_CASE("a run that had one number of threads throughout shows no gain by itself") {
  CHECK(whole_run_line(1) ==
        "xsp: concurrency: the whole run had 1 thread; one run cannot measure the gain: xsp-bench --threads");
}
