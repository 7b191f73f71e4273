/// Several traces at once: M1, labels of processes, runs that were counted.

#include "analysis/tables/model_baseline.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// One run: `latencies_ms` of the layers "conv" (Conv2d) and "fc" (Linear), each with a kernel that takes all its time.
struct Run {
  std::string model = "Net";
  int64_t batch = 1;
  std::vector<int64_t> latencies_ms;
  std::string gpu;
  std::string rank;
  std::string source;
  uint32_t pid = 1;
};

std::string recorded(const Run& run) {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_source(run.source);
  if (!run.source.empty()) builder.message().mutable_packet(0)->mutable_header()->add_source_file(run.gpu + ".json");
  builder.add_process(run.pid, run.rank);
  if (!run.gpu.empty()) builder.packet(1)->mutable_device()->set_name(run.gpu);
  std::vector<ExecutionSpec> kernels;
  uint32_t id = 0;
  int64_t at = 0;
  for (int evaluation = 0; evaluation < 2; ++evaluation) {
    const uint32_t root = ++id;
    const int64_t begin = at += kMs;
    for (size_t i = 0; i < run.latencies_ms.size(); ++i) {
      SpanSpec layer{.begin = at, .end = at + run.latencies_ms[i] * kMs, .id = ++id, .parent = root};
      layer.kind = KIND_TORCH_MODULE;
      layer.name = i % 2 == 0 ? "conv" : "fc";
      layer.type = i % 2 == 0 ? "Conv2d" : "Linear";
      layer.bytes = static_cast<int64_t>(1000 * (run.latencies_ms.size() - i));
      SpanSpec launch{.begin = at, .end = at + 10, .id = ++id, .parent = layer.id, .level = LEVEL_RUNTIME};
      launch.kind = KIND_RUNTIME_CALL;
      launch.name = "cudaLaunchKernel";
      kernels.push_back({.begin = at + 10, .end = layer.end, .name = "k", .launch = launch.id});
      at = layer.end;
      builder.add(launch);
      builder.add(layer);
    }
    SpanSpec span{.begin = begin, .end = at, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
    span.name = run.model;
    span.input = std::string("[").append(std::to_string(run.batch)).append(",3,8,8]");
    builder.add(span);
  }
  builder.add_executions(kernels);
  return builder.bytes();
}

analysis::Cell at(const analysis::Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows.at(row).at(i);
  }
  FAIL("no column " << column);
  return {};
}

TEST_CASE("M1 has a row for a model over its batch sizes, at the optimal one") {
  const Analysed analysed({recorded({.batch = 1, .latencies_ms = {4, 1}}),
                           recorded({.batch = 8, .latencies_ms = {6, 4}, .pid = 2}),
                           recorded({.batch = 16, .latencies_ms = {12, 8}, .pid = 3})});
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 1);
  CHECK(text(at(m1, 0, "name")) == "Net");
  CHECK(analysis::is_null(at(m1, 0, "task")));
  CHECK(number(at(m1, 0, "online_latency_ms")) == 5);
  CHECK(number(at(m1, 0, "max_throughput_per_s")) == 800);
  CHECK(number(at(m1, 0, "optimal_batch")) == 8);
  CHECK(number(at(m1, 0, "convolution_pct")) == 60);
  CHECK(number(at(m1, 0, "batch_size")) == 8);
  CHECK(number(at(m1, 0, "model_latency_ms")) == 10);
  CHECK(number(at(m1, 0, "kernel_count")) == 2);
  CHECK(text(at(m1, 0, "input")) == "[N,3,8,8]");
}

TEST_CASE("M1's stages are the thirds with most latency and memory") {
  const Analysed analysed({recorded({.latencies_ms = {1, 1, 1, 9, 2, 2}})});
  const auto m1 = analysed.table("M1");
  CHECK(text(at(m1, 0, "latency_stage")) == "middle");
  CHECK(text(at(m1, 0, "memory_stage")) == "beginning");
  CHECK(analysis::is_null(at(m1, 0, "flops_stage")));
  CHECK(analysis::is_null(at(m1, 0, "online_latency_ms")) == false);
  CHECK(analysis::is_null(at(m1, 0, "optimal_batch")));
  CHECK(has_note(m1, "several batch sizes"));
}

