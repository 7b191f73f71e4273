/// What A1 and A2 say of how sure their latencies are, and of warm-up.

#include "analysis/tables/confidence.h"

#include <algorithm>

#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

/// Evaluations of one layer, by its latencies; the model takes 1 ms more.
std::string run_of(const std::vector<int64_t>& latencies_ms, uint32_t index = 0) {
  TraceBuilder builder;
  builder.add_process(100 + index);
  if (index != 0) builder.describe_run(index, "layer", index);
  int64_t begin_ms = 0;
  for (const int64_t latency_ms : latencies_ms) {
    builder.add_evaluation(begin_ms, {latency_ms});
    begin_ms += latency_ms + 10;
  }
  return builder.bytes();
}

std::string swept_run(const std::vector<std::pair<std::string, std::vector<int64_t>>>& batches) {
  TraceBuilder builder;
  builder.add_process(100);
  int64_t begin_ms = 0;
  for (const auto& [input, latencies_ms] : batches) {
    for (const int64_t latency_ms : latencies_ms) {
      builder.add_evaluation(begin_ms, {latency_ms}, "Net", input);
      begin_ms += latency_ms + 10;
    }
  }
  return builder.bytes();
}

bool has_note(const Table& table, const std::string& part) {
  return std::any_of(table.notes.begin(), table.notes.end(), [&](const auto& note) { return contains(note, part); });
}

bool has_column(const Table& table, const std::string& name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const auto& column) { return column.name == name; });
}

const std::vector<int64_t> kSteady = {50, 100, 102, 98, 101, 99, 103, 97, 100, 100};

TEST_CASE("A1 and A2 have an interval around the latency") {
  const Analysed analysed({run_of(kSteady)});
  for (const char* id : {"A1", "A2"}) {
    INFO(id);
    const Table table = analysed.table(id);
    const double latency = number(cell_of(table, 0, "latency_ms"));
    const double low = number(cell_of(table, 0, "ci_low_ms"));
    const double high = number(cell_of(table, 0, "ci_high_ms"));
    CHECK((low < latency && latency - 3 < low));
    CHECK((high > latency && latency + 3 > high));
    CHECK(has_note(table, "ci_low_ms to ci_high_ms: 95 % confidence interval of the 20 % trimmed mean (bootstrap)"));
    CHECK(has_note(table, "run-to-run variation is not included"));
  }
  CHECK_FALSE(has_note(analysed.table("A1"), "known to"));
}

TEST_CASE("an interval that the trace cannot give is null, with the reason") {
  const Table few = Analysed({run_of({5, 6, 7})}).table("A1");
  CHECK(is_null(cell_of(few, 0, "ci_low_ms")));
  CHECK(is_null(cell_of(few, 0, "ci_high_ms")));
  CHECK(has_note(few, "too few calls"));

  StudyOptions slowest;
  slowest.statistic = *analysis::Statistic::parse("max");
  const Table extreme = Analysed({run_of(kSteady)}, slowest).table("A1");
  CHECK(is_null(cell_of(extreme, 0, "ci_low_ms")));
  CHECK(has_note(extreme, "no 95 % confidence interval of the maximum"));
}

TEST_CASE("totals have no interval") {
  StudyOptions options;
  options.per_trace = true;
  const Analysed analysed({run_of(kSteady)}, options);
  for (const char* id : {"A1", "A2"}) CHECK_FALSE(has_column(analysed.table(id), "ci_low_ms"));
}

TEST_CASE("an interval wider than a fifth of the latency is told, with what helps") {
  const Table a1 = Analysed({run_of({100, 50, 150, 70, 130, 100})}).table("A1");
  CHECK(has_note(a1, "latency_ms is known to ± "));
  CHECK(has_note(a1, "xsp-run --runs 10"));
}

TEST_CASE("runs that differ make a wider interval than their evaluations do") {
  const auto width = [](const std::vector<std::string>& runs) {
    const Table a1 = Analysed(runs).table("A1");
    REQUIRE(a1.rows.size() == 1);
    CHECK_FALSE(has_note(a1, "one run says nothing"));
    return number(cell_of(a1, 0, "ci_high_ms")) - number(cell_of(a1, 0, "ci_low_ms"));
  };
  const std::vector<int64_t> slower = {50, 120, 122, 118, 121, 119, 123, 117, 120, 120};
  CHECK(width({run_of(kSteady, 1), run_of(kSteady, 2), run_of(kSteady, 3)}) < 1);
  CHECK(width({run_of(kSteady, 1), run_of(slower, 2), run_of(kSteady, 3)}) > 20);
}

TEST_CASE("warm-up is found in each run, left out of every table and told") {
  const std::vector<int64_t> warm = {300, 250, 200, 100, 100, 101, 99, 100, 102, 100};
  const Analysed analysed({run_of(kSteady, 1), run_of(warm, 2)});
  const Table a1 = analysed.table("A1");
  CHECK(number(cell_of(a1, 0, "n")) == 16);
  CHECK(has_note(a1, "warm-up left out: the first of run 1, the first 3 of run 2 (slower than the second half)"));
  const Table a2 = analysed.table("A2");
  CHECK(number(cell_of(a2, 0, "n")) == 16);
  CHECK(has_note(a2, "4 left out as warm-up (the first of run 1, the first 3 of run 2)"));

  StudyOptions options;
  options.skip = 2;
  const Table skipped = Analysed({run_of(kSteady, 1), run_of(warm, 2)}, options).table("A1");
  CHECK(has_note(skipped, "warm-up left out: the first 2 of each of 2 runs"));
  CHECK_FALSE(has_note(skipped, "slower than the second half"));
}

TEST_CASE("a rise of throughput that the spread hides is told") {
  const auto notes_of = [](int64_t spread) {
    const auto around = [&](int64_t at) {
      return std::vector<int64_t>{at, at, at + spread, at - spread, at, at + spread / 2, at - spread / 2, at};
    };
    return Analysed({swept_run({{"[4,3]", around(400)}, {"[8,3]", around(750)}, {"[16,3]", around(1500)}})})
        .table("A1");
  };
  CHECK(has_note(notes_of(200), "the rise of throughput from batch size 4 to 8 is 6.8 % ± "));
  CHECK(has_note(notes_of(200), "not distinguishable from 5 %: another batch size may be optimal"));
  CHECK_FALSE(has_note(notes_of(2), "not distinguishable"));
}

}  // namespace
}  // namespace xsp::test
