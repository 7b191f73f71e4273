/// L1 on sets of runs whose every overhead is given.

#include "analysis/tables/levels.h"
#include "analysis/tables/level_tables.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::StudyOptions;
using analysis::Table;

/// The row of an event; `layer`: -1 for none.
std::vector<Cell> row_of(const Table& table, const std::string& set, const std::string& event, int layer = -1) {
  for (const auto& row : table.rows) {
    if (text(row[0]) == set && text(row[1]) == event && static_cast<int>(number(row[2])) == layer) return row;
  }
  FAIL("no row " << set << " " << event << " " << layer);
  return {};
}

struct Expected {
  std::string set;
  std::string event;
  int layer;
  double latency_ms;
  double overhead_ms;  // 0: null
  double overhead_pct;
};

void check_row(const Table& table, const Expected& expected) {
  CAPTURE(expected.set, expected.event, expected.layer);
  const auto row = row_of(table, expected.set, expected.event, expected.layer);
  CHECK_THAT(number(row[3]), Catch::Matchers::WithinRel(expected.latency_ms, 1e-9));
  if (expected.overhead_ms == 0) {
    CHECK(is_null(row[4]));
    CHECK(is_null(row[5]));
    return;
  }
  CHECK_THAT(number(row[4]), Catch::Matchers::WithinRel(expected.overhead_ms, 1e-9));
  CHECK_THAT(number(row[5]), Catch::Matchers::WithinRel(expected.overhead_pct, 1e-9));
}

TEST_CASE("the overhead of a level is the latency with it less that without it, for model, layers and calls") {
  const Analysed analysed(four_levels().traces);
  const Table table = analysed.table("L1");
  check_columns(
      table, {"level_set", "event_level", "layer_index", "latency_ms", "overhead_ms", "overhead_pct", "n", "spread"});
  CHECK(table.rows.size() == 4 + 6 + 2);
  const std::string library = "M/L/library";
  const std::string all = "M/L/library/G";
  check_row(table, {"M", "model", -1, 1.0, 0, 0});
  check_row(table, {"M/L", "model", -1, 1.3, 0.3, 30});
  check_row(table, {library, "model", -1, 1.5, 0.2, 20 / 1.3});
  check_row(table, {all, "model", -1, 2.1, 0.6, 40});
  check_row(table, {"M/L", "layer", 0, 0.4, 0, 0});
  check_row(table, {"M/L", "layer", 1, 0.5, 0, 0});
  check_row(table, {library, "layer", 0, 0.45, 0.05, 12.5});
  check_row(table, {library, "layer", 1, 0.62, 0.12, 24});
  check_row(table, {all, "layer", 0, 0.6, 0.15, 100.0 / 3});
  check_row(table, {all, "layer", 1, 0.7, 0.08, 800.0 / 62});
  check_row(table, {library, "library", -1, 0.3, 0, 0});
  check_row(table, {all, "library", -1, 0.41, 0.11, 1100.0 / 30});
  CHECK(number(row_of(table, "M", "model")[6]) == 4);
  CHECK(number(row_of(table, "M", "model")[7]) == 0);
  CHECK(text(row_of(table, all, "layer", 1)[8]) == "relu");
  CHECK_FALSE(table.lacks_data);
  CHECK(has_note(table,
                 "the model takes 1 ms at M; the layer level +0.3 ms (+30 %), the library level +0.2 ms (+15.4 "
                 "%), the kernel level +0.6 ms (+40 %); together +1.1 ms (+110 %)"));
  CHECK(has_note(table, "the library level costs most in layer 1 relu (+0.12 ms), 0 conv (+0.05 ms)"));
}

TEST_CASE("a negative overhead is shown as measured") {
  RunSet set;
  set.add("model", 3, {1000, {}}).add("layer", 3, {900, {{"conv", 400}}});
  const Analysed analysed(set.traces);
  check_row(analysed.table("L1"), {"M/L", "model", -1, 0.9, -0.1, -10});
}

TEST_CASE("where a level set is missing, overhead is against the next shallower one") {
  RunSet set;
  set.add("model", 3, {1000, {}}).add("kernel", 3, {2100, {{"conv", 600, 150}}});
  const Table table = Analysed(set.traces).table("L1");
  check_row(table, {"M/L/library/G", "model", -1, 2.1, 1.1, 110});
  check_row(table, {"M/L/library/G", "layer", 0, 0.6, 0, 0});
  check_row(table, {"M/L/library/G", "library", -1, 0.15, 0, 0});
  CHECK(has_note(table, "the layer and library and kernel levels +1.1 ms"));
}

TEST_CASE("evaluations of all runs of a set count, without the warm-up of each") {
  RunSet set;
  set.add("model", 3, {1000, {}}, 1).add("layer", 3, {1300, {{"conv", 400}}}, 1);
  set.add("layer", 3, {1500, {{"conv", 500}}}, 2).add("model", 3, {1200, {}}, 2);
  const Table table = Analysed(set.traces).table("L1");
  check_row(table, {"M", "model", -1, 1.1, 0, 0});
  check_row(table, {"M/L", "model", -1, 1.4, 0.3, 300 / 11.0});
  const auto row = row_of(table, "M/L", "layer", 0);
  CHECK(number(row[6]) == 6);
  CHECK_THAT(number(row[7]), Catch::Matchers::WithinRel(0.1, 1e-9));
  CHECK(number(row[12]) == 2);
}

TEST_CASE("a recording at one level has latencies and says how to get the overheads") {
  RunSet set;
  set.add("layer", 3, {1300, {{"conv", 400}}});
  const Analysed analysed(set.traces);
  const Table table = analysed.table("L1");
  check_row(table, {"M/L", "model", -1, 1.3, 0, 0});
  check_row(table, {"M/L", "layer", 0, 0.4, 0, 0});
  CHECK(table.lacks_data);
  CHECK(has_note(table, "xsp-run --leveled -- COMMAND"));
  CHECK_FALSE(analysis::has_several_level_sets(*analysed.study));
  CHECK(analysis::has_several_level_sets(*Analysed(four_levels().traces).study));
}

