#include "analysis/study/merged_runs.h"

#include <algorithm>

#include "analysis/render/summary.h"
#include "test/analysis/support/recorded_runs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::is_null;
using analysis::StudyOptions;
using analysis::Table;

StudyOptions mean_of_all() {
  StudyOptions options;
  options.statistic.kind = analysis::Statistic::Kind::kMean;
  options.skip = 0;
  return options;
}

/// An evaluation of two layers whose latencies grow with the level: conv calls gemm and launches two kernels.
RecordedEvaluation evaluation(int64_t conv, int64_t relu, int64_t gemm = 300) {
  return {{"conv", conv, {{"gemm", gemm}}, {{"conv_kernel", 400}, {"bias_kernel", 100}}},
          {"relu", relu, {}, {{"relu_kernel", 200}}}};
}

/// The leveled set that most tests are of: two runs of each level, two evaluations each; the second run of a level is
/// slower by 20 µs in conv and 2 in the call.
std::vector<std::string> leveled_set() {
  std::vector<std::string> runs;
  const std::vector<std::pair<std::string, int64_t>> levels = {
      {"model", 0}, {"layer", 10}, {"library", 30}, {"kernel", 100}};
  for (uint32_t repetition = 0; repetition < 2; ++repetition) {
    for (uint32_t i = 0; i < levels.size(); ++i) {
      // In every second repetition backwards.
      const auto& [level, cost] = levels[repetition == 0 ? i : levels.size() - 1 - i];
      const int64_t slower = 20 * repetition;
      RecordedRun run{.index = 1 + i + 4 * repetition, .level = level};
      run.evaluations = {evaluation(1000 + cost + slower, 500 + cost, 300 + cost + slower / 10),
                         evaluation(1000 + cost + slower, 500 + cost, 300 + cost + slower / 10)};
      runs.push_back(record(run));
    }
  }
  return runs;
}

TEST_CASE("each latency of a leveled set is of the runs whose deepest level is its own") {
  const Analysed analysed(leveled_set(), mean_of_all());
  const Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(number(a1.rows[0][1]) == Approx(1.61));  // (1000 + 10) + 500 + 100 µs
  CHECK(number(a1.rows[0][4]) == 4);
  CHECK(text(a1.rows[0][8]) == "pid 101 (8 runs)");
  CHECK(has_note(a1,
                 "the model's from 2 runs of M, layers' from 2 runs of M/L, library calls' from 2 runs of M/L/library, "
                 "kernels' from 2 runs of M/L/library/G"));

  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 2);
  CHECK(number(a2.rows[0][4]) == Approx(1.02));  // 1000 + 10 + 20 / 2
  CHECK(number(a2.rows[1][4]) == Approx(0.51));
  CHECK(number(a2.rows[0][6]) == 4);
  CHECK(number(a2.rows[0][8]) == 1);              // library_calls
  CHECK(number(a2.rows[0][9]) == Approx(0.331));  // library_ms: 300 + 30 + 2 / 2
  CHECK(number(a2.rows[0][11]) == Approx(1.02));  // host_ms
  CHECK(number(a2.rows[0][12]) == Approx(0.5));   // gpu_ms, of the runs with kernels
  CHECK(has_note(a2, "20 % trimmed") == false);
  CHECK(has_note(a2, "mean of 4 calls in 2 runs of M/L"));

  const Table a6 = analysed.table("A6");
  CHECK(number(a6.rows[0][2]) == Approx(1.02));

  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 1);
  CHECK(number(c1.rows[0][8]) == Approx(0.331));
  CHECK(has_note(c1, "2 runs of M/L/library"));

  const Table a10 = analysed.table("A10");
  REQUIRE(a10.rows.size() == 3);
  CHECK(number(a10.rows[0][2]) == Approx(0.4));
  CHECK(number(a10.rows[0][3]) == Approx(100 * 0.4 / 1.61));  // of the model's own latency
  const Table a11 = analysed.table("A11");
  CHECK(number(a11.rows[0][2]) == Approx(1.02));
  CHECK(number(a11.rows[0][3]) == Approx(0.5));
  const Table a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == 1);
  CHECK(number(a15.rows[0][1]) == Approx(1.61));
  CHECK(number(a15.rows[0][2]) == Approx(0.7));
  for (const char* id : {"A8", "A10", "A11", "A15"}) CHECK(analysed.table(id).contradiction.empty());
  CHECK(quality(analysed.table("Q1"), "divergence") == 0);
}

