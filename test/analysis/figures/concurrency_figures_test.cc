#include "analysis/figures/concurrency_figures.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/figures/figure.h"
#include "analysis/tables/concurrency_curves.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

/// A layer, or with an index below 0 the model, whose time with n threads is shared/n + each·n ms.
struct CurveLaw {
  int64_t index;
  std::string name;
  double shared;
  double each;
};

double ms_of(const CurveLaw& law, double threads) { return law.shared / threads + law.each * threads; }

void add_time(const CurveLaw& law, int64_t threads, bool is_probe, Table* table, const char* source = "measured") {
  TableRow row = table->add_row();
  if (law.index >= 0) row.set(kE1.layer_index, law.index);
  if (!law.name.empty()) row.set(kE1.name, law.name);
  row.set(kE1.threads, threads);
  row.set(kE1.latency_ms, ms_of(law, static_cast<double>(threads)));
  row.set(kE1.source, std::string(source));
  row.set(kE1.probe, is_probe);
}

Table curves_of(const std::vector<CurveLaw>& laws, const std::vector<int64_t>& probes) {
  Table table = make_table(kE1);
  for (const CurveLaw& law : laws) {
    for (const int64_t threads : probes) add_time(law, threads, true, &table);
  }
  return table;
}

Figure curves_figure(const Table& table) {
  const std::vector<Figure> figures = concurrency_figures(table);
  REQUIRE(figures.size() == 1);
  return figures[0];
}

const CurveLaw kNet{-1, "net", 12.4, 3.1};    // best with 2
const CurveLaw kConv{0, "conv", 8, 0.5};      // best with 4
const CurveLaw kDense{1, "dense", 2.2, 2.4};  // best with 1

TEST_CASE("a curve has a point for each measured number of threads, the model above its layers") {
  const Table table = curves_of({kNet, kConv, kDense}, {1, 2, 3, 4, 5});
  const Figure figure = curves_figure(table);
  CHECK(figure.kind == FigureKind::kLines);
  REQUIRE(figure.y.size() == 2);
  CHECK(figure.y[0].label == "model latency");
  CHECK(figure.y[1].label == "layer latency");
  CHECK(figure.y[0].unit == "ms");
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].name == "net");
  CHECK(figure.series[0].panel == 0);
  CHECK(figure.series[2].name == "dense");
  CHECK(figure.series[2].panel == 1);
  REQUIRE(figure.series[1].points.size() == 5);
  CHECK(figure.series[1].points[3].x == 4);
  CHECK(figure.series[1].points[3].y == Approx(4));
  CHECK(figure.series[1].points[3].row == 8);
  CHECK(figure.note.empty());
}

TEST_CASE("marks stand at the best numbers of threads, one for each number") {
  const CurveLaw same{2, "same", 2, 2.3};
  const Figure figure = curves_figure(curves_of({kNet, kConv, kDense, same}, {1, 2, 3, 4, 5}));
  REQUIRE(figure.marks.size() == 3);
  CHECK(figure.marks[0].x == 1);
  CHECK(figure.marks[0].name == "1 thread: best for dense, same");
  CHECK(figure.marks[1].x == 2);
  CHECK(figure.marks[1].name == "2 threads: best for net");
  CHECK(figure.marks[2].x == std::sqrt(8 / 0.5));
  CHECK(figure.marks[2].name == "4 threads: best for conv");
}

TEST_CASE("the alternative text has the model's times and the numbers that are best for layers") {
  const Figure figure = curves_figure(curves_of({kNet, kConv, kDense}, {1, 2, 3, 4, 5}));
  CHECK(figure.finding ==
        "net takes 15.5 ms with 1 thread and 12.4 ms with 2, its best, 1.25 times as fast; 17.98 ms with 5. "
        "Of 2 layers, 1 thread is best for 1, 4 threads for 1.");
  CHECK(contains(svg_of(figure), "net takes 15.5 ms with 1 thread"));
}

