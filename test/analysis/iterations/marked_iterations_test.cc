#include <string>
#include <vector>

#include "analysis/study/iteration_study.h"
#include "test/analysis/support/number_in.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

constexpr int64_t kStep = 10'000;

/// A program whose steps launch kernels on a host that runs ahead: the device is `late` behind it.
class Program {
 public:
  explicit Program(int64_t late = 7000) : late_(late) { builder_.add_process(10); }

  /// The kernels of a step between `begin` and its end, launched in order; `skip` of the first are not recorded, and
  /// `lost` of the last.
  void add_kernels(int64_t begin, const std::vector<std::string>& names, size_t skip = 0, size_t lost = 0) {
    for (size_t i = skip; i + lost < names.size(); ++i) {
      const int64_t at = begin + 200 + static_cast<int64_t>(i) * 100;
      builder_.add({.begin = at, .end = at + 20, .id = ++id_, .level = LEVEL_RUNTIME, .name = "cudaLaunchKernel"});
      executions_.push_back({.begin = at + late_, .end = at + late_ + 60, .name = names[i], .launch = id_});
    }
  }

  void add_mark(int64_t begin, int64_t end, const std::string& name, int level, int kind) {
    builder_.add({.begin = begin, .end = end, .id = ++id_, .level = level, .kind = kind, .name = name});
  }

  std::string bytes() {
    builder_.add_executions(executions_);
    return builder_.bytes();
  }

 private:
  TraceBuilder builder_;
  std::vector<ExecutionSpec> executions_;
  int64_t late_;
  uint32_t id_ = 0;
};

std::vector<std::string> step_kernels(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("kernel" + std::to_string(i));
  return names;
}

std::vector<size_t> rows_of_level(const analysis::Table& d1, int level) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < d1.rows.size(); ++i) {
    if (number_in(d1, i, "level") == level) rows.push_back(i);
  }
  return rows;
}

size_t checked(const analysis::Table& d4) {
  size_t count = 0;
  for (const auto& row : d4.rows) count += std::holds_alternative<bool>(row.at(1)) ? 1 : 0;
  return count;
}

TEST_CASE("steps that the input marks are the iterations, one to one, though the longest pause is elsewhere") {
  Program program;
  for (int step = 0; step < 5; ++step) {
    const int64_t begin = step * kStep;
    program.add_mark(begin, begin + kStep - 100, "ProfilerStep#" + std::to_string(7 + step), LEVEL_APPLICATION,
                     KIND_ANNOTATION);
    program.add_kernels(begin, step_kernels(10));
    program.add_kernels(begin + 6000, {"backward0", "backward1", "update"});
  }
  const Analysed analysed({program.bytes()});
  const analysis::Table d1 = analysed.table("D1");
  REQUIRE(rows_of_level(d1, 0).size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(number_in(d1, i, "start_ms") == Approx(static_cast<double>(i) * kStep / 1e6));
    CHECK(number_in(d1, i, "operations") == 13);
    CHECK(number_in(d1, i, "deviations") == 0);
  }
  CHECK(has_note(d1, "iterations are the 5 marked steps"));
}

TEST_CASE("a first step of which the recording lacks the begin, and a last one of which it lacks the end, are steps") {
  Program program;
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = step * kStep;
    program.add_mark(begin, begin + kStep - 100, "ProfilerStep#" + std::to_string(step), LEVEL_APPLICATION,
                     KIND_ANNOTATION);
    program.add_kernels(begin, step_kernels(30), step == 0 ? 10 : 0, step == 3 ? 5 : 0);
  }
  const analysis::Table d1 = Analysed({program.bytes()}).table("D1");
  REQUIRE(rows_of_level(d1, 0).size() == 4);
  CHECK(number_in(d1, 0, "missing") == 10);
  CHECK(number_in(d1, 3, "missing") == 5);
  CHECK(number_in(d1, 1, "deviations") == 0);
}

TEST_CASE("blocks within marked steps are a loop inside them") {
  Program program;
  std::vector<std::string> kernels{"embed"};
  for (int block = 0; block < 8; ++block) kernels.insert(kernels.end(), {"norm", "gemm", "softmax", "gemm2", "add"});
  kernels.emplace_back("head");
  for (int step = 0; step < 3; ++step) {
    const int64_t begin = step * kStep;
    program.add_mark(begin, begin + kStep - 100, "ProfilerStep#" + std::to_string(step), LEVEL_APPLICATION,
                     KIND_ANNOTATION);
    program.add_kernels(begin, kernels);
  }
  const analysis::Table d1 = Analysed({program.bytes()}).table("D1");
  CHECK(rows_of_level(d1, 0).size() == 3);
  CHECK(rows_of_level(d1, 1).size() == 24);
}

