#include "analysis/iterations/iteration_spans.h"

#include <string>
#include <vector>

#include "test/analysis/support/number_in.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::FoundIterations;
using analysis::kNoRow;
using analysis::Loop;
using analysis::Row;

/// A trace of launches and their kernels, and loops that a test says are in it.
class Host {
 public:
  explicit Host(uint32_t processes = 1) {
    for (uint32_t i = 0; i < processes; ++i) builder_.add_process(10 + i);
  }

  uint32_t span(int64_t begin, int64_t end, const std::string& name, int level, uint32_t thread = 100) {
    builder_.add({.begin = begin, .end = end, .id = ++id_, .level = level, .name = name, .thread = thread});
    return id_;
  }
  void module(int64_t begin, int64_t end, const std::string& name, const std::string& type) {
    builder_.add({.begin = begin, .end = end, .id = ++id_, .kind = KIND_TORCH_MODULE, .name = name, .type = type});
  }
  void kernel(int64_t launched_at, int64_t runs_at, const std::string& name) {
    const uint32_t launch = span(launched_at, launched_at + 1, "cudaLaunchKernel", LEVEL_RUNTIME);
    executions_.push_back({.begin = runs_at, .end = runs_at + 5, .name = name, .launch = launch});
  }
  void kernel_without_launch(int64_t runs_at, const std::string& name) {
    executions_.push_back({.begin = runs_at, .end = runs_at + 5, .name = name});
  }
  std::string bytes() {
    builder_.add_executions(executions_);
    return builder_.bytes();
  }

 private:
  TraceBuilder builder_;
  uint32_t id_ = 0;
  std::vector<ExecutionSpec> executions_;
};

/// One loop of iterations with so many operations each, all of the trace.
FoundIterations loop_of(const Analysed& analysed, uint32_t operations) {
  FoundIterations found{.operations = operations_of(analysed.trace, analysed.evaluations, 1)};
  Loop& loop = found.loops.loops.emplace_back();
  loop.pattern.assign(operations, 0);
  auto& times = found.times.emplace_back();
  for (uint32_t i = 0; i + operations <= found.operations.size(); i += operations) {
    loop.iterations.push_back({.begin = i, .end = i + operations});
    times.push_back({analysed.trace.spans.begin[found.operations.row(i)],
                     analysed.trace.spans.end[found.operations.row(i + operations - 1)]});
  }
  return found;
}

Row row_of(const Analysed& analysed, const std::string& name) {
  for (Row row = 0; row < analysed.trace.spans.size(); ++row) {
    if (analysed.trace.text(analysed.trace.spans.name[row]) == name) return row;
  }
  FAIL("no span " + name);
  return kNoRow;
}

