#include "analysis/figures/iteration_figures.h"

#include <nlohmann/json.hpp>

#include "analysis/figures/figure.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

/// D1 of one loop: iterations of these durations, 2 ms apart.
Table iterations(const std::vector<double>& durations, int64_t loop = 0) {
  Table table;
  table.id = "D1";
  table.columns = {{"iteration", ""},  {"start_ms", "ms"}, {"end_ms", "ms"}, {"operations", ""},
                   {"deviations", ""}, {"level", ""},      {"loop", ""}};
  double start = 0;
  for (size_t i = 0; i < durations.size(); ++i) {
    table.rows.push_back(
        {count_cell(i), start, start + durations[i], count_cell(5), count_cell(0), count_cell(0), loop});
    start += durations[i] + 2;
  }
  return table;
}

Figure strip_of(const Table& table) {
  const std::vector<Figure> figures = figures_of(table);
  REQUIRE(figures.size() == 1);
  return figures[0];
}

const Series& series_named(const Figure& figure, std::string_view name) {
  for (const Series& series : figure.series) {
    if (series.name == name) return series;
  }
  FAIL("no series " << name);
  return figure.series[0];
}

TEST_CASE("an iteration is a bar at its time, and the interval a gap") {
  const Figure strip = strip_of(iterations({10, 10, 11}));
  CHECK(strip.kind == FigureKind::kStrip);
  REQUIRE(strip.series.size() == 1);
  const auto& bars = strip.series[0].points;
  REQUIRE(bars.size() == 3);
  CHECK(bars[1].x == 12);
  CHECK(bars[1].size == 10);
  CHECK(bars[1].row == 1);
  CHECK(strip.series[0].muted);
  CHECK(contains(strip.finding, "3 iterations, each 10 to 11 ms, half of them at most 10 ms"));
}

TEST_CASE("an iteration that deviates is not pale") {
  Table table = iterations({10, 10, 10});
  table.rows[1][4] = count_cell(2);
  const Figure strip = strip_of(table);
  const Series& deviating = series_named(strip, "loop 0, deviating");
  REQUIRE(deviating.points.size() == 1);
  CHECK(deviating.points[0].row == 1);
  CHECK_FALSE(deviating.muted);
}

TEST_CASE("an iteration far longer than the others is marked and named") {
  std::vector<double> durations(20, 10);
  durations[7] = 25;
  const Figure strip = strip_of(iterations(durations));
  const Series& outliers = series_named(strip, "loop 0, outliers");
  REQUIRE(outliers.points.size() == 1);
  CHECK(outliers.marked);
  CHECK(outliers.points[0].row == 7);
  CHECK(contains(strip.finding, "1 outlier (iteration 7)"));
}

TEST_CASE("of a few iterations, and of such as vary, none is marked") {
  for (const Series& series : strip_of(iterations({10, 10, 90})).series) CHECK_FALSE(series.marked);
  std::vector<double> varying;
  for (int i = 0; i < 50; ++i) varying.push_back(10 + i % 7);
  for (const Series& series : strip_of(iterations(varying)).series) CHECK_FALSE(series.marked);
}

TEST_CASE("a loop in a loop is a row of bars below it, with a colour of its own") {
  Table table = iterations({10, 10});
  const Table inner = iterations({2, 2, 2}, 1);
  for (auto row : inner.rows) {
    row[5] = count_cell(1);
    table.rows.push_back(row);
  }
  const Figure strip = strip_of(table);
  REQUIRE(strip.y.size() == 2);
  CHECK(series_named(strip, "loop 1").depth == 1);
  CHECK(series_named(strip, "loop 1").points[0].row == 2);
  CHECK(series_named(strip, "loop 1").color != series_named(strip, "loop 0").color);
}