TEST_CASE("A13 is of the runs with kernels, with the leveled difference beside") {
  const Table a13 = Analysed(leveled_set(), mean_of_all()).table("A13");
  REQUIRE(a13.rows.size() == 2);
  const size_t leveled = a13.columns.size() - 2;
  CHECK(a13.columns[leveled].name == "leveled_latency_ms");
  CHECK(a13.columns[leveled + 1].name == "leveled_difference_ms");
  CHECK(number(a13.rows[0][1]) == Approx(1.11));  // 1000 + 100 + 20 / 2
  CHECK(number(a13.rows[0][2]) == Approx(0.5));
  CHECK(number(a13.rows[0][3]) == Approx(0.61));
  CHECK(number(a13.rows[0][leveled]) == Approx(1.02));
  CHECK(number(a13.rows[0][leveled + 1]) == Approx(0.09));
}

TEST_CASE("a set that goes not deep enough is told by its deepest level") {
  const RecordedLayer layer{.name = "l", .us = 1000};
  const Analysed analysed({record({.index = 1, .level = "model", .evaluations = {{layer}}}),
                           record({.index = 2, .level = "library", .evaluations = {{layer}}}),
                           record({.index = 3, .level = "layer", .evaluations = {{layer}}})});
  CHECK(has_note(analysed.table("A13"), "recorded with --level library"));
}

TEST_CASE("a leveled difference below zero is shown") {
  std::vector<std::string> runs;
  runs.push_back(record({.index = 1, .level = "layer", .evaluations = {evaluation(1000, 500)}}));
  runs.push_back(record({.index = 2, .level = "kernel", .evaluations = {evaluation(900, 600)}}));
  const Table a13 = Analysed(runs, mean_of_all()).table("A13");
  CHECK(number(a13.rows[0].back()) == Approx(-0.1));
  CHECK(number(a13.rows[1].back()) == Approx(0.1));
}

TEST_CASE("a recording by itself has no leveled columns, notes or rows") {
  const std::string bytes = record({.level = "kernel", .evaluations = {evaluation(1000, 500)}, .by_itself = true});
  const Analysed analysed({bytes}, mean_of_all());
  CHECK(analysed.table("A13").columns.back().name == "wait_ms");
  CHECK(quality(analysed.table("Q1"), "divergence") == -2);
  for (const char* id : {"A1", "A2", "A8", "C1"}) CHECK_FALSE(has_note(analysed.table(id), "of a set"));
}

TEST_CASE("warm-up is left out of every run for itself, or --skip N of every run") {
  std::vector<std::string> runs;
  for (uint32_t index = 1; index <= 2; ++index) {
    RecordedRun run{.index = index, .level = "model"};
    run.evaluations = {{{"l", 9000}}, {{"l", 1000}}, {{"l", 1000}}, {{"l", 1000}}};
    runs.push_back(record(run));
  }
  StudyOptions options;
  CHECK(number(Analysed(runs, options).table("A1").rows[0][4]) == 6);
  options.skip = 2;
  CHECK(number(Analysed(runs, options).table("A1").rows[0][4]) == 4);
  CHECK(number(Analysed(runs, options).table("A1").rows[0][1]) == Approx(1.1));
}

