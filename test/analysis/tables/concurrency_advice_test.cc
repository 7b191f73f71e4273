#include "analysis/tables/concurrency_advice.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/concurrency_curves.h"
#include "test/analysis/support/swept_layers.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ConcurrencyOptions;
using analysis::GivenCurves;
using analysis::kE1;
using analysis::kE2;
using analysis::Noise;
using analysis::TableCells;
using analysis::ThreadsEnded;
using analysis::ThreadSetting;

Table curves_beside(const ThreadSweep& sweep, const ConcurrencyOptions& options = {}) {
  return analysis::concurrency_curves(analysis::swept_curves(sweep, options, {}, "Net"));
}

Table advice_of(const ThreadSweep& sweep, const ConcurrencyOptions& options = {}) {
  return analysis::concurrency_advice(analysis::swept_curves(sweep, options, {}, "Net"), {});
}

/// The first row with that rule, and that type or layer.
std::optional<size_t> row_of(const Table& table, const std::string& rule, const std::string& name = "") {
  const TableCells cells(table);
  for (size_t row = 0; row < cells.rows(); ++row) {
    const bool is_it = name.empty() || cells.text(row, kE2.name) == name || cells.text(row, kE2.type) == name;
    if (cells.text(row, kE2.rule) == rule && is_it) return row;
  }
  return {};
}

const std::vector<std::string> kAdviceColumns = {
    "layer_index",     "name",      "type",        "threads_now",       "threads_best", "latency_now_ms",
    "latency_best_ms", "gain_pct",  "gain_ms",     "ci_low_ms",         "ci_high_ms",   "rule",
    "switches",        "switch_ms", "net_gain_ms", "measured_gain_pct", "verdict"};
TEST_CASE("E2 has the columns of its contract") {
  std::vector<std::string> names;
  for (const auto& column : advice_of(swept({{"a", "A", spawning_law(2)}}, {1, 2}, 2)).columns)
    names.push_back(column.name);
  CHECK(names == kAdviceColumns);
}

TEST_CASE("E2 advises one number for the whole run, and says what it gains") {
  ThreadSweep sweep = swept({{"a", "A", [](double n) { return 10 * n; }}}, {1, 2}, 2);
  add_switches(0.1, &sweep);
  const Table table = advice_of(sweep);
  const TableCells cells(table);
  REQUIRE(cells.rows() == 3);
  CHECK(cells.text(0, kE2.rule) == "whole_run");
  CHECK(cells.text(0, kE2.name) == "Net");
  CHECK(cells.number(0, kE2.threads_now) == 2);
  CHECK(cells.number(0, kE2.threads_best) == 1);
  CHECK(cells.number(0, kE2.gain_pct) == Approx(100).margin(3));
  CHECK(cells.number(0, kE2.gain_ms) ==
        Approx(*cells.number(0, kE2.latency_now_ms) - *cells.number(0, kE2.latency_best_ms)));
  CHECK(*cells.number(0, kE2.ci_low_ms) < *cells.number(0, kE2.gain_ms));
  CHECK(*cells.number(0, kE2.ci_high_ms) > *cells.number(0, kE2.gain_ms));
  CHECK(cells.number(0, kE2.switches) == 0);
  CHECK(cells.number(0, kE2.switch_ms) == 0);
  CHECK(cells.number(0, kE2.net_gain_ms) == cells.number(0, kE2.gain_ms));
  CHECK_FALSE(cells.number(0, kE2.measured_gain_pct));
  CHECK(cells.text(0, kE2.verdict) == "change");
  CHECK(cells.text(1, kE2.rule) == "layer");
  CHECK(cells.number(1, kE2.layer_index) == 0);
  CHECK(cells.number(1, kE2.switches) == 2);
  CHECK(cells.number(1, kE2.switch_ms) == Approx(0.2));
  CHECK(cells.text(2, kE2.rule) == "type");
  CHECK(cells.text(2, kE2.type) == "A");
  CHECK(cells.text(2, kE2.name).empty());
  CHECK_FALSE(cells.number(2, kE2.layer_index));
  CHECK(beside(table, "policy", "rule") == analysis::Cell(std::string("whole_run")));
  CHECK(number_beside(table, "policy", "threads") == 1);
  CHECK(number_beside(table, "machine", "own") == 2);
  CHECK(notes_say(table, "last bits"));
}

