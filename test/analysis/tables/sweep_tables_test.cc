/// A1, A15 and M1 over the points of a sweep.

#include <fmt/format.h>

#include "analysis/tables/model_baseline.h"
#include "analysis/tables/model_sweeps.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// One run of the sweep: evaluations of these latencies.
struct Point {
  Parameters parameters;
  std::vector<double> latencies_ms;
  std::string input = "[1,3,8,8]";
  double inputs = 0;
  std::string model = "Net";
  uint32_t repetition = 1;
};

std::string recorded(uint32_t index, const Point& point) {
  TraceBuilder builder;
  builder.describe_run(index, "", point.repetition, point.parameters);
  if (point.inputs != 0) builder.message().mutable_packet(0)->mutable_header()->mutable_run()->set_inputs(point.inputs);
  builder.add_process(index);
  int64_t at = 0;
  uint32_t id = 0;
  std::vector<ExecutionSpec> kernels;
  for (const double latency : point.latencies_ms) {
    SpanSpec span{.begin = at, .end = at + std::llround(1e6 * latency), .id = ++id, .level = LEVEL_MODEL};
    span.kind = KIND_TORCH_ROOT;
    span.name = point.model;
    span.input = point.input;
    SpanSpec launch{.begin = at + 10, .end = at + 20, .id = ++id, .parent = span.id, .level = LEVEL_RUNTIME};
    launch.kind = KIND_RUNTIME_CALL;
    launch.name = "cudaLaunchKernel";
    builder.add(launch);
    builder.add(span);
    kernels.push_back({.begin = at + 20, .end = span.end, .name = "kernel", .launch = launch.id});
    at = span.end + 1000;
  }
  builder.add_executions(kernels);
  return builder.bytes();
}

std::vector<std::string> recorded(const std::vector<Point>& points) {
  std::vector<std::string> runs;
  for (const Point& point : points) runs.push_back(recorded(static_cast<uint32_t>(runs.size() + 1), point));
  return runs;
}

analysis::Cell at(const analysis::Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows.at(row).at(i);
  }
  FAIL("no column " << column);
  return {};
}

const analysis::Cell* field(const analysis::Table& table, const std::string& extra, const std::string& name) {
  for (const auto& one : table.extras) {
    if (one.name != extra) continue;
    for (const auto& [key, value] : one.fields) {
      if (key == name) return &value;
    }
  }
  return nullptr;
}

double value_of(const analysis::Table& table, const std::string& extra, const std::string& name) {
  const auto* cell = field(table, extra, name);
  return cell == nullptr ? -2 : number(*cell);
}

/// Batch sizes and latencies in ms of the paper's Table VI.
const std::vector<std::pair<int, double>> kPaper = {{1, 6.21},   {2, 6.83},   {4, 8.51},     {8, 12.80},   {16, 21.90},
                                                    {32, 40.03}, {64, 74.03}, {128, 142.89}, {256, 275.05}};

/// The sweep, not in its order.
std::vector<std::string> paper_sweep() {
  std::vector<Point> points;
  for (auto at = kPaper.rbegin(); at != kPaper.rend(); ++at) {
    points.push_back({.parameters = {{"batch", std::to_string(at->first)}},
                      .latencies_ms = {at->second, at->second, at->second},
                      .input = fmt::format("[{},224,224,3]", at->first)});
  }
  return recorded(points);
}

TEST_CASE("Table VI as a sweep: 64 by the rule, 256 by the maximum, and one for a latency target") {
  const auto runs = paper_sweep();
  const Analysed analysed(runs);
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == kPaper.size());
  for (size_t i = 0; i < kPaper.size(); ++i) {
    CHECK(number(at(a1, i, "batch")) == kPaper[i].first);
    CHECK(number(at(a1, i, "batch_size")) == kPaper[i].first);
    CHECK(number(at(a1, i, "latency_ms")) == Approx(kPaper[i].second));
    CHECK(number(at(a1, i, "throughput_per_s")) == Approx(1000 * kPaper[i].first / kPaper[i].second));
  }
  CHECK(a1.columns.back().name == "batch");
  CHECK(value_of(a1, "optimal_batch", "rule") == 64);
  CHECK(value_of(a1, "optimal_batch", "max") == 256);
  CHECK(value_of(a1, "optimal_batch", "chosen") == 64);
  CHECK(has_note(a1,
                 "64, the last one whose throughput was more than 5 % above that of the one before (largest "
                 "throughput: 256)"));
  analysis::StudyOptions options;
  options.optimal = *analysis::OptimalBatch::parse("latency=30");
  const Analysed limited(runs, options);
  const auto within = limited.table("A1");
  CHECK(value_of(within, "optimal_batch", "chosen") == 16);
  CHECK(value_of(within, "optimal_batch", "rule") == 64);
  CHECK(value_of(within, "optimal_batch", "max") == 256);
  CHECK(has_note(within, "16, the largest throughput within 30 ms (5 % rule: 64, largest throughput: 256)"));
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 1);
  CHECK(number(at(m1, 0, "optimal_batch")) == 64);
  CHECK(number(at(m1, 0, "online_latency_ms")) == Approx(6.21));
  CHECK(number(at(m1, 0, "max_throughput_per_s")) == Approx(1000 * 256 / 275.05));
  CHECK(number(at(m1, 0, "batch")) == 64);
  const auto a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == kPaper.size());
  CHECK(number(at(a15, 8, "batch")) == 256);
  CHECK(number(at(a15, 8, "batch_size")) == 256);
}