TEST_CASE("with --per trace no runs are merged, and L1 says that it has no overheads for that") {
  StudyOptions options;
  options.per_trace = true;
  const Table table = Analysed(four_levels().traces, options).table("L1");
  CHECK(table.lacks_data);
  CHECK(has_note(table, "--per trace lists every run separately"));
}

TEST_CASE("without models there is nothing to compare, and that is said") {
  TraceBuilder builder;
  builder.add_process(1);
  const Table table = Analysed({builder.bytes()}).table("L1");
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK_FALSE(table.notes.empty());
}

TEST_CASE("layers are compared with those of the same place in the sequence, not of the same index") {
  RunSet set;
  set.add("layer", 3, {1300, {{"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}}});
  set.add("library", 3, {1400, {{"a", 110}, {"new", 50}, {"b", 220}, {"d", 440}}});
  const Table table = Analysed(set.traces).table("L1");
  check_row(table, {"M/L/library", "layer", 0, 0.11, 0.01, 10});
  check_row(table, {"M/L/library", "layer", 2, 0.22, 0.02, 10});
  check_row(table, {"M/L/library", "layer", 3, 0.44, 0.04, 10});
  check_row(table, {"M/L/library", "layer", 1, 0.05, 0, 0});
  CHECK(has_note(table, "M/L/library has 4 layers, M/L 4: 1 of the former and 1 of the latter have no counterpart"));
}

TEST_CASE("an overhead that may be chance is called so") {
  const std::vector<int64_t> noise = {0, 37, -52, 81, -23, 64, -77, 12, 45, -61, 5, -18, 90, -33, 28};
  const auto noisy = [&](int64_t model_us, size_t shift) {
    std::vector<EvaluationCosts> evaluations;
    for (size_t i = 0; i < noise.size(); ++i) {
      evaluations.push_back({model_us + noise[(i * 7 + shift) % noise.size()], {}});
    }
    return evaluations;
  };
  constexpr size_t kSignificant = 11;
  RunSet set;
  set.add("model", noisy(1000, 0)).add("layer", noisy(1004, 5)).add("kernel", noisy(1500, 9));
  const Table table = Analysed(set.traces).table("L1");
  CHECK(row_of(table, "M/L", "model")[kSignificant] == Cell(false));
  CHECK(row_of(table, "M/L/library/G", "model")[kSignificant] == Cell(true));
  CHECK(is_null(row_of(table, "M", "model")[kSignificant]));
  CHECK(has_note(table, "the model overhead of the layer level ("));
  const auto row = row_of(table, "M/L/library/G", "model");
  CHECK(number(row[9]) < number(row[4]));
  CHECK(number(row[4]) < number(row[10]));
}

TEST_CASE("runs that record no layers do not tell instances: they are those of the other runs") {
  RunSet set;
  set.add("model", 3, {1000, {}}).add("layer", 3, {1300, {{"conv", 450}}, "onnxruntime session 1"});
  const Analysed analysed(set.traces);
  check_row(analysed.table("L1"), {"M/L", "model", -1, 1.3, 0.3, 30});
  const Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(text(a1.rows[0][6]) == "resnet");
}

TEST_CASE("of several instances it is the one that the other run evaluated at the same place") {
  const std::string one = "onnxruntime session 1";
  const std::string two = "onnxruntime session 2";
  RunSet set;
  set.add("model", {{1000, {}}, {3000, {}}, {1000, {}}, {3000, {}}});
  set.add("layer", {{1300, {}, one}, {3600, {}, two}, {1300, {}, one}, {3600, {}, two}});
  const Analysed analysed(set.traces);
  const Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 2);
  CHECK(text(a1.rows[0][6]) == "resnet (session 1)");
  CHECK_THAT(number(a1.rows[0][1]), Catch::Matchers::WithinRel(1.0, 1e-9));
  CHECK_THAT(number(a1.rows[1][1]), Catch::Matchers::WithinRel(3.0, 1e-9));
  StudyOptions options;
  options.model = "resnet (session 2)";
  const Analysed second(set.traces, options);
  check_row(second.table("L1"), {"M/L", "model", -1, 3.6, 0.6, 20});

  RunSet other;
  other.add("model", {{1000, {}}, {3000, {}}, {1000, {}}});
  other.add("layer", {{1300, {}, one}, {3600, {}, two}, {1300, {}, one}, {3600, {}, two}});
  CHECK(Analysed(other.traces).table("A1").rows.size() == 3);
}

TEST_CASE("what a program marks deeper than a level set is no part of it") {
  RunSet set;
  set.add("model", 3, {1000, {{"conv", 400, 100}}}).add("layer", 3, {1300, {{"conv", 450, 110}}});
  const Table table = Analysed(set.traces).table("L1");
  CHECK(table.rows.size() == 3);
  check_row(table, {"M/L", "layer", 0, 0.45, 0, 0});
  CHECK(table.parts[0].rows.size() == 3);
}

TEST_CASE("where kernels outlast their layers, layers are compared by their time on the host") {
  RunSet set;
  set.add("layer", 3, {1300, {{"conv", 400}}});
  set.add("kernel", 3, {2100, {{"conv", 600, 150, 900}}});
  const Table table = Analysed(set.traces).table("L1");
  check_row(table, {"M/L/library/G", "layer", 0, 0.6, 0.2, 50});
  CHECK(has_note(table, "layers are compared by CPU time"));
}

}  // namespace
}  // namespace xsp::test
