#include <algorithm>

#include "analysis/render/diagnosis_text.h"
#include "analysis/render/pattern_outline.h"
#include "analysis/render/render.h"
#include "analysis/render/text_grid.h"
#include "analysis/render/text_style.h"
#include "base/text_encoding.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Table wide_table() {
  Table table;
  table.id = "A10";
  table.columns = {{"kernel_name", "", 100}, {"count", ""},        {"latency_ms", "ms"},
                   {"gflops", "Gflop"},      {"memory_bound", ""}, {"kernel_pct", "%"}};
  table.rows = {{std::string(90, 'k'), int64_t{3}, 12.5, 1.0, true, 60.0},
                {std::string(90, 'm'), int64_t{48}, 0.0625, 123456.0, false, 40.0}};
  return table;
}

TEST_CASE("wide and combining characters take the columns that a terminal gives them") {
  CHECK(display_width("カーネル") == 8);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("naïve") == 5);
  CHECK(shorten("カーネルカーネル", 9) == "カー…ネル");
  CHECK(display_width(shorten("カーネルカーネル", 8)) <= 8);
  CHECK(shorten("abcdef", 5, "...") == "a...f");
  CHECK(shorten("abcdef", 2, "...").size() == 2);
}

TEST_CASE("columns stay aligned behind wide and combining names") {
  Table table;
  table.columns = {{"name", ""}, {"type", ""}};
  table.rows = {{std::string("カーネル"), std::string("x")},
                {std::string("e\u0301"), std::string("x")},
                {std::string("plain"), std::string("x")}};
  for (const std::string& line : lines_of(lay_out(table, {}).lines)) {
    const size_t at = line.find(line.starts_with("name") ? "type" : "  x");
    REQUIRE(at != std::string::npos);
    const size_t column = display_width(line.substr(0, line.rfind(line.starts_with("name") ? "type" : "x")));
    CHECK(column == 10);
  }
}

TEST_CASE("numbers of a column stand by their points") {
  const std::string lines = lay_out(wide_table(), {.style = {.plain = true}}).lines;
  const auto rows = lines_of(lines);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].find("12.50") + 2 == rows[2].find("0.06250") + 1);
}

TEST_CASE("lines fit the terminal, and what is left out is told") {
  for (const size_t width : {30, 60, 80, 120, 200}) {
    const TextGrid grid = lay_out(wide_table(), {.width = width}, {"kernel_name", "latency_ms", "kernel_pct"});
    for (const std::string& line : lines_of(grid.lines)) CHECK(display_width(line) <= width);
    CHECK(contains(grid.lines, "kernel_name"));
  }
  const TextGrid narrow = lay_out(wide_table(), {.width = 50}, {"kernel_name", "latency_ms", "kernel_pct"});
  CHECK(narrow.without_room == std::vector<std::string>{"gflops", "memory_bound"});
  CHECK(contains(narrow.lines, "kernel_pct"));
  CHECK(lay_out(wide_table(), {}).without_room.empty());
}

TEST_CASE("shares have bars where there is room, and none in a pipe") {
  const std::string bars = lay_out(wide_table(), {.width = 200}).lines;
  CHECK(contains(bars, "60.00  ████████████\n"));
  CHECK(contains(lay_out(wide_table(), {.width = 200, .style = {.plain = true}}).lines, "60.00  ############\n"));
  CHECK_FALSE(contains(lay_out(wide_table(), {}).lines, "█"));
}

TEST_CASE("plain text is ASCII") {
  const TextStyle plain{.plain = true};
  CHECK(plain.text("10 µs – 20 µs ± 3 × 2 → … カ") == "10 us - 20 us +/- 3 x 2 -> ... ?");
  CHECK(plain.cut("abcdefgh", 7) == "ab...gh");
  CHECK(plain.bar(0.5, 10) == "#####");
  const TextStyle utf8;
  CHECK(utf8.text("µ") == "µ");
  CHECK(utf8.bar(0.5, 4) == "██");
  CHECK(utf8.bar(7, 4) == "████");
  CHECK(utf8.level(1) == "█");
}

TEST_CASE("colours only where they are asked for") {
  CHECK(TextStyle{}.bold("x") == "x");
  CHECK(TextStyle{.color = true}.bold("x") == "\x1b[1mx\x1b[0m");
  CHECK(TextStyle{.color = true}.dim("") == "");
}