TEST_CASE("ranks, points of a sweep, sets and recordings by themselves stay apart") {
  std::vector<std::string> runs;
  const auto add = [&](uint32_t index, const std::string& rank, const std::string& batch, const std::string& set,
                       int64_t us) {
    RecordedRun run{.index = index, .level = "model", .evaluations = {{{"l", us}}}, .rank = rank, .set = set};
    if (!batch.empty()) run.parameters = {{"batch", batch}};
    runs.push_back(record(run));
  };
  const std::string set = "00000000000000aa";
  for (uint32_t repetition = 0; repetition < 2; ++repetition) {
    add(1 + 3 * repetition, "0", "1", set, 1000);
    add(2 + 3 * repetition, "1", "1", set, 2000);
    add(3 + 3 * repetition, "0", "2", set, 3000);
  }
  add(1, "0", "1", "00000000000000bb", 4000);
  runs.push_back(record({.level = "model", .evaluations = {{{"l", 5000}}}, .rank = "0", .by_itself = true}));
  const Analysed analysed(runs, mean_of_all());
  const Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 5);
  std::vector<std::pair<double, double>> found;
  std::vector<std::string> processes;
  for (const auto& row : a1.rows) {
    found.emplace_back(number(row[1]), number(row[4]));
    processes.push_back(text(row[8]));
  }
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::pair<double, double>>{{1.1, 2}, {2.1, 2}, {3.1, 2}, {4.1, 1}, {5.1, 1}});
  CHECK(std::count(processes.begin(), processes.end(), "rank 0 (pid 101, 2 runs, set 00000000000000aa)") == 1);
  CHECK(std::count(processes.begin(), processes.end(), "rank 0 (pid 101, set 00000000000000bb)") == 1);
}

TEST_CASE("a run that does not tell instances apart is of the only one that there is") {
  std::vector<std::string> runs;
  const auto add = [&](uint32_t index, const std::string& level, const std::string& scope) {
    RecordedRun run{.index = index, .level = level, .evaluations = {evaluation(1000, 500)}};
    run.scope = scope;
    runs.push_back(record(run));
  };
  add(1, "model", "");
  add(2, "layer", "Net #1");
  const Analysed one(runs, mean_of_all());
  REQUIRE(one.table("A1").rows.size() == 1);
  CHECK(text(one.table("A1").rows[0][6]) == "Net");
  CHECK(one.table("A2").rows.size() == 2);
}

TEST_CASE("a command that has the number of its run is the same program in every run") {
  std::vector<std::string> runs;
  for (uint32_t index = 1; index <= 3; ++index) {
    runs.push_back(record({.index = index,
                           .level = "model",
                           .evaluations = {{{"l", 1000}}},
                           .command = {"python", "infer.py", "--out=run" + std::to_string(index) + ".json"}}));
  }
  const Analysed analysed(runs);
  REQUIRE(analysed.table("A1").rows.size() == 1);
  CHECK(number(analysed.table("A1").rows[0][4]) == 3);
}

TEST_CASE("--per trace lists every run separately") {
  StudyOptions options;
  options.per_trace = true;
  const Analysed analysed(leveled_set(), options);
  CHECK(analysed.table("A1").rows.size() == 8);
  CHECK(has_note(analysed.table("A1"), "8 runs of a set, listed separately"));
}

TEST_CASE("what the level of a run left out is unknown with --per trace, not 0") {
  StudyOptions options;
  options.per_trace = true;
  const Analysed analysed(leveled_set(), options);
  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 12);  // two layers in each of the six runs that recorded layers
  size_t without_calls = 0;
  size_t without_kernels = 0;
  for (const auto& row : a2.rows) {
    CHECK(is_null(row[8]) == is_null(row[9]));
    without_calls += is_null(row[8]) ? 1 : 0;
    without_kernels += is_null(row[12]) ? 1 : 0;
  }
  CHECK(without_calls == 4);
  CHECK(without_kernels == 8);
  CHECK(has_note(a2, "library calls are not known for 4 of 12 layers"));

  const Table a13 = analysed.table("A13");
  CHECK(std::count_if(a13.rows.begin(), a13.rows.end(), [](const auto& row) {
          return is_null(row[2]) && is_null(row[3]) && is_null(row[6]) && is_null(row[7]);
        }) == 8);
  CHECK(has_note(a13, "gpu_ms is not known for 8 of 12 layers"));

  const Table a15 = analysed.table("A15");
  CHECK(std::count_if(a15.rows.begin(), a15.rows.end(), [](const auto& row) { return is_null(row[3]); }) == 6);
  CHECK(has_note(a15, "kernels are not known for 6 of 8 rows"));

  const Table c1 = analysed.table("C1");
  CHECK(c1.rows.size() == 8);  // one in each of two evaluations of four runs
  CHECK(std::count_if(c1.rows.begin(), c1.rows.end(), [](const auto& row) { return is_null(row[9]); }) == 4);
}