TEST_CASE("of equal times the fewest threads are best") {
  const CurveLaw flat{-1, "flat", 0, 0};
  const Figure figure = curves_figure(curves_of({flat}, {1, 2, 3}));
  REQUIRE(figure.marks.size() == 1);
  CHECK(figure.marks[0].x == 1);
  CHECK(contains(figure.finding, "flat takes 0 ms with 1 thread, its best"));
  CHECK(contains(svg_of(figure), "polyline"));
}

TEST_CASE("what was measured beside the search is drawn, is never the best, and is told; what was not is not drawn") {
  Table table = curves_of({kNet}, {1, 3, 5});
  add_time(kNet, 2, false, &table);
  add_time(kNet, 4, false, &table, "interpolated");
  const Figure figure = curves_figure(table);
  REQUIRE(figure.series[0].points.size() == 4);
  CHECK(figure.series[0].points[1].x == 2);
  CHECK(figure.series[0].points[1].row == 3);
  REQUIRE(figure.marks.size() == 1);
  CHECK(figure.marks[0].x == 3);
  CHECK(figure.note == "measured beside the search for the best: 2 threads.");
}

TEST_CASE("of many layers those are drawn that take longest, each with a colour of its own") {
  std::vector<CurveLaw> laws = {kNet};
  for (int64_t i = 0; i < 30; ++i) laws.push_back({i, "layer", static_cast<double>(i % 10 + 1), 0.1});
  const Figure figure = curves_figure(curves_of(laws, {1, 2}));
  REQUIRE(figure.series.size() == 8);
  CHECK(figure.series[1].name == "layer (layer 7)");
  std::set<std::string> names;
  for (const Series& series : figure.series) {
    names.insert(series.name);
    if (series.panel == 1) CHECK(series.points[0].y >= 8);
  }
  CHECK(names.size() == 8);
  CHECK(contains(figure.finding, "Of 30 layers, 2 threads are best for 30."));
  CHECK(figure.note == "drawn: the 7 of 30 layers that take longest with the fewest threads.");
  CHECK(contains(figure.marks[0].name, "best for net, layer (layer 7), layer (layer 8) and 5 more"));
}

TEST_CASE("layers whose times lie far apart have a logarithmic axis") {
  const CurveLaw small{2, "small", 0.1, 0.001};
  CHECK(curves_figure(curves_of({kConv, kDense}, {1, 2})).y[0].scale == Axis::Scale::kLinear);
  CHECK(curves_figure(curves_of({kConv, small}, {1, 2})).y[0].scale == Axis::Scale::kLog10);
}

TEST_CASE("a search that is not at its end is told") {
  Table table = curves_of({kNet}, {1, 2});
  table.extras.push_back({"search", {{"cores", count_cell(8)}, {"ended", false}, {"next", count_cell(3)}}});
  CHECK(curves_figure(table).note == "the search is not at its end: more threads may be better.");
}

TEST_CASE("there is no picture of one number of threads, nor of numbers that are missing") {
  CHECK(concurrency_figures(curves_of({kNet, kConv}, {1})).empty());
  CHECK(concurrency_figures(make_table(kE1)).empty());
  Table table = curves_of({kNet}, {1, 2});
  table.row(1).set(kE1.latency_ms, Cell());
  CHECK(concurrency_figures(table).empty());
}

TEST_CASE("names of layers that are not text for a page do no harm") {
  const CurveLaw odd{0, "<b>\"&\xff\x01</b>" + std::string(500, 'x'), 8, 1};
  const CurveLaw unnamed{1, "", 4, 1};
  const Figure figure = curves_figure(curves_of({odd, unnamed}, {1, 2, 3}));
  CHECK(figure.series[1].name == "layer 1");
  const std::string svg = svg_of(figure);
  CHECK_FALSE(contains(svg, "<b>"));
  CHECK_FALSE(contains(svg, "\x01"));
  CHECK_FALSE(nlohmann::json::parse(json_of(figure)).empty());
}

}  // namespace
}  // namespace xsp::analysis