TEST_CASE("text is wrapped between words, and a word that is longer than a line is cut") {
  const TextStyle style;
  CHECK(wrap("one two three four five six", 22, 2, 2, style) == "one two three four\n  five six");
  CHECK(wrap("one two", 0, 2, 2, style) == "one two");
  for (const std::string& line : lines_of(wrap(std::string(300, 'x') + " y", 40, 2, 2, style) + "\n")) {
    CHECK(display_width(line) <= 40);
  }
}

Table iterations(size_t count, size_t inner) {
  Table table;
  table.id = "D1";
  table.columns = {{"iteration", ""}, {"loop", ""}, {"duration_ms", "ms"}};
  for (size_t i = 0; i < count; ++i) table.rows.push_back({count_cell(i), count_cell(0), i == 3 ? 16.0 : 2.0});
  for (size_t i = 0; i < inner; ++i) table.rows.push_back({count_cell(i), count_cell(1), 90.0});
  return table;
}

TEST_CASE("a mark for each iteration of the first loop, the long one high") {
  ReportOptions options;
  options.width = 80;
  const auto lines = lines_of(render_text({iterations(10, 5)}, options));
  CHECK(lines[1] == "duration_ms by iteration: ▂▂▂█▂▂▂▂▂▂");
  CHECK_FALSE(contains(render_text({iterations(7, 0)}, options), "▂"));  // too few
  const std::string many = render_text({iterations(5000, 0)}, options);
  CHECK(contains(many, "each mark is the largest of"));
  CHECK(contains(many, "█"));
}

/// A pattern: two copies, `blocks` times a block of `kernels`, and an operation behind it.
Table folded(int64_t blocks, size_t kernels) {
  Table part;
  part.id = "folded";
  part.title = "pattern, folded";
  part.columns = {{"depth", ""}, {"repeats", ""}, {"operations", ""}, {"what", ""}};
  part.rows.push_back({count_cell(0), count_cell(2), count_cell(1), "copy to device"});
  part.rows.push_back({count_cell(0), blocks, count_cell(kernels), Cell()});
  for (size_t i = 0; i < kernels; ++i) {
    const std::string kernel = "void kernel" + std::to_string(i) + "(float const*, void (*)(int))";
    part.rows.push_back({count_cell(1), count_cell(1), count_cell(1), kernel});
  }
  part.rows.push_back({count_cell(0), count_cell(1), count_cell(1), "update\x1b[2J" + std::string(300, 'x')});
  return part;
}

TEST_CASE("a folded pattern is an indented list") {
  Table table = iterations(2, 0);
  table.parts.push_back(folded(24, 2));
  ReportOptions options;
  options.width = 60;
  const auto lines = lines_of(render_text({table}, options));
  const auto at = std::find(lines.begin(), lines.end(), "pattern, folded:");
  REQUIRE(lines.end() - at > 6);
  CHECK(at[1] == "  2 × copy to device");
  CHECK(at[2] == "  24 × 2 operations");
  CHECK(at[3] == "    kernel0");
  CHECK(at[4] == "    kernel1");
  CHECK(at[5].starts_with("  update\\x1b[2J"));
  CHECK(display_width(at[5]) == 60);
  options.style.plain = true;
  CHECK(contains(render_text({table}, options), "  24 x 2 operations\n"));
}

TEST_CASE("of a long pattern every block is there, and what is left out is told") {
  Table part = folded(24, 500);
  const Table more = folded(12, 400);
  part.rows.insert(part.rows.end(), more.rows.begin(), more.rows.end());
  const auto lines = pattern_outline(part, 30);
  CHECK(lines.size() <= 30);
  CHECK(lines.size() > 20);
  size_t operations = 0;
  size_t blocks = 0;
  for (const PatternLine& line : lines) {
    blocks += line.is_block ? 1 : 0;
    operations += line.is_block ? 0 : line.left_out == 0 ? 1 : line.left_out;
  }
  CHECK(blocks == 2);
  CHECK(operations == 500 + 400 + 4);
}