TEST_CASE("models, systems and ranks have rows of their own in M1") {
  const Analysed analysed({recorded({.latencies_ms = {4}, .gpu = "A"}), recorded({.latencies_ms = {2}, .gpu = "B"}),
                           recorded({.latencies_ms = {1}, .gpu = "B", .rank = "1"}),
                           recorded({.model = "Other", .latencies_ms = {8}, .gpu = "A"})});
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 4);
  CHECK(text(at(m1, 0, "system")) == "A");
  CHECK(text(at(m1, 1, "system")) == "B");
  CHECK(text(at(m1, 2, "rank")) == "1");
  CHECK(text(at(m1, 3, "name")) == "Other");
  CHECK(text(at(analysed.table("A1"), 1, "gpu")) == "B");
  CHECK(text(at(analysed.table("A15"), 0, "gpu")) == "A");
}

double compared(const std::string& baseline, size_t row) {
  analysis::StudyOptions options;
  options.baseline = baseline;
  const Analysed analysed(
      {recorded({.latencies_ms = {4}, .gpu = "A"}), recorded({.latencies_ms = {2}, .gpu = "B", .source = "kineto"}),
       recorded({.model = "Other", .latencies_ms = {8}, .gpu = "B"})},
      options);
  return number(at(analysed.table("M1"), row, "model_latency_ms_x"));
}

TEST_CASE("a baseline is a model for all rows, or a system or framework for the same model") {
  CHECK(compared("Net", 0) == 1);
  CHECK(compared("Net", 1) == 1);
  CHECK(compared("Net", 2) == 4);
  CHECK(compared("A", 1) == 0.5);
  CHECK(compared("A", 2) == -1);
  CHECK(compared("kineto", 0) == 2);
}

TEST_CASE("a baseline that is not there is an error that says what is") {
  const Analysed analysed({recorded({.latencies_ms = {4}, .gpu = "A", .rank = "0"})});
  const auto sweeps = analysis::model_sweeps(*analysed.study);
  CHECK(analysis::check_baseline("A", sweeps).ok());
  CHECK(analysis::check_baseline("rank0", sweeps).ok());
  const auto status = analysis::check_baseline("C", sweeps);
  CHECK(status.error == "M1 has no row for C (there are: A, Net, PyTorch, rank0)");
}

TEST_CASE("processes that look alike are told apart by their files") {
  const Run one{.latencies_ms = {1}, .gpu = "a", .rank = "0", .source = "kineto"};
  Run other = one;
  other.gpu = "b";
  const Analysed analysed({recorded(one), recorded(other)});
  const auto a1 = analysed.table("A1");
  CHECK(text(at(a1, 0, "process")) == "rank 0 (pid 1, a.json)");
  CHECK(text(at(a1, 1, "process")) == "rank 0 (pid 1, b.json)");
  const Analysed twice({recorded(one), recorded(one)});
  CHECK(text(at(twice.table("A1"), 1, "process")) == "rank 0 (pid 1, a.json, part 2)");
  other.pid = 2;
  const Analysed apart({recorded(one), recorded(other)});
  CHECK(text(at(apart.table("A1"), 0, "process")) == "rank 0 (pid 1)");
}

TEST_CASE("runs that were counted give their counters and nothing else") {
  TraceBuilder counted;
  counted.message().mutable_packet(0)->mutable_header()->set_counted(true);
  counted.add_process(1);
  counted.add_evaluation(0, {100, 100});
  auto* batch = counted.packet(1)->mutable_counters();
  batch->set_count(1);
  batch->add_metric(1);
  batch->add_name(1);
  batch->add_value(5);
  const std::string run = recorded({.latencies_ms = {4, 1}});
  const Analysed analysed({counted.bytes(), run});
  CHECK(analysed.evaluations.root.size() == 2);
  CHECK(number(at(analysed.table("A1"), 0, "latency_ms")) == 5);
  CHECK(analysed.trace.counters.size() == 1);
  CHECK(analysed.trace.executions.size() == 4);
  CHECK(number(at(analysed.table("A15"), 0, "kernel_count")) == 2);
  // Alone they are all that there is.
  CHECK(Analysed({counted.bytes()}).evaluations.root.size() == 1);
}

}  // namespace
}  // namespace xsp::test
