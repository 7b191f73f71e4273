#include "analysis/figures/figure.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/figures/axis_ticks.h"
#include "analysis/figures/bars_figure.h"
#include "analysis/figures/columns_figure.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

std::string stage_of(size_t index, size_t count) {
  return 3 * index < count ? "beginning" : 3 * index < 2 * count ? "middle" : "end";
}

/// A3 of `count` layers, the i-th of which takes i ms.
Table layers(size_t count) {
  Table table;
  table.id = "A3";
  table.columns = {{"index", ""}, {"name", ""}, {"latency_ms", "ms"}, {"stage", ""}};
  for (size_t i = 0; i < count; ++i) {
    table.rows.push_back({count_cell(i), "layer" + std::to_string(i), static_cast<double>(i), stage_of(i, count)});
  }
  return table;
}

Table types(size_t count) {
  Table table;
  table.id = "A6";
  table.columns = {{"type", ""}, {"count", ""}, {"latency_ms", "ms"}, {"latency_pct", "%"}};
  for (size_t i = 0; i < count; ++i) {
    table.rows.push_back({"Type" + std::to_string(i), count_cell(1), static_cast<double>(i + 1), 0.0});
  }
  return table;
}

Table kernels(const std::vector<double>& latencies) {
  Table table;
  table.id = "A10";
  table.columns = {{"kernel_name", ""}, {"count", ""}, {"latency_ms", "ms"}};
  for (const double latency : latencies) {
    table.rows.push_back({"void fill<4>(int, float*)", count_cell(1), latency});
  }
  return table;
}

/// A1 of one model: batch size and throughput in inputs a second.
Table sweep(const std::vector<std::pair<int64_t, double>>& batches) {
  Table table;
  table.id = "A1";
  table.columns = {{"batch_size", ""}, {"latency_ms", "ms"}, {"throughput_per_s", "1/s"}, {"model", ""}, {"input", ""},
                   {"process", ""},    {"ci_low_ms", "ms"},  {"ci_high_ms", "ms"},        {"batch", ""}};
  for (const auto& [batch, throughput] : batches) {
    const double ms = static_cast<double>(batch) / throughput * 1000;
    table.rows.push_back({batch, ms, throughput, "net", "[" + std::to_string(batch) + ",3]",
                          "pid " + std::to_string(batch), ms * 0.9, ms * 1.1, batch});
  }
  return table;
}

Figure only(const Table& table) {
  std::vector<Figure> figures = figures_of(table);
  REQUIRE(figures.size() == 1);
  return figures[0];
}

TEST_CASE("a layer's column is its cell, at its index") {
  const Figure figure = only(layers(12));
  REQUIRE(figure.series[0].points.size() == 12);
  CHECK(figure.series[0].points[7].x == 7);
  CHECK(figure.series[0].points[7].y == 7);
  CHECK(figure.series[0].points[7].row == 7);
  CHECK(figure.labels[7] == "layer7");
  CHECK(figure.note.empty());
}

TEST_CASE("a layer without a number is left out and counted") {
  Table table = layers(12);
  table.rows[3][2] = Cell();
  table.rows[4][0] = Cell();
  const Figure figure = only(table);
  CHECK(figure.series[0].points.size() == 10);
  CHECK(contains(figure.note, "1 layer without latency"));
  CHECK(contains(figure.note, "1 row of no layer"));
}

TEST_CASE("a layer that took no time is a point, not a gap") {
  const Figure figure = only(layers(3));
  CHECK(figure.series[0].points[0].y == 0);
  CHECK(figure.series[0].points.size() == 3);
}

TEST_CASE("a table without numbers has no figure") {
  Table table = layers(2);
  for (auto& row : table.rows) row[2] = Cell();
  CHECK(figures_of(table).empty());
  table.rows.clear();
  CHECK(figures_of(table).empty());
}

TEST_CASE("stages touch, and reach half a step beyond their layers") {
  const Figure figure = only(layers(10));
  REQUIRE(figure.regions.size() == 3);
  CHECK(figure.regions[0].name == "beginning");
  CHECK(figure.regions[0].from == -0.5);
  CHECK(figure.regions[0].to == 3.5);
  CHECK(figure.regions[1].from == 3.5);
  CHECK(figure.regions[2].from == 6.5);
  CHECK(figure.regions[2].to == 9.5);
}