TEST_CASE("types are advised where switching pays, and only then") {
  const std::vector<SweptLayer> layers = {{"a", "Small", [](double n) { return 5 * n; }},
                                          {"b", "Large", [](double n) { return 100 / n; }},
                                          {"c", "Small", [](double n) { return 5 * n; }}};
  ThreadSweep sweep = swept(layers, {1, 2}, 2);
  add_switches(0.5, &sweep);
  const Table paying = advice_of(sweep);
  const TableCells cells(paying);
  CHECK(beside(paying, "policy", "rule") == analysis::Cell(std::string("type")));
  CHECK(number_beside(paying, "policy_types", "Small") == 1);
  CHECK(beside(paying, "policy_types", "Large") == analysis::Cell(std::string("no such field")));
  CHECK(number_beside(paying, "policy", "threads") == 0);
  CHECK(number_beside(paying, "policy", "switches") == 4);
  CHECK(number_beside(paying, "policy", "net_gain_ms") == Approx(8).margin(0.5));
  const auto small = row_of(paying, "type", "Small");
  REQUIRE(small);
  CHECK(cells.number(*small, kE2.switches) == 4);
  CHECK(cells.number(*small, kE2.net_gain_ms) == Approx(8).margin(0.5));
  CHECK(cells.text(*small, kE2.verdict) == "change");
  CHECK(cells.text(*row_of(paying, "whole_run"), kE2.verdict) == "keep");
  CHECK(number_beside(paying, "strategy_1", "switches") == 4);

  sweep.switches.clear();
  add_switches(5, &sweep);
  const Table costly = advice_of(sweep);
  CHECK(beside(costly, "policy", "rule") == analysis::Cell(std::string("none")));
  CHECK(TableCells(costly).text(*row_of(costly, "type", "Small"), kE2.verdict) == "keep");

  sweep.switches.clear();
  const Table unknown = advice_of(sweep);
  const auto row = row_of(unknown, "type", "Small");
  REQUIRE(row);
  CHECK(beside(unknown, "policy", "rule") == analysis::Cell(std::string("none")));
  CHECK_FALSE(TableCells(unknown).number(*row, kE2.switch_ms));
  CHECK_FALSE(TableCells(unknown).number(*row, kE2.net_gain_ms));
  CHECK(TableCells(unknown).text(*row, kE2.verdict).empty());
  CHECK(notes_say(unknown, "nothing is advised for single layers or types"));
}

TEST_CASE("a busy machine is named with its remedy, and nothing is advised") {
  ThreadSweep sweep = swept({{"a", "A", [](double n) { return 10 * n; }}}, {1, 2}, 2);
  add_switches(0.1, &sweep);
  sweep.load = {.online = 2, .runnable = 5.25, .waited_pct = 40, .is_busy = true};
  const Table table = advice_of(sweep);
  for (size_t row = 0; row < table.rows.size(); ++row)
    CHECK(TableCells(table).text(row, kE2.verdict) == "machine busy");
  CHECK(beside(table, "policy", "rule") == analysis::Cell(std::string("none")));
  CHECK(notes_say(table, "the machine was busy: 5.25 tasks wanted 2 processors; calls waited for a processor 40 %"));
  CHECK(notes_say(table, "First set OMP_WAIT_POLICY=passive"));
  CHECK(notes_say(curves_beside(sweep), "OMP_WAIT_POLICY=passive"));
}

TEST_CASE("the own number of a set is known, assumed to be the cores, or not known") {
  ThreadSweep sweep = swept({{"a", "A", spawning_law(2)}}, {1, 2, 4}, 4);
  sweep.in_process = false;
  sweep.own_threads = 0;
  for (auto& point : sweep.points) point.is_own = point.threads == 2;
  CHECK(TableCells(advice_of(sweep)).number(0, kE2.threads_now) == 2);
  for (auto& point : sweep.points) point.is_own = false;
  const Table assumed = advice_of(sweep);
  CHECK(TableCells(assumed).number(0, kE2.threads_now) == 4);
  CHECK(notes_say(assumed, "threads_now was not recorded: 4 is the number of cores"));
  sweep.cores = 0;
  const Table unknown = advice_of(sweep);
  CHECK_FALSE(TableCells(unknown).number(0, kE2.threads_now));
  CHECK_FALSE(TableCells(unknown).number(0, kE2.gain_pct));
  CHECK(TableCells(unknown).number(0, kE2.threads_best) == 2);
  CHECK(TableCells(unknown).text(0, kE2.verdict).empty());
  CHECK(notes_say(unknown, "was not recorded, so no gain over it is known"));
}

TEST_CASE("nothing is advised to a program that sets its threads itself") {
  ThreadSweep sweep = swept({{"a", "A", spawning_law(2)}}, {1, 2}, 2);
  sweep.is_set_by_program = true;
  CHECK(advice_of(sweep).rows.empty());
  CHECK(notes_say(advice_of(sweep), "the program sets its number of threads itself"));
  CHECK(notes_say(curves_beside(sweep), "the program sets its number of threads itself"));
}

TEST_CASE("without layers the whole run is advised, and too few calls tell no gain from noise") {
  ThreadSweep sweep = swept({{"a", "A", [](double n) { return 10 * n; }}}, {1, 2}, 2);
  sweep.layers.clear();
  CHECK(advice_of(sweep).rows.size() == 1);
  CHECK(notes_say(advice_of(sweep), "no layers were recorded"));
  for (auto& point : sweep.points) point.model_ns = {{point.model_ns[0][0], point.model_ns[0][1]}};
  const Table few = advice_of(sweep);
  CHECK(TableCells(few).text(0, kE2.verdict) == "within noise");
  CHECK_FALSE(TableCells(few).number(0, kE2.ci_low_ms));
  CHECK(notes_say(few, "too few calls for an interval"));
}

