#include "analysis/render/render.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

Table hostile_table() {
  Table table;
  table.id = "A2";
  table.title = "layer information";
  table.columns = {{"name", ""}, {"latency_ms", "ms"}, {"spread", "ms"}};
  table.rows = {{std::string("a\x1b[2Jb\n\xff,\"q\""), 1.5, cell(std::numeric_limits<double>::quiet_NaN())},
                {std::string("plain"), 12345.678, 0.00123}};
  table.notes = {"note with \x07 and \xc3"};
  return table;
}

TEST_CASE("control characters and broken UTF-8 never reach the terminal") {
  CHECK(printable("a\x1b[2J\n\t\x7f") == "a\\x1b[2J\\n\\t\\x7f");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");           // C1 control sequence introducer
  CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // surrogate
  CHECK(valid_utf8("a\xff") == "a\xef\xbf\xbd");
}

TEST_CASE("long names are cut in the middle") {
  CHECK(shorten("layer4.2.conv3", 9) == "laye…onv3");
  CHECK(shorten("short", 9) == "short");
  CHECK(display_width("…–") == 2);
}

TEST_CASE("four significant digits") {
  CHECK(four_digits(0) == "0");
  CHECK(four_digits(275.049) == "275.0");
  CHECK(four_digits(0.0012345) == "0.001234");
  CHECK(four_digits(123456.7) == "123457");
  CHECK(four_digits(-3.14159) == "-3.142");
  CHECK(four_digits(1e-9) == "1.000e-09");
}

TEST_CASE("yes and no are words in text and CSV, and true and false in JSON") {
  Table table;
  table.id = "A9";
  table.columns = {{"memory_bound", ""}};
  table.rows = {{true}, {false}, {Cell()}};
  CHECK(contains(render_text({table}, {}), "yes"));
  CHECK(contains(render_text({table}, {}), "no\n"));
  CHECK(render_csv({table}, {}) == "memory_bound\r\ntrue\r\nfalse\r\n\r\n");
  const auto json = nlohmann::json::parse(render_json({table}, {}, {}));
  CHECK(json["A9"]["rows"] == nlohmann::json::parse("[[true],[false],[null]]"));
}

TEST_CASE("text: aligned, null as a dash, within the width") {
  const std::string text = render_text({hostile_table()}, {.width = 44});
  CHECK(contains(text, "spread (ms)"));
  CHECK(contains(text, "–"));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  const std::string cut = render_text({hostile_table()}, {.top = 1});
  CHECK(contains(cut, "… 1 more row (--top 0 shows all)"));
}

TEST_CASE("text shortens what is too long to read, json and csv do not") {
  Table table;
  table.columns = {{"kernel_name", "", 9}, {"dram_read_mib", "MiB"}, {"gflops", "Gflop"}};
  table.rows = {{std::string("cutlass::gemm_kernel<128, 64>()"), 1.0, 2.0}};
  CHECK(contains(render_text({table}, {}), "cutl…4>()"));
  CHECK_FALSE(contains(render_text({table}, {}), "(MiB)"));
  CHECK_FALSE(contains(render_text({table}, {}), "(Gflop)"));
  CHECK(contains(render_json({table}, {}, {}), "cutlass::gemm_kernel<128, 64>()"));
  CHECK(contains(render_csv({table}, {}), "cutlass::gemm_kernel<128, 64>()"));
}

TEST_CASE("columns without a value are left out and named") {
  Table table;
  table.columns = {{"kernel_name", ""}, {"arithmetic_intensity", ""}, {"source", ""}, {"latency_ms", "ms"}};
  table.rows = {{std::string("gemm"), Cell(), std::string("none"), 1.0}};
  for (const size_t width : {size_t{0}, size_t{48}, size_t{200}}) {
    const std::string report = render_text({table}, {.width = width});
    CHECK(contains(report, "kernel_name  latency_ms\ngemm"));
    CHECK(contains(report, "- empty columns: arithmetic_intensity, source\n"));
  }
}