TEST_CASE("the finding says what each stage has, and where most is") {
  const Figure figure = only(layers(6));  // 0+1, 2+3, 4+5 of 15
  CHECK(figure.finding ==
        "beginning 6.67 %, middle 33.3 %, end 60 % of layer latency; most, 5 ms in layer 5 (layer5).");
}

TEST_CASE("more layers than a figure carries become one by several, the largest of them") {
  const Figure figure = only(layers(2 * kMostColumns + 1));
  REQUIRE(figure.series[0].points.size() <= kMostColumns);
  CHECK(figure.series[0].points[0].y == 2);  // of the layers 0 to 2
  CHECK(figure.series[0].points[0].row == 2);
  CHECK(contains(figure.note, "the largest of 3 consecutive layers"));
}

TEST_CASE("bars are the longest first") {
  const Figure figure = only(types(3));
  REQUIRE(figure.labels == std::vector<std::string>{"Type2", "Type1", "Type0"});
  CHECK(figure.series[0].points[0].x == 3);
  CHECK(figure.series[0].points[0].row == 2);
  CHECK(contains(figure.finding, "Type2 has 50 % of layer latency (3 ms)"));
}

TEST_CASE("the rest of many bars is one bar with their sum, of no row") {
  const Figure figure = only(types(100));
  const auto& bars = figure.series[0].points;
  REQUIRE(bars.size() == kMostBars + 1);
  CHECK(bars.back().row == kOfNoRow);
  CHECK(bars.back().x == 76 * 77 / 2);
  CHECK(figure.labels.back() == "76 others");
  CHECK(contains(figure.note, "76 other layer types"));
}

TEST_CASE("the cumulative share of a Pareto rises and ends at 100 %") {
  std::vector<double> latencies;
  for (int i = 1; i <= 60; ++i) latencies.push_back(0.1 * i * i);
  const Figure figure = only(kernels(latencies));
  REQUIRE(figure.series.size() == 2);
  const auto& share = figure.series[1].points;
  REQUIRE(share.size() == figure.series[0].points.size());
  for (size_t i = 1; i < share.size(); ++i) CHECK(share[i].x >= share[i - 1].x);
  CHECK(share.back().x == Approx(100));
}

TEST_CASE("kernels are named without their result and parameters") { CHECK(only(kernels({1})).labels[0] == "fill<4>"); }

TEST_CASE("kernels that all took no time have no share") {
  const Figure figure = only(kernels({0, 0}));
  CHECK(figure.series.size() == 1);
  CHECK(contains(figure.finding, "is 0"));
}

TEST_CASE("batch sizes of one model are one line, whatever their processes and inputs") {
  Table table = sweep({{1, 100}, {2, 180}, {4, 185}});
  table.extras = {{"optimal_batch", {{"rule", count_cell(2)}, {"max", count_cell(4)}}}};
  const Figure figure = only(table);
  REQUIRE(figure.series.size() == 2);  // throughput, latency
  CHECK(figure.series[0].points.size() == 3);
  CHECK(figure.series[0].points[1].x == 2);
  CHECK(figure.series[0].points[1].y == 180);
  CHECK(figure.series[1].panel == 1);
  REQUIRE(figure.marks.size() == 2);
  CHECK(figure.marks[0].x == 2);
  CHECK(contains(figure.marks[0].name, "5 % rule"));
  CHECK(figure.marks[1].x == 4);
}

TEST_CASE("where both rules choose one batch size there is one mark") {
  Table table = sweep({{1, 100}, {2, 180}});
  table.extras = {{"optimal_batch", {{"rule", count_cell(2)}, {"max", count_cell(2)}}}};
  CHECK(only(table).marks.size() == 1);
}

TEST_CASE("models are lines of their own, named by what they differ in") {
  Table table = sweep({{1, 100}, {2, 180}, {1, 50}, {2, 70}});
  table.rows[2][3] = table.rows[3][3] = std::string("other");
  const Figure figure = only(table);
  REQUIRE(figure.series.size() == 4);
  CHECK(figure.series[0].name == "net");
  CHECK(figure.series[1].name == "other");
}