ThreadSweep applied(double factor, ThreadsEnded ended = ThreadsEnded::kNotEnded) {
  Noise noise(6);
  ThreadSweep sweep;
  sweep.in_process = sweep.is_applied = true;
  sweep.own_threads = sweep.cores = 8;
  sweep.ended = ended;
  for (int i = 0; i < 20; ++i) {
    const bool is_advised = i % 2 == 1;
    sweep.blocks.push_back({is_advised ? ThreadSetting::kAdvised : ThreadSetting::kOwn,
                            noisy(is_advised ? factor * 10 * kNsPerMs : 10 * kNsPerMs, 0.01, 5, &noise)});
  }
  sweep.points.push_back({.threads = 2, .model_ns = {sweep.blocks[1].model_ns}});
  sweep.points.push_back({.threads = 8, .is_own = true, .model_ns = {sweep.blocks[0].model_ns}});
  return sweep;
}

TEST_CASE("a run that followed advice says what that gained") {
  const Table gained = advice_of(applied(1 / 1.04));
  REQUIRE(gained.rows.size() == 1);
  const TableCells cells(gained);
  CHECK(cells.number(0, kE2.measured_gain_pct) == Approx(4).margin(1));
  CHECK(cells.number(0, kE2.threads_now) == 8);
  CHECK(cells.number(0, kE2.threads_best) == 2);
  CHECK(cells.text(0, kE2.verdict) == "change");
  CHECK(number_beside(gained, "applied", "measured_low_pct") > 2);
  CHECK(number_beside(gained, "applied", "measured_high_pct") < 6);
  CHECK(number_beside(gained, "applied", "pairs_of_blocks") == 10);
  CHECK(beside(gained, "applied", "is_switched_off") == analysis::Cell(false));
  CHECK(notes_say(gained, "of 10 pairs of blocks"));

  CHECK(TableCells(advice_of(applied(1))).text(0, kE2.verdict) == "within noise");
  const Table slower = advice_of(applied(1.2, ThreadsEnded::kHarmful));
  CHECK(TableCells(slower).text(0, kE2.verdict) == "keep");
  CHECK(beside(slower, "applied", "is_switched_off") == analysis::Cell(true));
  CHECK(notes_say(slower, "switched off"));
}

TEST_CASE("curves of a file are operations, with all cores as their own number") {
  auto curves = std::make_shared<GivenCurves>();
  REQUIRE(analysis::parse_curves("op,size,threads,ms\nConv2D,\"(32,8,8,384)\",1,100\nConv2D,\"(32,8,8,384)\",45,4.7\n"
                                 "Conv2D,\"(32,8,8,384)\",68,5.2217\nConv2D,\"(32,8,8,2048)\",1,100\n"
                                 "Conv2D,\"(32,8,8,2048)\",68,14.8\n",
                                 curves.get())
              .ok());
  const auto swept = analysis::swept_curves(*curves, {.curves = curves}, {});
  CHECK(swept.cores == 68);
  CHECK(swept.curves.layers.at(1).input_elements == 32 * 8 * 8 * 2048);
  const Table table = analysis::concurrency_advice(swept, {});
  const TableCells cells(table);
  REQUIRE(cells.rows() == 3);
  CHECK(cells.text(0, kE2.name) == "Conv2D");
  CHECK(cells.text(0, kE2.type) == "Conv2D");
  CHECK(cells.number(0, kE2.threads_best) == 45);
  CHECK(cells.number(0, kE2.gain_pct) == Approx(11.1));
  CHECK_FALSE(cells.number(0, kE2.ci_low_ms));
  CHECK(cells.number(2, kE2.threads_best) == 68);
  const Table rows = analysis::concurrency_curves(swept);
  CHECK(TableCells(rows).text(0, kE1.shape) == "(32,8,8,384)");
  CHECK(rows.rows.size() == 68 * 2);
  CHECK(analysis::swept_curves(*curves, {.cores = 40}, {}).curves.own == 40);
}

TEST_CASE("without numbers of threads E1 and E2 say how to measure them") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_evaluation(1, {1});
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  for (const Table& table :
       {analysis::concurrency_curves(*analysed.study), analysis::concurrency_advice(*analysed.study)}) {
    CHECK(table.rows.empty());
    CHECK(table.lacks_data);
    CHECK(notes_say(table, "xsp-run --concurrency measure"));
  }
}

TEST_CASE("E1 and E2 of a study are those of its sweep, with the name of its model") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_evaluation(1, {1});
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  analysed.study->thread_sweep =
      std::make_shared<const ThreadSweep>(swept({{"a", "A", [](double n) { return 10 * n; }}}, {1, 2}, 2));
  const Table curves = analysis::concurrency_curves(*analysed.study);
  CHECK(curves.rows.size() == 4);
  CHECK_FALSE(TableCells(curves).text(0, kE1.name).empty());
  CHECK(analysis::concurrency_advice(*analysed.study).rows.size() == 3);
}

}  // namespace
}  // namespace xsp::test
