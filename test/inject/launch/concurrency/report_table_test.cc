#include "inject/launch/concurrency/report_table.h"

#include "test/catch.h"

using xsp::launch::ReportTable;

TEST_CASE("cells are found by the name of their column, and fields by theirs beside the rows") {
  const auto table = ReportTable::read(
      R"({"xsp": {}, "E2": {"title": "t", "columns": [{"name": "rule"}, {"name": "gain_ms"}],
          "rows": [["type", 1.5], ["layer"]], "machine": {"cores": 8, "own": null}, "policy": {"own": 3}}})",
      "E2");
  REQUIRE(table.has_value());
  CHECK(table->count() == 2);
  CHECK(table->text_at(0, "rule") == "type");
  CHECK(table->number_at(0, "gain_ms") == 1.5);
  CHECK_FALSE(table->number_at(1, "gain_ms").has_value());
  CHECK(table->text_at(0, "gain_ms").empty());
  CHECK(table->at(2, "rule").is_null());
  CHECK(table->at(0, "name").is_null());
  CHECK(table->number_beside("cores") == 8);
  CHECK(table->number_beside("own") == 3);
  CHECK_FALSE(table->number_beside("rows").has_value());
  CHECK(table->extra("policy").is_object());
  CHECK(table->extra("none").is_null());
}

TEST_CASE("what is no table of a report is told from one") {
  for (const char* text : {"", "{", "[]", "{}", R"({"E1": {"columns": [], "rows": []}})", R"({"E2": []})",
                           R"({"E2": {"columns": 3, "rows": []}})", R"({"E2": {"columns": []}})"}) {
    INFO(text);
    CHECK_FALSE(ReportTable::read(text, "E2").has_value());
  }
  const auto odd = ReportTable::read(R"({"E2": {"columns": [3, {"name": 4}], "rows": [5, [6]]}})", "E2");
  REQUIRE(odd.has_value());
  CHECK(odd->at(0, "name").is_null());
  CHECK(odd->at(1, "name").is_null());
}