TEST_CASE("without several batch sizes latencies are bars with their intervals") {
  const Figure figure = only(sweep({{4, 100}}));
  CHECK(figure.kind == FigureKind::kBars);
  REQUIRE(figure.series[0].points.size() == 1);
  CHECK(figure.series[0].points[0].low == Approx(36));
  CHECK(figure.series[0].points[0].high == Approx(44));
}

TEST_CASE("GPU and non-GPU parts are of the layers that have both") {
  Table table;
  table.id = "A13";
  table.columns = {{"layer_index", ""}, {"layer_latency_ms", "ms"}, {"gpu_ms", "ms"}, {"non_gpu_ms", "ms"}};
  table.rows = {{count_cell(0), 4.0, 3.0, 1.0}, {count_cell(1), 1.0, Cell(), Cell()}, {count_cell(2), 2.0, 0.0, 2.0}};
  const Figure figure = only(table);
  CHECK(figure.series[0].points.size() == 2);
  CHECK(figure.series[1].points[1].row == 2);
  CHECK(contains(figure.finding, "50 % of the latency of 2 layers is on the GPU (3 of 6 ms); 1 of them"));
  CHECK(contains(figure.note, "1 layer not drawn"));
}

TEST_CASE("events lie in bands by level, pale where another level set times them right") {
  Table table;
  table.id = "L1";
  table.columns = {
      {"level_set", ""}, {"event_level", ""}, {"layer_index", ""}, {"latency_ms", "ms"}, {"overhead_ms", "ms"}};
  table.rows = {{"M", "model", Cell(), 3.0, Cell()},
                {"M/L", "model", Cell(), 4.0, 1.0},
                {"M/L", "layer", count_cell(0), 2.0, Cell()}};
  Table nested;
  nested.id = "nested";
  nested.columns = {{"level_set", ""},    {"event_level", ""}, {"name", ""},       {"begin_ms", "ms"},
                    {"latency_ms", "ms"}, {"accurate", ""},    {"layer_index", ""}};
  nested.rows = {{"M", "model", "net", 0.0, 3.0, true, Cell()},
                 {"M/L", "model", "net", 0.0, 4.0, false, Cell()},
                 {"M/L", "layer", "conv", 1.0, 2.0, true, count_cell(0)}};
  table.parts.push_back(nested);
  const std::vector<Figure> figures = figures_of(table);
  REQUIRE(figures.size() == 2);
  REQUIRE(figures[0].series.size() == 3);
  CHECK(figures[0].y.size() == 2);
  CHECK(figures[0].series[1].muted);
  CHECK(figures[0].series[2].depth == 1);
  CHECK(figures[0].series[2].points[0].row == 2);
  CHECK(figures[0].series[2].points[0].size == 2);
  CHECK(figures[1].labels == std::vector<std::string>{"M/L"});
}

TEST_CASE("JSON has the points of the figure, and leaves out columns that say nothing") {
  const nlohmann::json json = nlohmann::json::parse(json_of(only(layers(3))));
  CHECK(json["kind"] == "columns");
  CHECK(json["series"][0]["y"] == nlohmann::json({0, 1, 2}));
  CHECK_FALSE(json["series"][0].contains("x"));
  CHECK_FALSE(json["series"][0].contains("row"));
  CHECK_FALSE(json["series"][0].contains("low"));
  CHECK(json["names"][json["named"][2].get<size_t>()] == "layer2");
}

TEST_CASE("JSON has a null row for a bar of no single row") {
  const nlohmann::json json = nlohmann::json::parse(json_of(only(types(100))));
  CHECK(json["series"][0]["row"].back().is_null());
  CHECK(json["series"][0]["row"][0] == 99);
}

TEST_CASE("ticks are round, contain the values, and there is no empty axis") {
  CHECK(linear_ticks(0, 13.4, 5).at == std::vector<double>{0, 5, 10, 15});
  CHECK(linear_ticks(-3, 4, 4).low <= -3);
  CHECK(linear_ticks(0, 0, 5).high > 0);
  const Ticks logarithmic = logarithmic_ticks(11, 42, 10);
  CHECK(logarithmic.at == std::vector<double>{10, 20, 50, 100});
  CHECK(logarithmic_ticks(0, 0, 10).high > logarithmic_ticks(0, 0, 10).low);
}

}  // namespace
}  // namespace xsp::analysis