TEST_CASE("blocks within the only evaluation are no iterations, and nothing is diagnosed of them") {
  Program program;
  std::vector<std::string> kernels{"embed"};
  for (int block = 0; block < 12; ++block) kernels.insert(kernels.end(), {"norm", "gemm", "softmax", "gemm2", "add"});
  program.add_mark(0, kStep - 100, "ViT", LEVEL_MODEL, KIND_TORCH_ROOT);
  program.add_kernels(0, kernels);
  const Analysed analysed({program.bytes()});
  const analysis::Table d1 = analysed.table("D1");
  CHECK(rows_of_level(d1, 0).size() == 12);
  CHECK(has_note(d1, "repeated blocks, not iterations"));
  const analysis::Table d4 = analysed.table("D4");
  CHECK(d4.rows.size() == 9);
  CHECK(checked(d4) == 0);
  CHECK(text(d4.rows.at(0).at(5)).starts_with("not checked: all of them are inside one evaluation of ViT"));
}

TEST_CASE("marks whose operations are not alike leave the iterations to the operations, and that is said") {
  Program program;
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = step * kStep;
    program.add_mark(begin, begin + kStep - 100, "ProfilerStep#" + std::to_string(step), LEVEL_APPLICATION,
                     KIND_ANNOTATION);
    std::vector<std::string> own;
    for (int i = 0; i < 20; ++i) own.push_back("step" + std::to_string(step) + "_" + std::to_string(i));
    program.add_kernels(begin, own);
  }
  const analysis::Table d1 = Analysed({program.bytes()}).table("D1");
  CHECK(rows_of_level(d1, 0).empty());
  CHECK(has_note(d1, "differ ("));
}

TEST_CASE("calls of a model of which a step has several are no iterations") {
  Program program;
  for (int step = 0; step < 6; ++step) {
    for (int call = 0; call < 4; ++call) {
      const int64_t begin = step * kStep + call * 2000;
      program.add_mark(begin, begin + 1500, "Net", LEVEL_MODEL, KIND_TORCH_ROOT);
      program.add_kernels(begin, step_kernels(8));
    }
    program.add_kernels(step * kStep + 8000, {"multi_tensor_apply_adam", "sgd_a", "sgd_b", "sgd_c", "sgd_d"});
  }
  const analysis::Table d1 = Analysed({program.bytes()}).table("D1");
  CHECK(rows_of_level(d1, 0).size() == 6);
  CHECK(has_note(d1, "24 evaluations of Net"));
}

/// Parameters that are filled, then `steps` steps; of no model.
Program unmarked(size_t fills, int steps) {
  Program program(500);
  program.add_mark(0, 2'000'000, "cudaMalloc", LEVEL_RUNTIME, KIND_UNSPECIFIED);
  std::vector<std::string> filling;
  for (size_t i = 0; i < fills; ++i) filling.insert(filling.end(), {"normal_", "fill_"});
  program.add_kernels(2'000'000, filling);
  for (int step = 0; step < steps; ++step) program.add_kernels(3'000'000 + step * kStep, step_kernels(20));
  return program;
}

TEST_CASE("where no model is known the tables are of the iterations, and start-up stands apart") {
  const std::string bytes = unmarked(10, 12).bytes();
  const Analysed analysed({bytes});
  const analysis::Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  bool is_named = false;
  for (const auto& cell : a1.rows[0]) is_named |= text(cell) == "iteration (20 operations)";
  CHECK(is_named);
  CHECK(has_note(a1, "no step is marked, so the tables show the 12 iterations found"));
  CHECK(has_note(a1, "start-up before the first iteration took 3.00 ms, most of it cudaMalloc (2.00 ms, 1 call)"));
  const analysis::Table a10 = analysed.table("A10");
  CHECK(a10.rows.size() == 20);
  // What the user asks for is kept.
  const Analysed whole({bytes}, {.per_trace = true});
  CHECK(whole.table("A10").rows.size() == 22);
  CHECK(whole.table("A1").rows.empty());
}

TEST_CASE("a loop within a part of the run is no evaluation, and nothing is diagnosed of it") {
  Program program(500);
  for (int i = 0; i < 10; ++i) program.add_kernels(i * 1000, step_kernels(5));
  std::vector<std::string> other;
  for (int i = 0; i < 90; ++i) other.push_back("other" + std::to_string(i));
  program.add_kernels(100'000, other);
  const Analysed analysed({program.bytes()});
  const analysis::Table d1 = analysed.table("D1");
  CHECK(rows_of_level(d1, 0).size() == 10);
  CHECK(has_note(d1, "half of both is needed"));
  CHECK(checked(analysed.table("D4")) == 0);
  CHECK(analysed.table("A1").rows.empty());
  CHECK_FALSE(has_note(analysed.table("A10"), "no model is marked"));
}

}  // namespace
}  // namespace xsp::test
