#include <algorithm>
#include <string>
#include <vector>

#include "analysis/iterations/operations.h"
#include "analysis/study/iteration_study.h"
#include "test/analysis/support/number_in.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// Iterations of a copy to the device and eight kernels, 100 ns each, one every 1000 ns.
class Iterations {
 public:
  explicit Iterations(uint32_t process = 1) : process_(process) {}

  void add() {
    executions_.push_back({.begin = at_,
                           .end = at_ + 50,
                           .name = "HtoD",
                           .kind = KIND_MEMCPY,
                           .stream = 14,
                           .bytes = 64,
                           .process = process_});
    for (int i = 0; i < 8; ++i) {
      executions_.push_back({.begin = at_ + 100 + 60 * i,
                             .end = at_ + 150 + 60 * i,
                             .name = "kernel" + std::to_string(i),
                             .configuration = "grid=[" + std::to_string(i + 1) + ",1,1]",
                             .process = process_});
    }
    at_ += 1000;
  }

  const std::vector<ExecutionSpec>& executions() const { return executions_; }

 private:
  uint32_t process_;
  int64_t at_ = 5000;
  std::vector<ExecutionSpec> executions_;
};

std::string looping(int count) {
  TraceBuilder builder;
  builder.add_process(10);
  Iterations iterations;
  for (int i = 0; i < count; ++i) iterations.add();
  builder.add_executions(iterations.executions());
  return builder.bytes();
}

double pattern_of(const analysis::Table& table, const std::string& field) {
  REQUIRE(!table.extras.empty());
  REQUIRE(table.extras[0].name == "pattern");
  for (const auto& [name, value] : table.extras[0].fields) {
    if (name == field) return number(value);
  }
  FAIL("no field " + field);
  return 0;
}

TEST_CASE("D1 has its pattern folded, a line an operation or a block") {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  int64_t at = 5000;
  const auto add = [&](const std::string& name) {
    executions.push_back({.begin = at, .end = at + 50, .name = name, .process = 1});
    at += 60;
  };
  for (int iteration = 0; iteration < 12; ++iteration) {
    add("embed");
    for (int block = 0; block < 4; ++block) {
      for (const char* name : {"gemm", "add", "norm"}) add(name);
    }
    add("adam");
    at += 5000;
  }
  builder.add_executions(executions);
  const analysis::Table table = Analysed({builder.bytes()}).table("D1");
  REQUIRE(table.parts.size() == 1);
  const analysis::Table& folded = table.parts[0];
  CHECK(folded.id == "folded");
  std::vector<std::string> lines;
  for (size_t row = 0; row < folded.rows.size(); ++row) {
    const auto* what = std::get_if<std::string>(&folded.rows[row][3]);
    lines.push_back(std::string(static_cast<size_t>(number_in(folded, row, "depth")), ' ') +
                    std::to_string(static_cast<int>(number_in(folded, row, "repeats"))) + "*" +
                    std::to_string(static_cast<int>(number_in(folded, row, "operations"))) +
                    (what == nullptr ? "" : " " + *what));
  }
  CHECK(lines == std::vector<std::string>{"1*1 embed", "4*3", " 1*1 gemm", " 1*1 add", " 1*1 norm", "1*1 adam"});
}

TEST_CASE("an iteration runs from its first kernel to its last, copies from the host lie between iterations") {
  const Analysed analysed({looping(12)});
  const analysis::Table table = analysed.table("D1");
  REQUIRE(table.rows.size() == 12);
  CHECK(number_in(table, 3, "iteration") == 3);
  CHECK(number_in(table, 3, "start_ms") == Approx(3100e-6));
  CHECK(number_in(table, 3, "duration_ms") == Approx(470e-6));
  CHECK(number_in(table, 3, "end_ms") == Approx(3570e-6));
  CHECK(number_in(table, 3, "period_ms") == Approx(1000e-6));
  CHECK(number_in(table, 11, "period_ms") == -1);
  CHECK(number_in(table, 3, "operations") == 9);
  CHECK(number_in(table, 3, "deviations") == 0);
  CHECK(number_in(table, 3, "level") == 0);
  CHECK(number_in(table, 3, "parent") == -1);
  CHECK(pattern_of(table, "length") == 9);
  CHECK(pattern_of(table, "count") == 12);
  CHECK(pattern_of(table, "confidence") > 0.9);
  CHECK(has_note(table, "12 iterations of 9 operations"));
}

TEST_CASE("no loop is an answer, with count 0, and no lack of data") {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  for (int i = 0; i < 40; ++i) {
    executions.push_back({.begin = 100 * i, .end = 100 * i + 50, .name = "kernel" + std::to_string(i)});
  }
  builder.add_executions(executions);
  const analysis::Table table = Analysed({builder.bytes()}).table("D1");
  CHECK(table.rows.empty());
  CHECK_FALSE(table.lacks_data);
  CHECK(pattern_of(table, "count") == 0);
  CHECK(has_note(table, "no loop: "));
  CHECK(has_note(table, "40 operations"));
}

TEST_CASE("without operations D1 lacks data and says what would record them") {
  TraceBuilder builder;
  builder.add_process(10);
  const analysis::Table table = Analysed({builder.bytes()}).table("D1");
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(pattern_of(table, "count") == 0);
  CHECK(has_note(table, "xsp-run"));
}