TEST_CASE("an iteration is a model span of its own kind and time") {
  Host host;
  for (int i = 0; i < 4; ++i) host.kernel(10 * i, 100 + 10 * i, "k" + std::to_string(i % 2));
  Analysed analysed({host.bytes()});
  const auto found = loop_of(analysed, 2);
  const auto added = add_iteration_spans({found}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  REQUIRE(added.rows.size() == 2);
  const auto& spans = analysed.trace.spans;
  CHECK(spans.level[added.rows[1]] == analysis::Level::kModel);
  CHECK(spans.kind[added.rows[1]] == analysis::kIterationKind);
  CHECK(spans.begin[added.rows[1]] == 120);
  CHECK(spans.end[added.rows[1]] == 135);
  CHECK(spans.bytes[added.rows[1]] == analysis::SpanTable::kUnknownBytes);
  CHECK(analysed.trace.text(spans.name[added.rows[1]]) == "iteration (2 operations)");
  CHECK(analysed.trace.process_of(added.rows[1]) == 1);
  CHECK(added.of_execution == std::vector<Row>{added.rows[0], added.rows[0], added.rows[1], added.rows[1]});
}

TEST_CASE("the outermost spans around launches are children of the iteration") {
  Host host;
  for (int i = 0; i < 4; ++i) {
    host.kernel(20 * i + 2, 100 + 20 * i, "k");
    host.span(20 * i + 1, 20 * i + 5, "inner" + std::to_string(i), LEVEL_LAYER);
    host.span(20 * i, 20 * i + 10, "outer" + std::to_string(i), LEVEL_APPLICATION);
  }
  Analysed analysed({host.bytes()});
  const auto added =
      add_iteration_spans({loop_of(analysed, 2)}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  CHECK(analysed.parents.of[row_of(analysed, "outer0")] == added.rows[0]);
  CHECK(analysed.parents.of[row_of(analysed, "outer1")] == added.rows[0]);
  CHECK(analysed.parents.of[row_of(analysed, "outer2")] == added.rows[1]);
  CHECK(analysed.parents.of[row_of(analysed, "inner2")] == row_of(analysed, "outer2"));
}

TEST_CASE("what encloses several iterations is around them, and a model span no more") {
  Host host;
  for (int i = 0; i < 4; ++i) {
    host.kernel(20 * i + 2, 100 + 20 * i, "k");
    host.span(20 * i, 20 * i + 10, "step" + std::to_string(i), LEVEL_APPLICATION);
  }
  host.span(0, 100, "main", LEVEL_MODEL);
  Analysed analysed({host.bytes()});
  const auto added =
      add_iteration_spans({loop_of(analysed, 2)}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  CHECK(analysed.parents.of[row_of(analysed, "main")] == kNoRow);
  CHECK(analysed.trace.spans.level[row_of(analysed, "main")] == analysis::Level::kApplication);
  CHECK(analysed.parents.of[row_of(analysed, "step3")] == added.rows[1]);
}

TEST_CASE("a layer that a cut goes through is of the iteration that it begins in") {
  Host host;
  host.kernel(2, 100, "a");
  host.kernel(12, 110, "b");
  host.kernel(14, 120, "a");
  host.span(11, 18, "cut", LEVEL_LAYER);
  host.kernel(22, 130, "b");
  Analysed analysed({host.bytes()});
  const auto added =
      add_iteration_spans({loop_of(analysed, 2)}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  CHECK(analysed.parents.of[row_of(analysed, "cut")] == added.rows[0]);
  CHECK(added.of_execution[2] == added.rows[1]);
}

TEST_CASE("a span without launches is of the iteration between whose launches it begins") {
  Host host;
  for (int i = 0; i < 4; ++i) host.kernel(20 * i, 100 + 20 * i, "k");
  host.span(45, 46, "between launches", LEVEL_LAYER, 101);
  host.span(30, 31, "between iterations", LEVEL_LAYER, 101);
  host.span(90, 91, "behind all", LEVEL_LAYER, 101);
  Analysed analysed({host.bytes()});
  const auto added =
      add_iteration_spans({loop_of(analysed, 2)}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  CHECK(analysed.parents.of[row_of(analysed, "between launches")] == added.rows[1]);
  CHECK(analysed.parents.of[row_of(analysed, "between iterations")] == kNoRow);
  CHECK(analysed.parents.of[row_of(analysed, "behind all")] == kNoRow);
}

TEST_CASE("executions without launches belong to their iteration") {
  Host host;
  for (int i = 0; i < 4; ++i) host.kernel_without_launch(10 * i, "k" + std::to_string(i % 2));
  Analysed analysed({host.bytes()});
  const auto added =
      add_iteration_spans({loop_of(analysed, 2)}, analysis::LoopChoice::kAll, &analysed.parents, &analysed.trace);
  CHECK(added.of_execution == std::vector<Row>{added.rows[0], added.rows[0], added.rows[1], added.rows[1]});
}

std::string without_models(bool launched) {
  Host host;
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 9; ++k) {
      const std::string name = "kernel" + std::to_string(k);
      const int64_t at = 1000 * i + 20 * k;
      launched ? host.kernel(at, 500 + at, name) : host.kernel_without_launch(500 + at, name);
    }
  }
  return host.bytes();
}

TEST_CASE("iterations are the evaluations of a trace without models") {
  for (const bool launched : {true, false}) {
    INFO("launched: " << launched);
    const Analysed analysed({without_models(launched)}, {}, {.model_span = "iterations"});
    REQUIRE(analysed.status.ok());
    const analysis::Table models = analysed.table("A1");
    CHECK(has_note(models, "trimmed mean of n iterations"));
    REQUIRE(models.rows.size() == 1);
    CHECK(number_in(models, 0, "n") + 1 == static_cast<double>(analysed.table("D1").rows.size()));
    CHECK(number_in(models, 0, "latency_ms") == Approx(number_in(analysed.table("D1"), 1, "duration_ms")));
    CHECK(has_note(models, "iterations found in the operations (D1)"));
    const analysis::Table kernels = analysed.table("A15");
    REQUIRE(kernels.rows.size() == 1);
    CHECK(number_in(kernels, 0, "kernel_count") == 9);
    CHECK(kernels.contradiction.empty());
    CHECK(analysed.table("A10").rows.size() == 9);
    CHECK(analysed.table("A11").contradiction.empty());
  }
}

TEST_CASE("layers of iterations are joined by type, for each iteration may be another block of one model") {
  Host host;
  for (int i = 0; i < 10; ++i) {
    const int64_t begin = 1000 * i;
    for (int layer = 0; layer < 4; ++layer) {
      const int64_t at = begin + 100 * layer;
      const std::string type = layer % 2 == 0 ? "Linear" : "GELU";
      host.module(at, at + 50, type + "_" + std::to_string(4 * i + layer), type);
      host.kernel(at + 10, at + 20, "k" + std::to_string(layer));
    }
  }
  const Analysed analysed({host.bytes()}, {}, {.model_span = "iterations"});
  REQUIRE(analysed.status.ok());
  CHECK(number_in(analysed.table("A15"), 0, "n") == number_in(analysed.table("A1"), 0, "n"));
  const analysis::Table layers = analysed.table("A2");
  REQUIRE(layers.rows.size() == 4);
  CHECK(std::get<std::string>(layers.rows[0][1]) == "Linear");
  CHECK_FALSE(has_note(layers, "differ from those"));
}

TEST_CASE("iterations are the evaluations of an imported profile that says so") {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  for (int i = 0; i < 100; ++i) {
    executions.push_back({.begin = 10 * i, .end = 10 * i + 5, .name = "k" + std::to_string(i % 10)});
  }
  builder.add_executions(executions);
  builder.message().mutable_packet(0)->mutable_header()->set_model_span("iterations");
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  CHECK(analysed.table("A1").rows.size() == 1);
}

TEST_CASE("where nothing loops the choice of iterations is refused with the reason") {
  Host host;
  for (int i = 0; i < 30; ++i) host.kernel(10 * i, 500 + 10 * i, "kernel" + std::to_string(i));
  const Analysed analysed({host.bytes()}, {}, {.model_span = "iterations"});
  CHECK_FALSE(analysed.status.ok());
  CHECK(analysed.status.error.find("finds no loop") != std::string::npos);
}

}  // namespace
}  // namespace xsp::test
