#include "inject/launch/experiment/level_overheads.h"

#include "test/catch.h"

using xsp::launch::overhead_line;

namespace {

/// As xsp-report prints it.
std::string l1(const std::string& rows) {
  return R"({"xsp": {}, "L1": {"title": "levels", "columns": [{"name": "level_set"}, {"name": "event_level"},
             {"name": "latency_ms"}, {"name": "overhead_ms"}, {"name": "overhead_pct"}, {"name": "significant"}],
             "rows": [)" +
         rows + "]}}";
}

}  // namespace

TEST_CASE("the line has the model's latency and what each level adds, down or up") {
  const std::string rows = R"(["M", "model", 48.481, null, null, null],
                              ["M/L", "model", 49.681, 1.2, 2.475, true], ["M/L", "layer", 3, null, null, null],
                              ["M/L/library", "model", 49.651, -0.03, -0.06, false], ["M/L/library", "layer", 3, 1, 1, true])";
  CHECK(overhead_line(l1(rows)) ==
        "model latency M 48.48 ms, M/L +1.2 ms (+2.5 %), M/L/library -0.03 ms (-0.1 %, within the spread)");
}

TEST_CASE("where there is no overhead there is no line") {
  CHECK(overhead_line(l1(R"(["M", "model", 48.4, null, null, null])")).empty());
  CHECK(overhead_line(l1(R"([], [1], 5, ["M", "model"])")).empty());
  for (const char* text :
       {"", "{", "[]", "{}", R"({"L1": 3})", R"({"L1": {"columns": 3, "rows": 4}})",
        R"({"L1": {"columns": [3], "rows": [[1]]}})", R"({"L1": {"columns": [{"name": 3}], "rows": [[1]]}})"}) {
    CHECK(overhead_line(text).empty());
  }
}