TEST_CASE("D1 is of the process that --process chooses") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  Iterations first(1);
  Iterations second(2);
  for (int i = 0; i < 6; ++i) first.add();
  for (int i = 0; i < 9; ++i) second.add();
  builder.add_executions(first.executions());
  builder.add_executions(second.executions());
  const std::string bytes = builder.bytes();
  const analysis::Table busiest = Analysed({bytes}).table("D1");
  CHECK(busiest.rows.size() == 9);
  CHECK(has_note(busiest, "of pid 11, the busiest process; not of pid 10"));
  CHECK(Analysed({bytes}, {.process = "10"}).table("D1").rows.size() == 6);
}

TEST_CASE("totals of the whole trace leave iterations as they are") {
  CHECK(Analysed({looping(12)}, {.per_trace = true}).table("D1").rows.size() == 12);
}

TEST_CASE("the pattern's repeats are folded, copies by their direction") {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  for (int i = 0; i < 10; ++i) {
    const auto add = [&](int64_t at, const std::string& name, int kind) {
      executions.push_back({.begin = 10000 * i + at, .end = 10000 * i + at + 50, .name = name, .kind = kind});
    };
    add(0, "HtoD", KIND_MEMCPY);
    add(100, "first", KIND_KERNEL);
    for (int block = 0; block < 6; ++block) {
      add(200 + 120 * block, "_Z4gemmv", KIND_KERNEL);
      add(260 + 120 * block, "relu", KIND_KERNEL);
    }
    add(1000, "last", KIND_KERNEL);
  }
  builder.add_executions(executions);
  const analysis::Table table = Analysed({builder.bytes()}).table("D1");
  REQUIRE(table.parts.size() == 1);
  const analysis::Table& folded = table.parts[0];
  CHECK(folded.id == "folded");
  const auto block = std::find_if(folded.rows.begin(), folded.rows.end(),
                                  [](const auto& row) { return number(row[1]) == 6 && number(row[2]) == 2; });
  REQUIRE(block != folded.rows.end());
  CHECK(analysis::is_null((*block)[3]));
  CHECK(number((*(block + 1))[0]) == number((*block)[0]) + 1);
  CHECK(text((*(block + 1))[3]) == "gemm()");
  CHECK(text((*(block + 2))[3]) == "relu");
  const auto has = [&](const std::string& what) {
    return std::any_of(folded.rows.begin(), folded.rows.end(), [&](const auto& row) { return text(row[3]) == what; });
  };
  CHECK(has("copy to device"));
  CHECK(has("last"));
}

TEST_CASE("the paper's method is of main streams and takes the count of the default where none is given") {
  analysis::StudyOptions options;
  options.mining.method = analysis::MiningMethod::kSuffixTree;
  const analysis::Table table = Analysed({looping(12)}, options).table("D1");
  CHECK(table.rows.size() == 12);
  CHECK(pattern_of(table, "length") == 8);
  CHECK(has_note(table, "main streams (7) are searched"));
  CHECK(has_note(table, "comes from the default method"));
  options.mining.counts = {12};
  const analysis::Table given = Analysed({looping(12)}, options).table("D1");
  CHECK(given.rows.size() == 12);
  CHECK_FALSE(has_note(given, "comes from the default method"));
}

TEST_CASE("a count that is not there is said and changes nothing") {
  analysis::StudyOptions options;
  options.mining.counts = {5};
  const analysis::Table table = Analysed({looping(12)}, options).table("D1");
  CHECK(has_note(table, "5 iterations were asked for"));
}

TEST_CASE("tables share what was found once") {
  const Analysed analysed({looping(12)});
  const auto* found = analysis::found_iterations(*analysed.study);
  REQUIRE(found != nullptr);
  CHECK(found == analysis::found_iterations(*analysed.study));
  CHECK(found->outermost() == 0);
}

TEST_CASE("layers are the operations of a trace without a device") {
  TraceBuilder builder;
  builder.add_process(10);
  for (int i = 0; i < 10; ++i) builder.add_evaluation(100 * i, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const analysis::Table table = Analysed({builder.bytes()}).table("D1");
  CHECK(table.rows.size() == 10);
  CHECK(has_note(table, "no GPU activity was recorded"));
}

TEST_CASE("idle times are the same in any order of asking") {
  Iterations iterations;
  for (int i = 0; i < 100; ++i) iterations.add();
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_executions(iterations.executions());
  const Analysed analysed({builder.bytes()});
  const auto operations = analysis::operations_of(analysed.trace, analysed.evaluations, 1);
  REQUIRE(operations.size() == 900);
  analysis::IdleTimes forwards(analysed.trace, operations);
  std::vector<int64_t> times;
  for (size_t i = 0; i < operations.size(); ++i) times.push_back(forwards.before(i));
  CHECK(times[0] == 0);
  CHECK(times[1] == 50);
  CHECK(times[2] == 10);
  CHECK(times[9] == 430);
  analysis::IdleTimes anywhere(analysed.trace, operations);
  for (size_t step = 0; step < operations.size(); ++step) {
    const size_t i = step * 389 % operations.size();
    REQUIRE(anywhere.before(i) == times[i]);
  }
}

}  // namespace
}  // namespace xsp::test