TEST_CASE("a recording without kernels beside one that has some does not say that there are none") {
  const RecordedEvaluation one = evaluation(1000, 500);
  RecordedRun layers{.index = 1, .level = "layer", .evaluations = {one, one, one}, .by_itself = true};
  RecordedRun kernels{.index = 2, .level = "kernel", .evaluations = {one}, .by_itself = true};
  StudyOptions options;
  options.process = "101";
  for (const auto& chosen : {StudyOptions(), options}) {
    const Analysed analysed({record(layers), record(kernels)}, chosen);
    const Table a2 = analysed.table("A2");
    REQUIRE(a2.rows.size() == 2);
    CHECK(number(a2.rows[0][6]) == 2);
    CHECK(is_null(a2.rows[0][8]));
    CHECK(is_null(a2.rows[0][12]));
    CHECK(is_null(analysed.table("A13").rows[0][2]));
  }
}

TEST_CASE("what no run of a set recorded is told with the deepest level that one did, and the set that would") {
  const std::vector<RecordedEvaluation> one = {evaluation(1000, 500)};
  const Analysed leveled({record({.index = 1, .level = "model", .evaluations = one}),
                          record({.index = 2, .level = "layer", .evaluations = one})},
                         mean_of_all());
  CHECK(
      has_note(leveled.table("C1"),
               "recorded with --level layer; record library calls with: xsp-run --leveled --level library -- COMMAND"));
  CHECK(has_note(leveled.table("A8"),
                 "recorded with --level layer; record kernels with: xsp-run --leveled --level kernel -- COMMAND"));

  const Analysed sweep({record({.index = 1, .level = "model", .evaluations = one, .parameters = {{"batch", "4"}}})});
  CHECK(has_note(sweep.table("A2"),
                 "recorded with --level model; record layers with: xsp-bench --level layer -L … -- COMMAND"));
}

TEST_CASE("a run that is given twice counts once") {
  auto runs = leveled_set();
  runs.push_back(runs.front());
  CHECK(number(Analysed(runs, mean_of_all()).table("A1").rows[0][4]) == 4);
}

TEST_CASE("runs with another input of the model are told with the input") {
  std::vector<std::string> runs;
  runs.push_back(record({.index = 1, .level = "model", .evaluations = {evaluation(1000, 500)}, .input = "[1,3]"}));
  runs.push_back(record({.index = 2, .level = "layer", .evaluations = {evaluation(1000, 500)}, .input = "[2,3]"}));
  const Analysed analysed(runs, mean_of_all());
  const Table a1 = analysed.table("A1");
  CHECK((has_note(a1, "no evaluation of Net with input [1,3] in run 2 of the set") ||
         has_note(a1, "no evaluation of Net with input [2,3] in run 1 of the set")));
  CHECK(has_note(analysed.table("L1"), "runs with other level sets have no such step or call"));
}

TEST_CASE("a process of any run chooses its group") {
  StudyOptions options = mean_of_all();
  options.process = "105";
  const Analysed analysed(leveled_set(), options);
  REQUIRE(analysed.table("A1").rows.size() == 1);
  CHECK(number(analysed.table("A1").rows[0][4]) == 4);
}

