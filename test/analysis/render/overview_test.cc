#include "analysis/render/overview.h"

#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

Table table(const std::string& id, const std::string& measure, size_t rows = 1, bool has_values = true) {
  Table result;
  result.id = id;
  result.title = "title of " + id;
  result.columns = {{"name", ""}, {measure, ""}};
  for (size_t i = 0; i < rows; ++i) {
    result.rows.push_back({"row" + std::to_string(i), has_values ? Cell(static_cast<double>(i + 1)) : Cell()});
  }
  return result;
}

std::vector<std::string> chosen(const std::vector<Table>& tables) {
  std::vector<std::string> ids;
  for (const TableDefinition* one : choose_overview(tables)) ids.emplace_back(one->id);
  return ids;
}

TEST_CASE("the overview has the first five tables with data, in order of use") {
  const std::vector<Table> gpu = {
      table("A1", "latency_ms"),  table("A2", "latency_ms"),         table("A6", "latency_ms"), table("A7", "alloc_mb"),
      table("A10", "latency_ms"), table("A15", "kernel_latency_ms"), table("C2", "count"),      table("Q1", "value")};
  CHECK(chosen(gpu) == std::vector<std::string>{"A1", "A6", "A2", "A10", "A15"});
  const std::vector<Table> cpu = {table("A1", "latency_ms"),     table("A2", "latency_ms"),
                                  table("A6", "latency_ms"),     table("A7", "alloc_mb", 1, false),
                                  table("A10", "latency_ms", 0), table("A15", "kernel_latency_ms", 0),
                                  table("C2", "count"),          table("Q1", "value")};
  CHECK(chosen(cpu) == std::vector<std::string>{"A1", "A6", "A2", "C2", "Q1"});
  const std::vector<Table> set = {table("A1", "latency_ms"), table("A2", "latency_ms"), table("A6", "latency_ms"),
                                  table("C2", "count"), table("L1", "overhead_ms")};
  CHECK(chosen(set) == std::vector<std::string>{"A1", "L1", "A6", "A2", "C2"});
  CHECK(chosen({}).empty());
}

Report report() {
  Report made;
  made.verdict = "Call 10.0 ms · GPU 20 % busy";
  made.header.title = "Net, python3 infer.py";
  made.header.line = "batch 4 · 9 of 10 calls used";
  made.header.facts = {{"GPU", "H100"}, {"command", std::string(200, 'c')}};
  made.findings = {{.id = "gpu-idle",
                    .text = "no kernel runs in 80 % of latency",
                    .advice = "a larger batch",
                    .table = "A15",
                    .weight = 0.8}};
  made.tables = {table("A1", "latency_ms", 30), table("A9", "throughput_tflops", 3), table("A12", "gflops", 3, false)};
  made.tables[0].notes = {"first note", "second note", "third note"};
  return made;
}

TEST_CASE("an overview says what was profiled, what was found, and where more is") {
  const std::string text = render_overview(report(), {.top = kOverviewRows});
  CHECK(text.starts_with(
      "Call 10.0 ms · GPU 20 % busy\nNet, python3 infer.py · batch 4 · 9 of 10 calls used\n\nFindings\n"));
  const std::string verbose = render_overview(report(), {.top = kOverviewRows, .verbose = true});
  CHECK(contains(verbose, "9 of 10 calls used\n  GPU: H100\n  command: " + std::string(200, 'c')));
  CHECK(contains(text, "Findings\n1. no kernel runs in 80 % of latency [A15]\n   a larger batch\n"));
  CHECK(contains(text, "A1 title of A1\n"));
  CHECK(contains(text, "row9"));
  CHECK_FALSE(contains(text, "row10"));
  CHECK(contains(text, "… 20 more rows (--top 0 shows all)"));
  CHECK(contains(text, "- first note\n- 2 more notes: -a A1\n"));
  CHECK(contains(text, "more tables: A9 title of A9"));
  CHECK_FALSE(contains(text, "A12"));
}

TEST_CASE("an overview of nothing says how to get tables") {
  const std::string text = render_overview({}, {});
  CHECK_FALSE(contains(text, "Findings"));
  CHECK(contains(text, "to print all tables: -a all"));
}

TEST_CASE("findings and titles of the trace cannot move the cursor") {
  Report hostile = report();
  hostile.header.title = "\x1b[2Jtitle";
  hostile.findings[0].text = "a\x1b]0;x\x07";
  const std::string text = render_overview(hostile, {.width = 80});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
}

TEST_CASE("a plain overview is ASCII, and lines fit") {
  const std::string text = render_overview(report(), {.top = 3, .width = 60, .style = {.plain = true}});
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x80);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    CHECK(end - begin <= 60);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace xsp::analysis