TEST_CASE("inputs of an evaluation are what the user says, then what the sweep sets, then what the input shows") {
  const Analysed said(
      recorded({{.parameters = {{"batch", "4"}}, .latencies_ms = {10}, .input = "[8,3]", .inputs = 100}}));
  CHECK(number(at(said.table("A1"), 0, "batch_size")) == 100);
  CHECK(number(at(said.table("A1"), 0, "throughput_per_s")) == Approx(10'000));
  CHECK(has_note(said.table("A1"),
                 "by --inputs a call of Net has 100 inputs, but the first dimension of its input [8,3] is 8"));
  const Analysed swept(recorded({{.parameters = {{"batch_size", "4"}}, .latencies_ms = {10}, .input = "[128,4,8]"}}));
  CHECK(number(at(swept.table("A1"), 0, "batch_size")) == 4);
  CHECK(number(at(swept.table("A1"), 0, "parameter_batch_size")) == 4);
  CHECK(number(at(swept.table("A1"), 0, "latency_per_input_ms")) == Approx(2.5));
  CHECK(has_note(swept.table("A1"), "by the sweep a call of Net has 4 inputs, but the first dimension"));
  const Analysed shown(recorded({{.parameters = {{"threads", "4"}}, .latencies_ms = {10}, .input = "[8,3]"}}));
  CHECK(number(at(shown.table("A1"), 0, "batch_size")) == 8);
  CHECK_FALSE(has_note(shown.table("A1"), "the first dimension"));
  const Analysed nothing(recorded({{.parameters = {{"batch", "auto"}}, .latencies_ms = {10}, .input = ""}}));
  CHECK(analysis::is_null(at(nothing.table("A1"), 0, "batch_size")));
  CHECK(text(at(nothing.table("A1"), 0, "batch")) == "auto");
}

TEST_CASE("the rest of a data set counts by its shape where the batch size is the first dimension elsewhere") {
  TraceBuilder builder;
  builder.describe_run(1, "model", 1, {{"batch", "8"}});
  builder.add_process(1);
  builder.add_evaluation(0, {4}, "Net", "[8,3]");
  builder.add_evaluation(10, {4}, "Net", "[8,3]");
  builder.add_evaluation(20, {4}, "Net", "[3,3]");
  const Analysed analysed({builder.bytes()});
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 2);
  CHECK(number(at(a1, 0, "batch_size")) == 8);
  CHECK(number(at(a1, 1, "batch_size")) == 3);
}

TEST_CASE("where the batch size is not the first dimension the points are one sweep all the same") {
  std::vector<Point> points;
  for (const int batch : {1, 2, 4}) {
    points.push_back({.parameters = {{"batch", std::to_string(batch)}},
                      .latencies_ms = {10},
                      .input = fmt::format("[128,{},64]", batch)});
  }
  const Analysed analysed(recorded(points));
  CHECK(analysed.table("M1").rows.size() == 1);
  CHECK(value_of(analysed.table("A1"), "optimal_batch", "rule") == 4);
}

std::vector<std::string> two_parameters() {
  std::vector<Point> points;
  for (const char* threads : {"4", "1"}) {
    for (const int batch : {8, 16, 1}) {
      const double speed = threads[0] == '4' ? (batch == 16 ? 8 : batch == 8 ? 4 : 1) : 1;
      points.push_back({.parameters = {{"batch", std::to_string(batch)}, {"threads", threads}},
                        .latencies_ms = {10 * batch / speed},
                        .input = fmt::format("[{},3]", batch)});
    }
  }
  return recorded(points);
}

TEST_CASE("a sweep over several parameters has an optimum for each combination of the others") {
  const Analysed analysed(two_parameters());
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 6);
  // Numbers in order, the first parameter first.
  const std::vector<std::pair<int, int>> order = {{1, 1}, {1, 4}, {8, 1}, {8, 4}, {16, 1}, {16, 4}};
  for (size_t i = 0; i < order.size(); ++i) {
    CHECK(number(at(a1, i, "batch")) == order[i].first);
    CHECK(number(at(a1, i, "threads")) == order[i].second);
  }
  // The subject, which took most time, had one thread.
  CHECK(value_of(a1, "optimal_batch", "rule") == 1);
  CHECK(value_of(a1, "optimal_batch at threads=4", "rule") == 16);
  CHECK(has_note(a1, "optimal batch size of Net, input [N,3], threads=4: 16"));
  CHECK(has_note(a1, "largest throughput of the sweep: 800/s at batch=16 threads=4"));
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 2);
  CHECK(number(at(m1, 0, "threads")) == 1);
  CHECK(number(at(m1, 0, "optimal_batch")) == 1);
  CHECK(number(at(m1, 1, "optimal_batch")) == 16);
}

