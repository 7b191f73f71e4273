#include "analysis/figures/roofline_figures.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/figures/svg_roofline.h"
#include "test/analysis/support/measured_study.h"

namespace xsp::test {
namespace {

using analysis::Figure;
using analysis::FigurePoint;
using analysis::Series;

Figure roofline_of(const Table& table) {
  const auto figures = analysis::roofline_figures_of(table);
  REQUIRE(figures.size() == 1);
  return figures.front();
}

std::vector<FigurePoint> points_of(const Figure& figure) {
  std::vector<FigurePoint> points;
  for (const Series& series : figure.series) points.insert(points.end(), series.points.begin(), series.points.end());
  return points;
}

/// "k0" to "k9", 10 to 100 µs long; of k3 nothing is known, k4 has no flops, k5 is of halves.
Measured measured_kernels() {
  std::vector<PaperKernel> kernels;
  for (int i = 0; i < 10; ++i) kernels.push_back({fmt::format("k{}", i), 10 + 10 * i, i / 2});
  return {paper_trace(2000, kernels, kV100), [](const std::string& name, size_t) {
            const int i = name.back() - '0';
            if (i == 3) return KernelMetrics();
            if (i == 4) return counted(0, 1, 1);
            return counted(0.01 * (i + 1), i % 2 == 0 ? 8 : 0.1, 0.1, kUnknown,
                           i == 5 ? DataType::kF16Tensor : DataType::kF32);
          }};
}

TEST_CASE("each point of a roofline is the cells of its row") {
  const Measured measured = measured_kernels();
  for (const char* id : {"A9", "A14", "A15", "M1"}) {
    CAPTURE(id);
    const Table table = measured.table(id);
    const Figure figure = roofline_of(table);
    const std::string time = std::string(id) == "A9" || std::string(id) == "A14" ? "latency_ms" : "kernel_latency_ms";
    CHECK(!points_of(figure).empty());
    for (const Series& series : figure.series) {
      for (const FigurePoint& point : series.points) {
        CHECK(point.x == value(table, point.row, "arithmetic_intensity"));
        CHECK(point.y == value(table, point.row, "throughput_tflops"));
        CHECK(point.size == value(table, point.row, time));
        CHECK(series.source == words(table, point.row, "source"));
        CHECK(series.bound == words(table, point.row, "bound"));
        if (series.roof != "mixed") CHECK(series.roof == words(table, point.row, "data_type"));
      }
    }
  }
}

TEST_CASE("a roofline's roofs are the peaks and bandwidths of the cells, memory-bound is left of every ridge") {
  const Figure figure = roofline_of(measured_kernels().table("A9"));
  REQUIRE(figure.roofs.size() == 2);
  CHECK(figure.roofs[0].name == "f16 tensor");
  CHECK(figure.roofs[0].peak == 125);
  CHECK(figure.roofs[1].name == "f32");
  CHECK(figure.roofs[1].peak == 15.7);
  CHECK(analysis::ridge_of(figure.roofs[1]) == Approx(15.7e12 / 900e9));
  REQUIRE(figure.regions.size() == 2);
  for (const auto& roof : figure.roofs) {
    CHECK(figure.regions[0].to <= analysis::ridge_of(roof));
    CHECK(figure.regions[1].from >= analysis::ridge_of(roof));
  }
  for (const Series& series : figure.series) {
    const auto roof = std::find_if(figure.roofs.begin(), figure.roofs.end(),
                                   [&](const auto& each) { return each.name == series.roof; });
    REQUIRE(roof != figure.roofs.end());
    for (const FigurePoint& point : series.points) {
      CHECK((series.bound == "memory") == (point.x < analysis::ridge_of(*roof)));
    }
  }
}

TEST_CASE("the areas of a roofline add up to the time that is not left out, and what is left out is said") {
  const Table table = measured_kernels().table("A9");
  const Figure figure = roofline_of(table);
  double drawn = 0;
  for (const FigurePoint& point : points_of(figure)) drawn += point.size;
  CHECK(points_of(figure).size() == 8);
  CHECK(figure.total == Approx(0.55));
  CHECK(drawn == Approx(0.55 - 0.04 - 0.05));
  CHECK(contains(figure.note, "2 of 10 kernels with 16.4 % of the time"));
  CHECK(contains(figure.note, "1 with 9.1 % without floating-point operations"));
  CHECK(contains(figure.note, "1 with 7.3 % with unknown work"));
}

TEST_CASE("without roofs points are drawn without bounds, and the note says why") {
  const Measured measured(paper_trace(1000, {{"a", 10, 0}}, ""), [](auto&&...) { return counted(1, 1, 1); });
  const Figure figure = roofline_of(measured.table("A9"));
  CHECK(figure.roofs.empty());
  CHECK(figure.regions.empty());
  CHECK(figure.series.front().bound.empty());
  CHECK(contains(figure.note, "--gpu NAME"));
}

TEST_CASE("a table without known work has no roofline") {
  const Measured measured(paper_trace(1000, {{"a", 10, 0}}, kV100), [](auto&&...) { return KernelMetrics(); });
  for (const char* id : {"A9", "A14", "A15"}) CHECK(analysis::roofline_figures_of(measured.table(id)).empty());
  CHECK(analysis::roofline_figures_of(measured.table("A8")).empty());
}

TEST_CASE("a number of a roofline is of all executions of a name") {
  const Measured measured(paper_trace(1000, {{"a", 10, 0}, {"b", 25, 0}, {"a", 20, 1}}, kV100),
                          [](auto&&...) { return counted(0.1, 1, 1); });
  const Figure figure = roofline_of(measured.table("A9"));
  REQUIRE(figure.listed.size() == 2);
  CHECK(figure.listed[0].name == "a (2 times, 54.5 %)");
  CHECK(figure.listed[0].row == 2);
  CHECK(figure.listed[1].name == "b (45.5 %)");
}

Table swept(const std::vector<std::pair<int64_t, std::string>>& rows) {
  Table table;
  table.id = "A15";
  for (const char* name : {"batch_size", "kernel_latency_ms", "arithmetic_intensity", "throughput_tflops", "data_type",
                           "peak_tflops", "bandwidth_gbs", "bound", "source", "model", "input"}) {
    table.columns.push_back({name, ""});
  }
  for (const auto& [batch, model] : rows) {
    table.rows.push_back({batch, 1.0 * static_cast<double>(batch), 10.0, 2.0, std::string("f32"), 15.7, 900.0,
                          std::string("memory"), std::string("counters"), model, fmt::format("[{},3]", batch)});
  }
  return table;
}

TEST_CASE("the batch sizes of a model are joined in their order; of one alone there is no path") {
  const Figure figure = roofline_of(swept({{8, "a"}, {1, "a"}, {1, "b"}, {4, "a"}}));
  REQUIRE(figure.paths.size() == 1);
  CHECK(figure.paths.front() == std::vector<size_t>{1, 3, 0});
  CHECK(figure.listed.front().name == "a, batch size 8 (57.1 %)");
  CHECK(roofline_of(swept({{8, "a"}, {8, "a"}})).paths.empty());
}

TEST_CASE("types with other peaks on other devices are roofs with their numbers in the name") {
  Table table = swept({{1, "a"}, {2, "a"}});
  table.rows[1][5] = 19.5;
  const Figure figure = roofline_of(table);
  REQUIRE(figure.roofs.size() == 2);
  CHECK(figure.roofs[0].name == "f32 (19.5 TFLOPS, 900 GB/s)");
  CHECK(figure.series[0].roof == figure.roofs[0].name);
}

TEST_CASE("the heaviest points are drawn where there are too many, and the others are said") {
  std::vector<std::pair<int64_t, std::string>> rows;
  for (int64_t i = 0; i < 10'001; ++i) rows.emplace_back(1 + i, "a");
  const Figure figure = roofline_of(swept(rows));
  const auto points = points_of(figure);
  CHECK(points.size() == 10'000);
  CHECK(std::none_of(points.begin(), points.end(), [](const auto& point) { return point.row == 0; }));
  CHECK(contains(figure.note, "1 more have under 0.1 % of the time"));
}

TEST_CASE("the drawing of a roofline escapes names and says how many of its points it has") {
  std::vector<PaperKernel> kernels;
  for (int i = 0; i < 400; ++i) kernels.push_back({"<script>alert(1)</script>\x1b[2J\"'&\xff", 10, 0});
  const Measured measured(paper_trace(10'000, kernels, kV100), [](auto&&...) { return counted(0.1, 1, 1); });
  const std::string svg = analysis::svg_of_roofline(roofline_of(measured.table("A9")));
  CHECK(svg.starts_with("<svg role=\"img\""));
  CHECK(!contains(svg, "<script"));
  CHECK(!contains(svg, "\x1b"));
  CHECK(!contains(svg, "\xff"));
  CHECK(contains(svg, "&lt;script&gt;"));
  CHECK(contains(svg, "drawn here: 300 of 400, 75.0 % of the time"));
  CHECK(contains(svg, "compute-bound"));
}

}  // namespace
}  // namespace xsp::test
