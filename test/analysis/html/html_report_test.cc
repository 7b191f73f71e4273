#include "analysis/html/html_report.h"

#include <cmath>
#include <limits>

#include "analysis/figures/figure.h"
#include "analysis/tables/layer_information.h"
#include "base/text_encoding.h"
#include "test/analysis/support/trace_builder.h"
#include "test/analysis/support/written_page.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::count_cell;
using analysis::Report;
using analysis::Table;

constexpr const char* kHostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><!-- &amp;";

/// A trace with something in it, for pages whose tables are made by hand.
Analysed some_trace() {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(0, {1, 2});
  return Analysed({builder.bytes()});
}

Table layers(size_t count, const std::string& name = "l") {
  Table table{.id = "A2", .title = "layer information", .columns = {{"index", ""}, {"name", ""}, {"type", ""}}};
  table.columns.push_back({"latency_ms", "ms"});
  table.rank_by = 3;
  table.show_ranked = true;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    table.rows.push_back({Cell(static_cast<int64_t>(i)), Cell(name + number), Cell(std::string(i % 2 ? "B" : "A")),
                          Cell(static_cast<double>(i))});
  }
  return table;
}

std::string page_with(const Table& table, const analysis::HtmlOptions& options = {}) {
  return page_of({.tables = {table}}, some_trace(), options);
}

TEST_CASE("a name is never markup, wherever it stands in a page") {
  Report report;
  report.header = {.title = kHostile, .facts = {{kHostile, kHostile}}, .losses = {kHostile}};
  Table table = layers(1, kHostile);
  table.title = kHostile;
  table.columns.push_back({kHostile, kHostile});
  table.rows[0].emplace_back(std::string(kHostile));
  table.notes = {kHostile};
  table.extras = {{kHostile, {{kHostile, Cell(std::string(kHostile))}}}};
  table.contradiction = kHostile;
  table.parts = {table};
  table.parts[0].id = kHostile;
  report.tables = {table};
  report.findings = {{.id = kHostile,
                      .text = kHostile,
                      .advice = kHostile,
                      .unit = kHostile,
                      .table = "A2",
                      .column = kHostile,
                      .key = kHostile}};
  const std::string page = page_of(report, some_trace());
  CHECK_FALSE(contains(page, "<img"));
  CHECK_FALSE(contains(page, "<script>alert"));
  // A quote of a name would end an attribute: all that are left belong to the page.
  CHECK_FALSE(contains(page, "\"'><"));
  CHECK(occurrences(page, "<!--") == 1);
  CHECK(occurrences(page, "-->") == 1);
  CHECK(contains(page, "&lt;img src=x onerror=alert(1)&gt;&quot;"));
  CHECK(unpacked(page, "xsp-tables")["A2"]["columns"][1]["texts"][0] == std::string(kHostile) + "0");
}

TEST_CASE("a page has no style or handler in attributes, which its policy forbids") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(0, {1, 2, 3});
  builder.add_evaluation(10, {1, 2, 3});
  const Analysed analysed({builder.bytes()});
  std::string page = page_of(report_of(analysed), analysed);
  page = page.substr(0, page.find("<script"));
  CHECK_FALSE(contains(page, " style="));
  CHECK_FALSE(contains(page, " onclick="));
  CHECK_FALSE(contains(page, " onload="));
  CHECK_FALSE(contains(page, "javascript:"));
  CHECK_FALSE(contains(page, " src="));
  CHECK_FALSE(contains(page, "href=\"http"));
  CHECK_FALSE(contains(page, "url("));
}

TEST_CASE("what turns the direction of text is shown, not done") {
  const std::string page = page_with(layers(1,
                                            "\xe2\x80\xae"
                                            "gnp.exe"));
  CHECK_FALSE(contains(page, "\xe2\x80\xae"));
  CHECK(contains(page, "\\xe2\\x80\\xaegnp.exe"));
  // Names of languages that are written from right to left are names.
  CHECK(contains(page_with(layers(1, "\xd7\xa9\xd7\x9b\xd7\x91\xd7\x94")), "\xd7\xa9\xd7\x9b\xd7\x91\xd7\x94"));
}