TEST_CASE("where layers outlast their calls the runs with kernels tell how long they take") {
  const auto delayed = [](int64_t us) { return RecordedEvaluation{{"conv", us, {}, {{"conv_kernel", 400, 500}}}}; };
  std::vector<std::string> runs;
  runs.push_back(record({.index = 1, .level = "layer", .evaluations = {delayed(1000)}}));
  runs.push_back(record({.index = 2, .level = "kernel", .evaluations = {delayed(1100)}}));
  const Analysed analysed(runs, mean_of_all());
  const Table a2 = analysed.table("A2");
  CHECK(number(a2.rows[0][4]) == Approx(1.5));   // 1100 of the call, 400 of the kernel that ends 500 µs behind it
  CHECK(number(a2.rows[0][11]) == Approx(1.0));  // host_ms
  CHECK(has_note(a2, "host_ms is from M/L"));
  const Table a13 = analysed.table("A13");
  CHECK(number(a13.rows[0][1]) == Approx(1.5));
  CHECK(is_null(a13.rows[0][a13.columns.size() - 1]));
  CHECK(has_note(a13, "there is no leveled latency"));
}

TEST_CASE("layers that one level set has alone are told, and their kernels are not lost") {
  auto with_extra = evaluation(1100, 600);
  with_extra.insert(with_extra.begin(), {"cast", 50, {}, {{"cast_kernel", 20}}});
  std::vector<std::string> runs;
  runs.push_back(record({.index = 1, .level = "layer", .evaluations = {evaluation(1000, 500)}}));
  runs.push_back(record({.index = 2, .level = "kernel", .evaluations = {with_extra}}));
  const Analysed analysed(runs, mean_of_all());
  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 2);
  CHECK(number(a2.rows[0][12]) == Approx(0.5));
  CHECK(has_note(a2,
                 "the layers of M/L/library/G are not those of M/L: 1 only in M/L/library/G; first at index 0: cast "
                 "(Other) only in M/L/library/G; they take 0.05 ms, 3.1 % of the model's latency"));
  const Table a11 = analysed.table("A11");
  CHECK(number(a11.rows[0][3]) == Approx(0.5));  // conv
  CHECK(number(a11.rows[1][3]) == Approx(0.2));
  CHECK(is_null(a11.rows[2][0]));
  CHECK(text(a11.rows[2][1]) == "cast");
  CHECK(number(a11.rows[2][3]) == Approx(0.02));
  for (const char* id : {"A8", "A10", "A11", "A15"}) CHECK(analysed.table(id).contradiction.empty());
  const Table a13 = analysed.table("A13");
  REQUIRE(a13.rows.size() == 3);
  CHECK(number(a13.rows[1][1]) == Approx(0.6));
  CHECK(text(a13.rows[2][5]) == "cast");
  CHECK(number(a13.rows[2][1]) == Approx(0.05));
  CHECK(quality(analysed.table("Q1"), "divergence", "layer") == 1);
}

TEST_CASE("a run with another kernel or another number of evaluations is named") {
  const auto other = [] {
    auto changed = evaluation(1100, 600);
    changed[0].kernels[1] = {"other_kernel", 150};
    return changed;
  };
  std::vector<std::string> runs;
  for (uint32_t index = 1; index <= 3; ++index) {
    RecordedRun run{.index = index, .level = "kernel", .evaluations = {evaluation(1100, 600), evaluation(1100, 600)}};
    if (index == 2) run.evaluations = {other()};
    runs.push_back(record(run));
  }
  const Analysed analysed(runs, mean_of_all());
  const Table a10 = analysed.table("A10");
  CHECK(a10.rows.size() == 3);
  CHECK(has_note(
      a10,
      "the kernels of run 2 (M/L/library/G) differ from those of the others, and it is aligned with them: 1 under "
      "another name; first at layer 0 (conv), launch 1: other_kernel instead of bias_kernel; they take "
      "0.15 ms, 8.3 % of the model's latency"));
  CHECK(has_note(analysed.table("A1"), "1 evaluation of Net in run 2, where 2 of 3 runs made 2"));
  CHECK(quality(analysed.table("Q1"), "divergence", "device") == 1);
  CHECK(quality(analysed.table("Q1"), "divergence", "model") == 1);
}

