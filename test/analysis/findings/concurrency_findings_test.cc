#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::count;
using test::FindingTables;
using test::word;

const std::vector<std::string> kAdviceOfThreads = {
    "name",    "type",      "threads_now", "threads_best", "latency_now_ms",    "latency_best_ms", "gain_pct",
    "gain_ms", "ci_low_ms", "ci_high_ms",  "rule",         "measured_gain_pct", "verdict"};

/// The whole run of a model that takes 10 ms of each step, and 8 with two threads.
struct WholeRun {
  int64_t best = 2;
  double best_ms = 8;
  Cell low_ms = 1.5;
  Cell high_ms = 2.5;
  Cell measured_pct = {};
  std::string verdict = "change";

  std::vector<Cell> row() const {
    return {word("Net"),    Cell(), count(8), count(best),       10.0,         best_ms,      100 * (10 / best_ms - 1),
            10.0 - best_ms, low_ms, high_ms,  word("whole_run"), measured_pct, word(verdict)};
  }
};

Extra policy_of(const std::string& rule, Cell net_ms = {}) {
  return {"policy", {{"rule", word(rule)}, {"net_gain_ms", std::move(net_ms)}}};
}

const Finding* found(const std::string& id, const WholeRun& run, const std::vector<Extra>& extras,
                     FindingTables* tables) {
  tables->add("E2", kAdviceOfThreads, {run.row()}).extras = extras;
  return tables->find(id);
}

TEST_CASE("another number of threads that makes the model faster is told with its gain") {
  FindingTables tables;
  const Finding* finding = found("thread-count", {}, {policy_of("whole_run")}, &tables);
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "2 threads instead of 8 make the model 25 % faster (19 to 31 %)");
  CHECK(contains(finding->advice, "xsp-run --concurrency apply=TRACE -- COMMAND"));
  CHECK(finding->value == Approx(25));
  REQUIRE(finding->gain_ms);
  CHECK(*finding->gain_ms == Approx(2));
  CHECK(*finding->share_pct == Approx(100 * 2 / 11.0));
  CHECK(finding->table == "E2");
  CHECK(finding->row == 0);

  FindingTables one;
  const WholeRun single = {.best = 1, .best_ms = 9.7, .low_ms = {}, .high_ms = {}};
  CHECK(found("thread-count", single, {policy_of("whole_run")}, &one)->text ==
        "1 thread instead of 8 makes the model 3.1 % faster");
}

TEST_CASE("no number of threads is told where none is advised") {
  for (const char* verdict : {"keep", "within noise", "machine busy", ""}) {
    FindingTables tables;
    CHECK(found("thread-count", {.verdict = verdict}, {policy_of("none")}, &tables) == nullptr);
  }
  FindingTables tables;
  tables.add("E2", kAdviceOfThreads, {});
  CHECK(tables.find("thread-count") == nullptr);
}

TEST_CASE("types of layers with numbers of their own are told instead, where they gain more") {
  FindingTables tables;
  std::vector<std::vector<Cell>> rows = {WholeRun{}.row()};
  for (const char* type : {"Conv2d", "Linear", "ReLU", "Unused"}) {
    rows.push_back(
        {Cell(), word(type), count(8), count(1), 3.0, 2.0, 50.0, 1.0, 0.9, 1.1, word("type"), Cell(), word("change")});
  }
  tables.add("E2", kAdviceOfThreads, rows).extras = {
      policy_of("type", 2.5), {"policy_types", {{"Conv2d", count(1)}, {"Linear", count(3)}, {"ReLU", count(1)}}}};
  CHECK(tables.find("thread-count") == nullptr);
  const Finding* finding = tables.find("threads-by-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "Own numbers of threads for types of layers save 2.50 ms of a model call, switches included: 1 thread for "
        "Conv2d, 3 threads for Linear, and 1 more type");
  CHECK(*finding->gain_ms == Approx(2.5));
  CHECK(finding->row == 1);
}

TEST_CASE("a busy machine is told with its remedy") {
  FindingTables tables;
  const Extra machine = {"machine", {{"online", count(2)}, {"runnable", 5.25}}};
  const Finding* finding = found("machine-busy", {.verdict = "machine busy"}, {policy_of("none"), machine}, &tables);
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "The machine was busy: 5.25 tasks wanted 2 processors, so no number of threads is advised");
  CHECK(contains(finding->advice, "OMP_WAIT_POLICY=passive"));
  CHECK(finding->is_note);
  FindingTables unknown;
  CHECK(found("machine-busy", {.verdict = "machine busy"}, {policy_of("none")}, &unknown)->text ==
        "The machine was busy while numbers of threads were tried: none is advised");
}

Extra applied_of(Cell low, Cell high, bool is_off) {
  return {"applied",
          {{"measured_low_pct", std::move(low)}, {"measured_high_pct", std::move(high)}, {"is_switched_off", is_off}}};
}

TEST_CASE("what applied advice gained is told, and that no gain could be measured") {
  FindingTables tables;
  const Finding* gained = found("applied-advice", {.measured_pct = 4.0}, {applied_of(1.0, 7.0, false)}, &tables);
  REQUIRE(gained != nullptr);
  CHECK(gained->text == "The applied advice gained 4.0 % (1.0 to 7.0 %)");
  CHECK(tables.find("thread-count") == nullptr);

  FindingTables none;
  const WholeRun noise = {.measured_pct = 1.0, .verdict = "within noise"};
  CHECK(found("no-applied-gain", noise, {applied_of(-2.0, 4.0, false)}, &none)->text ==
        "No gain of the applied advice could be measured: 1.0 % (-2.0 to 4.0 %)");
  FindingTables off;
  CHECK(found("no-applied-gain", {.measured_pct = -9.0, .verdict = "keep"}, {applied_of(-12.0, -6.0, true)}, &off)
            ->text == "The advised numbers of threads were slower than the program's own, and were switched off");
  FindingTables few;
  const WholeRun short_run = {.measured_pct = 5.0, .verdict = "within noise"};
  CHECK(contains(found("no-applied-gain", short_run, {applied_of({}, {}, false)}, &few)->advice, "more calls"));
}

}  // namespace
}  // namespace xsp::analysis