TEST_CASE("bytes that are no UTF-8 leave the page valid") {
  const std::string page = page_with(layers(1, "a\xff\xc3z\x01\x00"));
  CHECK(valid_utf8(page) == page);
  CHECK(unpacked(page, "xsp-tables")["A2"]["columns"][1]["texts"][0] ==
        "a\xef\xbf\xbd\xef\xbf\xbdz\x01"
        "0");
}

TEST_CASE("a name of 100 kB is short where people read and whole where scripts do") {
  const std::string name(100'000, 'x');
  const std::string page = page_with(layers(3, name));
  const std::string rows = between(page, "<tbody>", "</tbody>");
  CHECK(rows.size() < 5'000);
  CHECK(contains(rows, "xx…xx"));
  CHECK(unpacked(page, "xsp-tables")["A2"]["columns"][1]["texts"][2] == name + "2");
}

TEST_CASE("rows are not the largest by a column without values") {
  Table table = layers(201);
  for (auto& row : table.rows) row[3] = Cell();
  CHECK(contains(page_with(table), "200 of 201 rows, the first; the rest needs scripts"));
}

TEST_CASE("without scripts there are the top rows, with them all") {
  const std::string page = page_with(layers(20'000));
  CHECK(occurrences(page, "<tr data-row=") == 200);
  CHECK(contains(page, "200 of 20000 rows, the largest by latency_ms; the rest needs scripts"));
  CHECK(contains(page, "<tr data-row=\"19999\">"));
  CHECK_FALSE(contains(page, "<tr data-row=\"100\">"));
  const auto table = unpacked(page, "xsp-tables")["A2"];
  CHECK(table["count"] == 20'000);
  CHECK(table["columns"][3]["values"].size() == 20'000);
  CHECK_FALSE(table.contains("rows"));
}

TEST_CASE("rows that are not in the page are known by the numbers of those that are") {
  const auto table = unpacked(page_with(layers(50), {.rows = 3}), "xsp-tables")["A2"];
  CHECK(table["count"] == 50);
  CHECK(table["rows"] == nlohmann::json({49, 48, 47}));
  CHECK(table["columns"][3]["values"] == nlohmann::json({49, 48, 47}));
}

TEST_CASE("a page says that it does not have all rows") {
  CHECK(contains(page_with(layers(50), {.rows = 40}), "40 of 50 rows are in this page"));
  CHECK_FALSE(contains(page_with(layers(50)), "are in this page"));
}

TEST_CASE("packed columns have each text once, and null where the trace has nothing") {
  Table table = layers(4);
  table.rows[3][1] = Cell();
  table.rows[2][3] = std::numeric_limits<double>::quiet_NaN();
  table.rows[0].emplace_back(true);
  table.rows[1].emplace_back(std::string("text"));
  table.rows[2].emplace_back(int64_t{-5});
  table.rows[3].emplace_back(0.1);
  table.columns.push_back({"mixed", ""});
  const auto columns = unpacked(page_with(table), "xsp-tables")["A2"]["columns"];
  CHECK(columns[2]["texts"] == nlohmann::json({"A", "B"}));
  CHECK(columns[2]["values"] == nlohmann::json({0, 1, 0, 1}));
  CHECK(columns[1]["values"] == nlohmann::json({0, 1, 2, nullptr}));
  CHECK(columns[3]["values"] == nlohmann::json({0, 1, nullptr, 3}));
  CHECK(columns[3]["unit"] == "ms");
  CHECK(contains(columns[3]["about"].get<std::string>(), analysis::kA2.latency_ms.meaning));
  // A column of texts and numbers has them as they are.
  CHECK_FALSE(columns[4].contains("texts"));
  CHECK(columns[4]["values"] == nlohmann::json({true, "text", -5, 0.1}));
}

TEST_CASE("tables say what their rows are of and what they select") {
  Report report;
  report.tables = {layers(1), {.id = "A8", .title = "kernels", .columns = {{"kernel_name", ""}, {"layer_index", ""}}}};
  report.tables.push_back({.id = "A10", .title = "names", .columns = {{"kernel_name", ""}}});
  report.tables.push_back({.id = "A1", .title = "models", .columns = {{"index", ""}, {"type", ""}}});
  const auto tables = unpacked(page_of(report, some_trace()), "xsp-tables");
  CHECK(tables["A2"]["facets"] == nlohmann::json({{"layer", 0}, {"type", 2}}));
  CHECK(tables["A2"]["selects"] == "layer");
  CHECK(tables["A8"]["facets"] == nlohmann::json({{"kernel", 0}, {"layer", 1}, {"execution", "row"}}));
  CHECK(tables["A8"]["selects"] == "execution");
  CHECK(tables["A10"]["selects"] == "kernel");
  CHECK(tables["A1"]["facets"] == nlohmann::json::object());
  CHECK_FALSE(tables["A1"].contains("selects"));
}

TEST_CASE("a folded pattern is a list, with what repeats in a list that can be closed") {
  Report report;
  report.tables = {{.id = "D1", .title = "iterations", .columns = {{"iteration", ""}}, .rows = {{count_cell(0)}}}};
  Table folded{.id = "folded", .title = "pattern"};
  folded.columns = {{"depth", ""}, {"repeats", ""}, {"operations", ""}, {"what", ""}};
  folded.rows = {{count_cell(0), count_cell(24), count_cell(3), Cell()},
                 {count_cell(1), count_cell(2), count_cell(1), "<b>gemm</b>"},
                 {count_cell(1), count_cell(1), count_cell(1), "add"},
                 {count_cell(0), count_cell(1), count_cell(1), "adam"}};
  report.tables[0].parts = {folded};
  const std::string list =
      between(page_of(report, some_trace()), "<section class=\"part\" id=\"D1.folded\"", "</section>");
  CHECK(contains(list,
                 "<details open><summary>24 × 3 operations</summary><ul>\n"
                 "<li>2 × <code>&lt;b&gt;gemm&lt;/b&gt;</code></li>\n<li><code>add</code></li>\n"
                 "</ul></details></li>\n<li><code>adam</code></li>\n</ul>"));
  CHECK_FALSE(contains(list, "<table"));
}

TEST_CASE("an iteration is told by its loop and its number, also in a part") {
  Report report;
  report.tables = {
      {.id = "D1", .title = "iterations", .columns = {{"iteration", ""}, {"start_ms", "ms"}, {"loop", ""}}}};
  report.tables.push_back({.id = "D2", .title = "statistics", .columns = {{"loop", ""}}});
  report.tables[1].parts = {{.id = "iterations", .title = "each", .columns = {{"loop", ""}, {"iteration", ""}}}};
  const auto tables = unpacked(page_of(report, some_trace()), "xsp-tables");
  CHECK(tables["D1"]["facets"] == nlohmann::json({{"iteration", {2, 0}}}));
  CHECK(tables["D1"]["selects"] == "iteration");
  CHECK(tables["D2.iterations"]["facets"] == nlohmann::json({{"iteration", {0, 1}}}));
  CHECK(tables["D2.iterations"]["selects"] == "iteration");
  CHECK_FALSE(tables["D2"].contains("selects"));
}

TEST_CASE("a value of zero is zero and nothing is no value") {
  Table table = layers(1);
  table.rows[0][3] = 0.0;
  table.columns.push_back({"n", ""});
  table.rows[0].emplace_back();
  table.columns.push_back({"spread", "ms"});
  table.rows.push_back({Cell(int64_t{1}), Cell(), Cell(), Cell(-0.0), Cell(), Cell(2.0)});
  table.rows[0].emplace_back();
  const std::string page = page_with(table);
  const std::string rows = between(page, "<tbody>", "</tbody>");
  CHECK(contains(rows, "<td class=\"n\">0</td><td class=\"n\">–</td></tr>"));
  CHECK(contains(page, "Without a value: n."));
  CHECK_FALSE(contains(rows, "nan"));
}

TEST_CASE("a page of an empty trace says what is missing and how to get it") {
  TraceBuilder builder;
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.study);
  const std::string page = page_of(report_of(analysed), analysed);
  CHECK(contains(page, "<h2 id=\"A2-head\">A2 Layer information</h2>"));
  CHECK(contains(page, "<li class=\"empty\"><a href=\"#A2\">A2 Layer information</a> <span>no data</span></li>"));
  const std::string section = between(page, "id=\"A2\"", "</section>");
  CHECK(contains(section, "no data for this table"));
  CHECK(contains(section, "it needs layers (record with xsp-run -- COMMAND)."));
  CHECK(contains(between(page, "id=\"A14\"", "</section>"), "record with xsp-run --metrics roofline -- COMMAND)."));
  CHECK(contains(between(page, "<section id=\"timeline\"", "</section>"), "no spans"));
}

TEST_CASE("an analysis has a section also where the trace has nothing for it") {
  const Analysed analysed = some_trace();
  const std::string page = page_of(report_of(analysed), analysed);
  CHECK(contains(page, "id=\"D1\""));
  CHECK(contains(page, "href=\"#D1\""));
  CHECK(contains(page, "id=\"A15\""));
  CHECK(contains(page, "id=\"Q1\""));
}

TEST_CASE("a finding leads to the row that shows it") {
  Report report{.tables = {layers(1)}};
  report.findings = {{.id = "top",
                      .text = "l0 takes it all",
                      .value = 86.2,
                      .unit = "%",
                      .table = "A2",
                      .column = "name",
                      .key = "l0"},
                     {.id = "gone", .text = "no such table", .table = "A77"}};
  const std::string page = page_of(report, some_trace());
  CHECK(contains(
      page, "<a class=\"evidence\" href=\"#A2\" data-table=\"A2\" data-column=\"name\" data-key=\"l0\">A2, l0</a>"));
  CHECK(contains(page, "<data class=\"value\" value=\"86.2\">86 %</data>"));
  CHECK_FALSE(contains(page, "#A77"));
}

TEST_CASE("figures stand drawn over the rows, and as data for scripts") {
  TraceBuilder builder;
  builder.add_process(7);
  for (int64_t i = 0; i < 3; ++i) builder.add_evaluation(10 * i, {1, 2, 3});
  const Analysed analysed({builder.bytes()});
  const Report report = report_of(analysed);
  const std::string page = page_of(report, analysed);
  const auto packed = unpacked(page, "xsp-figures");
  size_t figures = 0;
  for (const Table& table : report.tables) {
    for (const analysis::Figure& figure : analysis::figures_of(table)) {
      INFO(figure.id);
      const std::string element = between(page, "<figure data-figure=\"" + figure.id + "\">", "</figure>");
      CHECK(contains(element, "<figcaption>"));
      CHECK(contains(element, "<svg"));
      CHECK(packed.contains(figure.id));
      ++figures;
    }
  }
  CHECK(figures > 2);
  CHECK(packed.size() == figures);
}

TEST_CASE("a note stands once in the open, and folded under the other tables with rows") {
  Report report{.tables = {layers(1), layers(1), layers(0)}};
  report.tables[1].id = "A3";
  report.tables[2].id = "A4";
  for (Table& table : report.tables) table.notes = {"three spans were lost"};
  const std::string page = page_of(report, some_trace());
  CHECK(contains(between(page, "id=\"A2\"", "</section>"), "<ul class=\"notes\">\n<li>three spans were lost</li>"));
  CHECK(contains(between(page, "id=\"A3\"", "</section>"), "<summary>1 note of A2 also applies here</summary>"));
  CHECK(contains(between(page, "id=\"A4\"", "</section>"), "<ul class=\"notes\">\n<li>three spans were lost</li>"));
}

}  // namespace
}  // namespace xsp::test