TEST_CASE("single evaluations that differ are told with their runs") {
  auto swapped = evaluation(1000, 500);
  std::swap(swapped[0], swapped[1]);
  std::vector<std::string> runs;
  for (uint32_t index = 1; index <= 2; ++index) {
    RecordedRun run{.index = index, .level = "layer"};
    run.evaluations = {evaluation(1000, 500), evaluation(1000, 500), index == 2 ? swapped : evaluation(1000, 500)};
    runs.push_back(record(run));
  }
  const Table a2 = Analysed(runs, mean_of_all()).table("A2");
  CHECK(has_note(
      a2,
      "the layers of 1 evaluation in run 2 (M/L) differ from those of the 5 others, and are aligned with them: "
      "1 in another place"));
}

TEST_CASE("library calls that a level set has alone are told, and have no kernels of the other") {
  auto more = evaluation(1100, 600);
  more[1].calls = {{"relu_call", 10}};
  std::vector<std::string> runs;
  runs.push_back(record({.index = 1, .level = "library", .evaluations = {more}}));
  runs.push_back(record({.index = 2, .level = "kernel", .evaluations = {evaluation(1100, 600)}}));
  const Analysed analysed(runs, mean_of_all());
  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 2);
  CHECK_FALSE(is_null(c1.rows[0][9]));
  CHECK(is_null(c1.rows[1][9]));
  CHECK(has_note(c1,
                 "the library calls of M/L/library/G are not those of M/L/library: 1 only in M/L/library; first at "
                 "call 1: relu_call only in M/L/library; they take 0.01 ms"));
}

TEST_CASE("the counters of a set are those of every run with kernels at its point") {
  std::vector<std::string> runs;
  const std::vector<std::string> kernels = {"conv_kernel", "bias_kernel", "relu_kernel"};
  for (uint32_t index = 1; index <= 2; ++index) {
    runs.push_back(record({.index = index, .level = "kernel", .evaluations = {evaluation(1000, 500)}}));
  }
  runs.push_back(record({.index = 3, .level = "kernel", .evaluations = {evaluation(9000, 900)}, .counted = kernels}));
  RecordedRun other{.index = 4, .level = "kernel", .evaluations = {evaluation(1000, 500)}};
  other.parameters = {{"batch", "8"}};
  other.input = "[8,3]";
  runs.push_back(record(other));
  const Analysed analysed(runs, mean_of_all());
  const Table a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == 2);
  CHECK(number(a15.rows[0][5]) == Approx(6e-6));  // gflops: 1000 + 2000 + 3000
  CHECK(number(a15.rows[0][6]) == Approx(384.0 / 1024 / 1024));
  CHECK(is_null(a15.rows[1][5]));
  const Table a10 = analysed.table("A10");
  CHECK(number(a10.rows[0][4]) == Approx(1e-6));
  for (const char* id : {"A8", "A10", "A11", "A15"}) CHECK(analysed.table(id).contradiction.empty());
  // The latencies are those of the other runs.
  CHECK(number(a15.rows[0][1]) == Approx(1.6));
  CHECK(number(analysed.table("A1").rows[0][4]) == 2);
}

TEST_CASE("the summary of a set says what its runs are") {
  const std::string summary = analysis::render_summary(*Analysed(leveled_set(), mean_of_all()).study);
  CHECK(contains(summary, "8 runs of a set (2 of M, 2 of M/L, 2 of M/L/library, 2 of M/L/library/G)"));
  CHECK(contains(summary, "mean of 4"));
}

}  // namespace
}  // namespace xsp::test
