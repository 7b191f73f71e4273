#include "analysis/iterations/repeated_blocks.h"

#include <functional>
#include <string>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

constexpr uint32_t kIterations = 12;
constexpr uint32_t kOperations = 4;

/// Iterations of four kernels each, launched within a range that is named by the iteration.
std::string block_of(const std::function<std::string(uint32_t)>& range) {
  TraceBuilder builder;
  builder.add_process(7);
  uint32_t id = 0;
  analysis::Loop loop;
  for (uint32_t i = 0; i < kIterations; ++i) {
    const int64_t begin = 1'000'000 * i;
    const uint32_t around = ++id;
    SpanSpec outer{.begin = begin, .end = begin + 900'000, .id = around, .level = LEVEL_APPLICATION};
    outer.kind = KIND_ANNOTATION;
    outer.name = range(i);
    builder.add(outer);
    for (uint32_t k = 0; k < kOperations; ++k) {
      const int64_t at = begin + 1000 + 10'000 * k;
      const uint32_t launch = ++id;
      SpanSpec call{.begin = at, .end = at + 5000, .id = launch, .parent = around, .level = LEVEL_RUNTIME};
      call.kind = KIND_RUNTIME_CALL;
      call.name = "cudaLaunchKernel";
      call.correlation = launch;
      builder.add(call);
      builder.add_executions(
          {{.begin = at + 6000, .end = at + 9000, .name = "gemm", .launch = launch, .correlation = launch}});
    }
    loop.iterations.push_back({i * kOperations, (i + 1) * kOperations, 0, 0});
  }
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  const auto operations = operations_of(analysed.trace, analysed.evaluations, analysed.trace.process_of(0));
  REQUIRE(operations.size() == kIterations * kOperations);
  return repeated_block(analysed.trace, analysed.parents, operations, loop);
}

TEST_CASE("iterations whose module paths count up are blocks of a model") {
  const auto path = [](uint32_t i) { return "pre_forward (encoder.block." + std::to_string(i) + ".layer.1)"; };
  CHECK(block_of(path) == "encoder.block");
  CHECK(block_of([](uint32_t i) { return "model.layers." + std::to_string(i + 20); }) == "model.layers");
  // Two calls of a model with six blocks.
  CHECK(block_of([&](uint32_t i) { return path(i % 6); }) == "encoder.block");
}

TEST_CASE("steps that are numbered, paths that do not count up and numbers in no path are no blocks") {
  for (const auto& range : std::initializer_list<std::function<std::string(uint32_t)>>{
           [](uint32_t i) { return "ProfilerStep#" + std::to_string(i); },
           [](uint32_t i) { return "iteration " + std::to_string(i); }, [](uint32_t) { return "encoder.block.3"; },
           [](uint32_t i) { return "encoder.block." + std::to_string(i * 7 % 5); },
           [](uint32_t i) { return "lr 1." + std::to_string(i); },
           [](uint32_t i) { return "x." + std::to_string(i) + "a"; }, [](uint32_t) { return ""; },
           [](uint32_t) { return "..1..2"; }, [](uint32_t i) { return "a.99999999999999999" + std::to_string(i); }}) {
    INFO(range(3));
    CHECK(block_of(range).empty());
  }
}

}  // namespace
}  // namespace xsp::test