TEST_CASE("a point of a sweep can be the baseline of M1") {
  analysis::StudyOptions options;
  options.baseline = "threads=1";
  const Analysed analysed(two_parameters(), options);
  CHECK(analysis::check_baseline("threads=1", analysis::model_sweeps(*analysed.study)).ok());
  CHECK(number(at(analysed.table("M1"), 1, "max_throughput_per_s_x")) == Approx(8));
  CHECK(contains(analysis::check_baseline("threads=2", analysis::model_sweeps(*analysed.study)).error, "threads=1"));
}

TEST_CASE("a sweep over something else than the batch size says which value was best") {
  std::vector<Point> points;
  for (const auto& [threads, latency] : std::vector<std::pair<std::string, double>>{{"1", 40}, {"2", 25}, {"10", 30}}) {
    points.push_back({.parameters = {{"threads", threads}}, .latencies_ms = {latency}, .input = "[4,3]"});
  }
  const Analysed analysed(recorded(points));
  const auto a1 = analysed.table("A1");
  CHECK(number(at(a1, 1, "threads")) == 2);
  CHECK(number(at(a1, 2, "threads")) == 10);
  CHECK(value_of(a1, "optimal_batch", "rule") == -1);
  CHECK(has_note(
      a1, "largest throughput of the sweep: 160/s at threads=2; smallest latency of the sweep: 25 ms at threads=2"));
  CHECK_FALSE(has_note(a1, "the optimal batch size needs"));
  for (Point& point : points) point.input = "";
  CHECK(has_note(Analysed(recorded(points)).table("A1"), "smallest latency of the sweep: 25 ms at threads=2"));
}

TEST_CASE("values that are no numbers stand in the order of the sweep, and a taken name gets a prefix") {
  std::vector<Point> points;
  for (const char* model : {"zebra", "ant", "bee"}) {
    points.push_back({.parameters = {{"model", model}, {"n", "007"}}, .latencies_ms = {10}});
  }
  const Analysed analysed(recorded(points));
  const auto a1 = analysed.table("A1");
  CHECK(text(at(a1, 0, "parameter_model")) == "zebra");
  CHECK(text(at(a1, 1, "parameter_model")) == "ant");
  CHECK(text(at(a1, 2, "parameter_model")) == "bee");
  CHECK(text(at(a1, 0, "parameter_n")) == "007");
  CHECK(number(at(a1, 0, "n")) == 1);
}

TEST_CASE("runs of one point are one row, those of two points never") {
  const Analysed analysed(recorded({{.parameters = {{"threads", "1"}}, .latencies_ms = {10, 10}},
                                    {.parameters = {{"threads", "2"}}, .latencies_ms = {10, 10}},
                                    {.parameters = {{"threads", "2"}}, .latencies_ms = {10, 10}, .repetition = 2}}));
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 2);
  CHECK(number(at(a1, 0, "threads")) == 1);
  CHECK(number(at(a1, 1, "threads")) == 2);
}

TEST_CASE("runs that failed have a row and no part in the optimum") {
  Analysed analysed(recorded({{.parameters = {{"batch", "1"}}, .latencies_ms = {10}, .input = "[1,3]"},
                              {.parameters = {{"batch", "2"}}, .latencies_ms = {10}, .input = "[2,3]"},
                              {.parameters = {{"batch", "4"}}, .latencies_ms = {10}, .input = "[4,3]"}}));
  CHECK(value_of(analysed.table("A1"), "optimal_batch", "rule") == 4);
  analysed.trace.segments[2].run->failed = true;
  analysed.trace.sets.push_back({});
  analysed.trace.sets.back().folder = "sweep";
  analysed.trace.sets.back().out_of_memory = {"batch=4"};
  const auto a1 = analysed.table("A1");
  CHECK(a1.rows.size() == 3);
  CHECK(value_of(a1, "optimal_batch", "rule") == 2);
  CHECK(has_note(a1, "out of memory: batch=4 (set sweep)"));
}

TEST_CASE("recordings that are no sweep have no columns of one") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {4});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.table("A1").columns.back().name == "ci_high_ms");
}

TEST_CASE("a hostile parameter is shown and does no harm") {
  Parameters parameters = {{"\x1b[2J\xff", "\xff\n"}, {"", ""}, {"latency_ms", "nan"}, {"gpu", "1e999"}};
  for (int i = 0; i < 100; ++i) parameters.emplace_back(std::to_string(i), "1");
  const std::string run = recorded(1, {.parameters = parameters, .latencies_ms = {10}});
  report_everything(run);
  const auto a1 = Analysed({run}).table("A1");
  CHECK(a1.columns.size() == 14 + 16);
  CHECK(a1.columns[14].name == "\\x1b[2J\\xff");
  CHECK(text(at(a1, 0, "parameter_latency_ms")) == "nan");
  CHECK(text(at(a1, 0, "parameter_gpu")) == "1e999");
}

}  // namespace
}  // namespace xsp::test
