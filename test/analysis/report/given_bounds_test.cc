#include "analysis/report/given_bounds.h"

#include <fmt/format.h>

#include <fstream>

#include "analysis/tables/registry.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

using analysis::GivenBounds;
using analysis::is_null;
using analysis::Report;
using analysis::Table;

/// l0 (A), l1 (B), l2 (A); one call after a warm-up.
std::string three_layers() {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {10, 4, 2});
  builder.add_evaluation(1000, {10, 4, 2});
  return builder.bytes();
}

/// What xsp-bound writes, with these rows of B3.layers.
std::string bounds_json(const std::string& rows) {
  return R"({"xsp":{"version":"1","models":[{"path":"net.onnx","layers":3}]},"verdict":"v",)"
         R"("findings":[{"id":"above-bound","title":"measured twice the bound","advice":"","gain_ms":5,"share_pct":50,)"
         R"("share_of":"call","evidence":[{"table":"B3.layers","row":0}]}],)"
         R"("B3":{"title":"sequential bound","columns":[{"name":"mode","unit":null},{"name":"bound_ms","unit":"ms"}],)"
         R"("rows":[["layers",9.5],["fused",8]],"notes":["a note"]},)"
         R"("B3.layers":{"title":"layers","columns":[{"name":"trace_index","unit":null},{"name":"name","unit":null},)"
         R"({"name":"measured_ms","unit":"ms"},{"name":"bound_ms","unit":"ms"},{"name":"fused_ms","unit":"ms"}],"rows":[)" +
         rows + R"(],"notes":[]}})";
}

class BoundsFile {
 public:
  explicit BoundsFile(const std::string& text) : path_(folder_.path() + "/bounds.json") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

double bound_in(const Table& table, size_t row) {
  REQUIRE(table.columns.back().name == "bound_ms");
  return number(table.rows.at(row).back());
}

TEST_CASE("bounds stand beside what was measured, by layer, by type and of the model") {
  const Analysed analysed({three_layers()});
  const BoundsFile file(bounds_json(R"([0,"l0",null,7,6],[1,"l1",4,3,null],[2,"l2",2,null,null])"));
  GivenBounds bounds;
  REQUIRE(read_given_bounds(file.path(), &bounds).ok());
  CHECK(bounds.model == "net.onnx");
  REQUIRE(check_given_bounds(*analysed.study, bounds).ok());

  Report report;
  for (const char* id : {"A1", "A2", "A3", "A5", "A6"}) report.tables.push_back(analysed.table(id));
  add_given_bounds(*analysed.study, bounds, &report);
  CHECK(bound_in(report.tables[0], 0) == 8);  // fused
  CHECK(bound_in(report.tables[1], 0) == 6);
  CHECK(bound_in(report.tables[1], 1) == 3);  // not fused
  CHECK(is_null(report.tables[1].rows[2].back()));
  CHECK(bound_in(report.tables[2], 1) == 3);
  CHECK(report.tables[3].columns.back().name != "bound_ms");
  // l2 has none, so the sum of type A is not known.
  CHECK(text(report.tables[4].rows[0][0]) == "A");
  CHECK(is_null(report.tables[4].rows[0].back()));
  CHECK(bound_in(report.tables[4], 1) == 3);

  REQUIRE(report.tables.size() == 7);
  CHECK(report.tables[5].id == "B3");
  CHECK(has_note(report.tables[5], "a note"));
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text == "measured twice the bound");
  CHECK(report.findings[0].row == size_t{0});
  REQUIRE(report.drawings.size() == 1);
  CHECK(contains(report.drawings[0].svg, "l1: 4.000 ms measured, at least 3.000 ms"));
}

TEST_CASE("bounds of another trace are refused") {
  const Analysed analysed({three_layers()});
  for (const char* rows : {R"([0,"conv1",9,7,6])", R"([3,"l0",9,7,6])"}) {
    const BoundsFile file(bounds_json(rows));
    GivenBounds bounds;
    REQUIRE(read_given_bounds(file.path(), &bounds).ok());
    CHECK(contains(check_given_bounds(*analysed.study, bounds).error, "is of another trace"));
  }
}

TEST_CASE("what is no file of bounds is refused in one line") {
  const std::string whole = bounds_json(R"([0,"l0",9,7,6])");
  const std::string no_trace = R"({"xsp":{"models":[{"path":"net.onnx"}]},"B3":{"columns":[],"rows":[]}})";
  const std::string two = R"({"xsp":{"models":[{"path":"a"},{"path":"b"}]}})";
  for (const std::string& text :
       {std::string(), std::string("ONNX"), std::string("[1]"), std::string(R"({"xsp":7})"),
        std::string(R"({"xsp":{"models":[7]}})"), whole.substr(0, whole.size() / 2), no_trace, two}) {
    const BoundsFile file(text);
    GivenBounds bounds;
    const Status status = read_given_bounds(file.path(), &bounds);
    INFO(text);
    CHECK_FALSE(status.ok());
    CHECK(contains(status.error, "holds no bounds of a trace"));
    CHECK(contains(status.hint, "xsp-bound"));
  }
  GivenBounds bounds;
  CHECK(contains(read_given_bounds("/nowhere/bounds.json", &bounds).error, "cannot read"));
  const TemporaryFolder folder;
  CHECK(contains(read_given_bounds(folder.path(), &bounds).error, "Is a directory"));
  // Without a trace xsp-bound writes the table, but no row of it.
  const BoundsFile empty(bounds_json(""));
  CHECK(contains(read_given_bounds(empty.path(), &bounds).error, "without --trace"));
}

TEST_CASE("numbers that count nothing are no layers and no rows") {
  for (const char* index : {"1e300", "1e19", "-1", "0.5", "18446744073709551615"}) {
    const BoundsFile file(bounds_json(fmt::format(R"([{},"l0",9,7,6],[0,"l0",9,7,6])", index)));
    GivenBounds bounds;
    REQUIRE(read_given_bounds(file.path(), &bounds).ok());
    INFO(index);
    CHECK(bounds.layers.size() == 1);
  }
}

TEST_CASE("an object with very many names is read in linear time") {
  std::string text = R"({"xsp":{"models":[{"path":"net.onnx"}]})";
  for (size_t i = 0; i < 300000; ++i) text += fmt::format(R"(,"k{}":1)", i);
  const BoundsFile file(text + "}");
  GivenBounds bounds;
  CHECK_FALSE(read_given_bounds(file.path(), &bounds).ok());
}

}  // namespace
}  // namespace xsp::test