TEST_CASE("of more iterations than a strip has bars neighbours are one, outliers never") {
  std::vector<double> durations(3 * kMostStripBars, 10);
  durations[30'000] = 50;
  durations[5] = 10.01;
  const Figure strip = strip_of(iterations(durations));
  const Series& bars = series_named(strip, "loop 0");
  CHECK(bars.points.size() <= kMostStripBars + 1);
  CHECK(bars.points[1].count == 3);
  CHECK(bars.points[1].x == 36);
  CHECK(bars.points[1].size == Approx(34.01));
  CHECK(bars.points[1].row == 5);  // the longest of them
  CHECK(series_named(strip, "loop 0, outliers").points.size() == 1);
  CHECK(contains(strip.note, "up to 3 consecutive iterations"));
  size_t count = 0;
  for (const Series& series : strip.series) {
    for (const FigurePoint& bar : series.points) count += bar.count;
  }
  CHECK(count == durations.size());
  const nlohmann::json json = nlohmann::json::parse(json_of(strip));
  CHECK(json["series"][0]["count"][1] == 3);
  CHECK(json["series"][1]["marked"] == true);
  CHECK(json_of(strip).size() < 1'000'000);
}

TEST_CASE("rows without times are counted, a table of nothing else has no strip") {
  Table table = iterations({10, 10, 10});
  table.rows[2][1] = Cell();
  CHECK(contains(strip_of(table).note, "1 row without times"));
  for (auto& row : table.rows) row[1] = Cell();
  CHECK(figures_of(table).empty());
}

Table states(const std::vector<std::pair<std::string, double>>& mean_ms) {
  Table part;
  part.id = "states";
  part.columns = {{"loop", ""}, {"state", ""}, {"mean_ms", "ms"}, {"share_pct", "%"}, {"operations", ""}};
  double period = 0;
  for (const auto& [state, ms] : mean_ms) period += ms;
  for (const auto& [state, ms] : mean_ms) {
    part.rows.push_back({count_cell(0), state, ms, ms / period * 100, count_cell(ms == 0 ? 0 : 2)});
  }
  Table table;
  table.id = "D2";
  table.columns = {{"loop", ""}};
  table.rows = {{count_cell(0)}};
  table.parts.push_back(part);
  return table;
}

TEST_CASE("states are nodes of their mean time and share, in a circle") {
  const Figure graph = strip_of(states({{"CPU", 3}, {"copy", 1}, {"GPU", 6}}));
  CHECK(graph.kind == FigureKind::kStates);
  CHECK(graph.labels == std::vector<std::string>{"CPU", "copy", "GPU"});
  REQUIRE(graph.series.size() == 1);
  CHECK(graph.series[0].points[2].x == 6);
  CHECK(graph.series[0].points[2].size == Approx(60));
  REQUIRE(graph.links.size() == 3);
  CHECK(graph.links[0].name == "2 copies");
  CHECK(graph.links[2].from == 2);
  CHECK(graph.links[2].to == 0);
  CHECK(contains(graph.finding, "10 ms on average; CPU 3 ms (30 %), copy 1 ms (10 %), GPU 6 ms (60 %)"));
}

TEST_CASE("where nothing is copied the way does not lead over the copy") {
  const Figure graph = strip_of(states({{"CPU", 3}, {"copy", 0}, {"GPU", 6}}));
  REQUIRE(graph.links.size() == 2);
  CHECK(graph.links[0].from == 0);
  CHECK(graph.links[0].to == 2);
}

TEST_CASE("a loop that took no time has no graph") {
  CHECK(figures_of(states({{"CPU", 0}, {"copy", 0}, {"GPU", 0}})).empty());
}

TEST_CASE("interval and iteration time go from iteration to iteration, with rows of the part") {
  Table part;
  part.id = "iterations";
  part.columns = {{"loop", ""}, {"iteration", ""}, {"interval", "ms"}, {"iteration_ms", "ms"}};
  part.rows = {{count_cell(0), count_cell(0), Cell(), 10.0}, {count_cell(0), count_cell(1), 2.5, 11.0}};
  Table table;
  table.id = "D2";
  table.columns = {{"loop", ""}};
  table.rows = {{count_cell(0)}};
  table.parts.push_back(part);
  const Figure course = strip_of(table);
  CHECK(course.table == "D2.iterations");
  REQUIRE(course.series.size() == 2);
  CHECK(course.series[0].points[1].y == 11);
  REQUIRE(course.series[1].points.size() == 1);
  CHECK(course.series[1].points[0].row == 1);
  CHECK(course.series[1].panel == 1);
}

}  // namespace
}  // namespace xsp::analysis
