#include "analysis/tables/concurrency_curves.h"

#include <string>
#include <vector>

#include "test/analysis/support/swept_layers.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ConcurrencyOptions;
using analysis::GivenCurves;
using analysis::is_null;
using analysis::kE1;
using analysis::TableCells;

Table rows_of_curves(const ThreadSweep& sweep, const ConcurrencyOptions& options = {}) {
  return analysis::concurrency_curves(analysis::swept_curves(sweep, options, {}, "Net"));
}

const std::vector<std::string> kCurveColumns = {"layer_index", "name",    "type",   "shape",  "threads",
                                                "latency_ms",  "n",       "spread", "source", "predicted_ms",
                                                "error_pct",   "speedup", "probe"};
TEST_CASE("E1 has the columns of its contract") {
  std::vector<std::string> names;
  for (const auto& column : rows_of_curves(swept({{"a", "A", spawning_law(2)}}, {1, 2}, 2)).columns)
    names.push_back(column.name);
  CHECK(names == kCurveColumns);
}

TEST_CASE("E1 has the model's curve first, then that of each layer, measured and between probes") {
  const std::vector<uint32_t> threads = {1, 3, 5, 7, 8};
  ThreadSweep sweep = swept({{"slow", "A", spawning_law(8)}, {"wide", "B", spawning_law(3)}}, threads, 8);
  const Table table = rows_of_curves(sweep, {.interval = 2});
  const TableCells cells(table);
  // The model and "slow" fall up to 8 threads: 3 numbers are not measured. "wide" rises at 5: 2 are between its probes.
  REQUIRE(cells.rows() == 3 * threads.size() + 3 + 3 + 2);
  CHECK_FALSE(cells.number(0, kE1.layer_index));
  CHECK(cells.text(0, kE1.name) == "Net");
  CHECK(cells.number(0, kE1.threads) == 1);
  CHECK(cells.number(0, kE1.speedup) == Approx(1));
  CHECK(cells.number(0, kE1.n) == 8);
  CHECK(cells.text(0, kE1.source) == "measured");
  CHECK_FALSE(cells.number(0, kE1.predicted_ms));
  CHECK(cells.number(1, kE1.threads) == 2);
  CHECK(cells.text(1, kE1.source) == "interpolated");
  CHECK_FALSE(cells.number(1, kE1.n));
  CHECK_FALSE(*cells.truth(1, kE1.probe));
  const double one = *cells.number(0, kE1.latency_ms);
  const double three = *cells.number(2, kE1.latency_ms);
  const double five = *cells.number(4, kE1.latency_ms);
  CHECK(cells.number(1, kE1.latency_ms) == Approx((one + three) / 2));
  CHECK(cells.number(2, kE1.speedup) == Approx(one / three));
  CHECK(cells.number(2, kE1.predicted_ms) == Approx((one + five) / 2));
  CHECK(cells.number(2, kE1.error_pct) == Approx(100 * ((one + five) / 2 / three - 1)));
  CHECK(*cells.truth(2, kE1.probe));
  const size_t wide = 2 * (threads.size() + 3);
  CHECK(cells.number(wide, kE1.layer_index) == 1);
  CHECK(cells.text(wide, kE1.type) == "B");
  CHECK(cells.number(wide + 2, kE1.threads) == 3);
  CHECK(cells.number(wide + 5, kE1.threads) == 7);  // beyond the rise: measured, and no probe
  CHECK(cells.text(wide + 5, kE1.source) == "measured");
  CHECK_FALSE(*cells.truth(wide + 5, kE1.probe));
  CHECK_FALSE(cells.number(wide + 5, kE1.predicted_ms));
  CHECK(number_beside(table, "search", "cores") == 8);
  CHECK(number_beside(table, "search", "interval") == 2);
  CHECK(number_beside(table, "search", "probes") == 5);
  CHECK(is_null(beside(table, "search", "accuracy")));
  CHECK(beside(table, "search", "ended") == analysis::Cell(true));
  CHECK(is_null(beside(table, "search", "next")));
}

TEST_CASE("the accuracy is the mean of all layers, over numbers that are no probes") {
  ThreadSweep sweep = swept({{"a", "A", spawning_law(68)}, {"b", "A", spawning_law(68)}}, up_to(68), 68);
  const Table table = rows_of_curves(sweep, {.interval = 4, .paper = true});
  CHECK(number_beside(table, "search", "accuracy") == Approx(0.951).margin(0.01));
  CHECK(number_beside(table, "search", "probes") == 18);
  CHECK(is_null(beside(rows_of_curves(sweep), "search", "accuracy")));
}

TEST_CASE("a sweep of runs says which number to measure next until all curves have ended") {
  const std::vector<SweptLayer> layers = {{"slow", "A", spawning_law(20)}, {"wide", "B", spawning_law(4)}};
  const auto next = [&](const std::vector<uint32_t>& threads, uint32_t interval, uint32_t own = 68) {
    ThreadSweep sweep = swept(layers, threads, own);
    sweep.cores = 68;
    sweep.in_process = false;
    const Table table = rows_of_curves(sweep, {.interval = interval});
    const bool ended = beside(table, "search", "ended") == analysis::Cell(true);
    CHECK(ended == is_null(beside(table, "search", "next")));
    return ended ? 0 : static_cast<int>(number_beside(table, "search", "next"));
  };
  CHECK(next({1, 68}, 4) == 5);
  CHECK(next({1, 5, 68}, 4) == 9);
  CHECK(next({1, 5, 9, 13, 17, 68}, 4) == 21);
  CHECK(next({1, 5, 9, 13, 17, 21, 68}, 4) == 25);
  CHECK(next({1, 5, 9, 13, 17, 21, 25, 68}, 4) == 0);
  CHECK(next({68}, 4) == 1);
  CHECK(next({1, 5}, 0) == 9);
  // The own number, 68 or 16, is no step of the search.
  CHECK(next({1, 5, 68}, 0) == 9);
  CHECK(next({1, 5, 9, 13, 68}, 0) == 17);
  CHECK(next({1, 5, 9, 13, 17, 21, 25, 68}, 0) == 0);
  CHECK(next({1, 5, 16}, 0, 16) == 9);
  CHECK(next({1, 5, 9, 13, 16, 17}, 0, 16) == 21);
  CHECK(next({1, 5, 9}, 0, 5) == 13);
  // Numbers of the user's own choice are all steps.
  CHECK(next({1, 2, 4, 8, 16, 32, 68}, 0) == 0);
}

TEST_CASE("a file with numbers of threads far apart does not fill the table") {
  GivenCurves curves;
  std::string text = "op,size,threads,ms\n";
  for (int i = 0; i < 20; ++i) text += "A," + std::to_string(i) + ",1,5\nA," + std::to_string(i) + ",65536,1\n";
  REQUIRE(analysis::parse_curves(text, &curves).ok());
  const Table table = analysis::concurrency_curves(analysis::swept_curves(curves, {}, {}));
  CHECK(table.rows.size() == 40);
  CHECK(notes_say(table, "are left out"));
}

TEST_CASE("the elements of a size are the product of its numbers") {
  CHECK(analysis::elements_of("(32,8,8,384)") == 32.0 * 8 * 8 * 384);
  CHECK(analysis::elements_of("[2, 3]") == 6);
  CHECK(analysis::elements_of("7") == 7);
  CHECK_FALSE(analysis::elements_of(""));
  CHECK_FALSE(analysis::elements_of("large"));
}

}  // namespace
}  // namespace xsp::test