TEST_CASE("json: the object of the contract, null for NaN, valid UTF-8") {
  const auto json = nlohmann::json::parse(
      render_json({hostile_table()}, {{.path = "t\xff.pb", .spans = 3, .processes = 1, .complete = true}}, {}));
  CHECK(json["xsp"]["version"] == XSP_VERSION);
  CHECK(json["xsp"]["traces"][0]["spans"] == 3);
  CHECK(json["A2"]["title"] == "layer information");
  CHECK(json["A2"]["columns"][1]["name"] == "latency_ms");
  CHECK(json["A2"]["columns"][1]["unit"] == "ms");
  CHECK(json["A2"]["rows"][0][2].is_null());
  CHECK(json["A2"]["rows"][1][1] == 12345.678);
}

TEST_CASE("csv: RFC 4180, titles only between several tables") {
  const std::string one = render_csv({hostile_table()}, {});
  CHECK_THAT(one, Catch::Matchers::StartsWith("name,latency_ms,spread\r\n\"a"));
  CHECK(contains(one, "\"\"q\"\"\",1.5,\r\n"));
  CHECK_THAT(one, Catch::Matchers::EndsWith("plain,12345.678,0.00123\r\n"));
  const std::string two = render_csv({hostile_table(), hostile_table()}, {});
  CHECK_THAT(two, Catch::Matchers::StartsWith("# A2 layer information\r\n"));
}

TEST_CASE("csv: text that a spreadsheet would run as a formula is marked as text") {
  Table table{.id = "A2", .title = "t"};
  table.columns = {{.name = "name"}};
  for (const char* name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "plain", "a=b"}) {
    table.rows.push_back({std::string(name)});
  }
  table.rows.push_back({int64_t{-3}});
  CHECK(render_csv({table}, {}) ==
        "name\r\n'=cmd|' /C calc'!A0\r\n'+1\r\n'-1\r\n'@SUM(A1)\r\n'\tx\r\nplain\r\na=b\r\n-3\r\n");
}

TEST_CASE("names in lines for a terminal cannot control it") {
  CHECK(printable_lines("a\x1b[2J,b\r\nc\u202ed\n") == "a\\x1b[2J,b\nc\\xe2\\x80\\xaed\n");
  CHECK(printable_lines("no end") == "no end");
}

TEST_CASE("parts: objects in JSON, sections in CSV, a line in text") {
  Table part;
  part.id = "nested";
  part.title = "nested events";
  part.columns = {{"name", ""}, {"begin_ms", "ms"}};
  part.rows = {{std::string("conv"), 0.5}, {std::string("relu"), 1.5}};
  Table table;
  table.id = "L1";
  table.title = "levels";
  table.columns = {{"level_set", ""}};
  table.rows = {{std::string("M")}};
  table.parts = {part};
  const auto json = nlohmann::json::parse(render_json({table}, {}, {}));
  CHECK(json["L1"]["rows"] == nlohmann::json::parse(R"([["M"]])"));
  CHECK(json["L1"]["nested"]["title"] == "nested events");
  CHECK(json["L1"]["nested"]["columns"][1]["unit"] == "ms");
  CHECK(json["L1"]["nested"]["rows"] == nlohmann::json::parse(R"([["conv",0.5],["relu",1.5]])"));
  CHECK(render_csv({table}, {}) ==
        "# L1 levels\r\nlevel_set\r\nM\r\n\r\n# L1.nested nested events\r\nname,begin_ms\r\nconv,0.5\r\nrelu,1.5\r\n");
  const std::string text = render_text({table}, {});
  CHECK(contains(text, "nested events: 2 rows with --format json or csv"));
  CHECK_FALSE(contains(text, "conv"));
  const auto cut = nlohmann::json::parse(render_json({table}, {}, {.top = 1}));
  CHECK(cut["L1"]["nested"]["rows"].size() == 1);
  CHECK(contains(cut["L1"]["nested"]["notes"][0].get<std::string>(), "1 more rows left out by --top"));
}

}  // namespace
}  // namespace xsp::analysis