TEST_CASE("blocks too deep for the lines there are are not opened, and too many lines are cut") {
  Table part;
  part.columns = {{"depth", ""}, {"repeats", ""}, {"operations", ""}, {"what", ""}};
  for (size_t i = 0; i < 20; ++i) {
    part.rows.push_back({count_cell(0), count_cell(3), count_cell(2), Cell()});
    part.rows.push_back({count_cell(1), count_cell(1), count_cell(1), "a"});
    part.rows.push_back({count_cell(1), count_cell(1), count_cell(1), "b"});
  }
  const auto outer = pattern_outline(part, 30);
  REQUIRE(outer.size() == 20);
  CHECK(repeats_text(outer[0]) == "3 × 2 operations");
  CHECK(repeats_text({.repeats = 8, .operations = 60, .is_block = true, .what = "loop 1"}) ==
        "loop 1: 8 × 60 operations");
  const auto cut = pattern_outline(part, 10);
  REQUIRE(cut.size() == 10);
  CHECK(cut.back().left_out == 51);
  CHECK(pattern_outline(iterations(3, 0), 10).empty());
}

TEST_CASE("a moment keeps its decimal places, other numbers have four digits") {
  Table table;
  table.id = "D1";
  table.columns = {{"start_ms", "ms", 0, 3}, {"duration_ms", "ms"}};
  table.rows = {{4399.1234567, 7.4612345}, {4403.0, 12.0}};
  const auto lines = lines_of(render_text({table}, {}));
  REQUIRE(lines.size() == 4);
  CHECK(lines[2] == "4399.123        7.461");
  CHECK(lines[3] == "4403.000       12.00");
}

Table diagnoses() {
  Table table;
  table.id = "D4";
  table.columns = {{"diagnosis", ""}, {"found", ""},      {"value", ""},  {"threshold", ""}, {"unit", ""},
                   {"evidence", ""},  {"iterations", ""}, {"advice", ""}, {"loop", ""}};
  const auto row = [](const char* name, Cell found, Cell value, const char* evidence, Cell advice) {
    return std::vector<Cell>{name,     std::move(found), std::move(value),  20.0,         "%",
                             evidence, Cell(),           std::move(advice), count_cell(0)};
  };
  table.rows = {row("warm_up", Cell(), Cell(), "not checked: 6 iterations, at least 8 are needed", Cell()),
                row("host_bound", true, 32.75, "nothing runs for a long time between two iterations of this loop",
                    "let the host run ahead"),
                row("drift", false, 25.0, "not significant", Cell()), row("outliers", false, 3.0, "unread", Cell())};
  return table;
}

TEST_CASE("a diagnosis is a line a check, with whole evidence where it was found or is no finding") {
  ReportOptions options;
  options.width = 50;
  std::string text;
  append_diagnosis(diagnosis_lines(diagnoses()), options, &text);
  const auto lines = lines_of(text);
  for (const std::string& line : lines) CHECK(display_width(line) <= 50);
  CHECK(contains(text, "–      warm_up           –       20 %  not"));
  CHECK(contains(text, "yes    host_bound  32.75 %       20 %\n       nothing runs for a long time"));
  CHECK(contains(text, "\n       to do: let the host run ahead\n"));
  CHECK(contains(text, "no     drift       25.00 %       20 %\n       not significant"));
  CHECK_FALSE(contains(text, "unread"));
}

TEST_CASE("where no check of a loop was made the reason is told once") {
  Table table = diagnoses();
  for (auto& row : table.rows) {
    row[1] = Cell();
    row[2] = Cell();
    row[5] = "not checked: a small loop";
  }
  std::string text;
  append_diagnosis(diagnosis_lines(table), {}, &text);
  const auto lines = lines_of(text);
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[1], "–      all"));
  CHECK(contains(lines[1], "not checked: a small loop"));
}

TEST_CASE("checks of several loops are told apart, and no other table is a diagnosis") {
  Table table = diagnoses();
  CHECK(diagnosis_lines(table).at(0).loop.empty());
  table.rows.push_back(table.rows[0]);
  table.rows.back().back() = count_cell(1);
  CHECK(diagnosis_lines(table).back().loop == "1");
  table.columns.pop_back();
  CHECK(diagnosis_lines(table).empty());
  CHECK(diagnosis_lines(wide_table()).empty());
}

}  // namespace
}  // namespace xsp::analysis
