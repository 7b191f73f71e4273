#include "analysis/figures/wave_figures.h"

#include <string>
#include <vector>

#include "analysis/tables/kernel_waves.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;

struct Range {
  std::string waves;
  double latency_ms;
  bool is_known = true;
};

/// R1 with its part; `below_pct` and `idle_pct` are its sums.
Table table_of(const std::vector<Range>& ranges, double below_pct = 21.1, double idle_pct = 19.9) {
  Table table = make_table(kR1);
  table.add_row();
  table.extras.push_back(
      {std::string(wave_extras::kSums),
       {{std::string(wave_extras::kBelowOnePct), below_pct}, {std::string(wave_extras::kIdleSlotsPct), idle_pct}}});
  Table part = make_table(kR1Waves);
  double all = 0;
  for (const Range& range : ranges) all += range.latency_ms;
  for (const Range& range : ranges) {
    TableRow row = part.add_row();
    row.set(kR1Waves.waves, range.waves);
    row.set(kR1Waves.latency_ms, range.latency_ms);
    row.set(kR1Waves.latency_pct, 100 * range.latency_ms / all);
    if (range.is_known) row.set(kR1Waves.tail_ms, 0.0);
  }
  table.parts.push_back(std::move(part));
  return table;
}

TEST_CASE("kernel time is drawn by waves, in their order") {
  const auto figures =
      wave_figures(table_of({{"below 0.25", 2}, {"0.25 to 0.5", 0}, {"1 to 2", 6}, {"not known", 2, false}}));
  REQUIRE(figures.size() == 1);
  const Figure& figure = figures[0];
  CHECK(figure.kind == FigureKind::kBars);
  CHECK(figure.id == "R1.waves");
  CHECK(figure.table == "R1.waves");
  CHECK(figure.labels == std::vector<std::string>{"below 0.25", "0.25 to 0.5", "1 to 2", "not known"});
  REQUIRE(figure.series.size() == 2);
  REQUIRE(figure.series[0].points.size() == 4);
  CHECK(figure.x.unit == "ms");
  CHECK(figure.series[0].points[2].x == 6);
  CHECK(figure.series[0].points[2].y == 2);
  CHECK(figure.series[0].points[2].row == 2);
  CHECK(figure.series[1].points[2].x == Approx(80));
  CHECK(figure.series[1].points[3].x == Approx(100));
}

TEST_CASE("the alternative text of the waves has their numbers") {
  const auto figures = wave_figures(table_of({{"below 0.25", 2}, {"1 to 2", 6}}));
  REQUIRE(figures.size() == 1);
  CHECK(
      figures[0].finding ==
      "21.1 % of kernel time is in kernels that launch less than one wave of blocks. Weighted by time, 19.9 % of the "
      "slots for blocks stay empty, an upper bound of what could be saved. The largest part, 75 %, is in kernels of 1 "
      "to 2 waves.");
  CHECK(contains(svg_of(figures[0]), "21.1 % of kernel time is in kernels that launch less than one wave"));
}

TEST_CASE("time whose waves are not known is not called waves") {
  const auto figures = wave_figures(table_of({{"below 0.25", 2}, {"not known", 6, false}}));
  REQUIRE(figures.size() == 1);
  CHECK(contains(figures[0].finding, "The largest part, 75 %, is in kernels whose waves are not known."));
  const auto moved = wave_figures(table_of({{"below 0.25", 2}, {"communication", 6, false}}));
  REQUIRE(moved.size() == 1);
  CHECK(contains(moved[0].finding, "The largest part, 75 %, is in kernels that move data between ranks."));
}

TEST_CASE("without any known waves there is no figure") {
  CHECK(wave_figures(table_of({{"below 0.25", 0}, {"not known", 6, false}})).empty());
  CHECK(wave_figures(make_table(kR1)).empty());
}

}  // namespace
}  // namespace xsp::analysis
