#include "analysis/steps/full_queues.h"

#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// A layer that launches `ahead` kernels of 100 µs which all wait for the first, then one whose call takes `call_us`.
Analysed launched(uint64_t ahead, int64_t call_us) {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> kernels;
  int64_t now = 10 * kUs;
  int64_t free_at = 20'000 * kUs;
  for (uint64_t i = 1; i <= ahead + 1; ++i) {
    const int64_t length = (i <= ahead ? 4 : call_us) * kUs;
    builder.add({.begin = now,
                 .end = now + length,
                 .id = static_cast<uint32_t>(i),
                 .level = LEVEL_RUNTIME,
                 .name = "cudaLaunchKernel",
                 .correlation = i});
    kernels.push_back({.begin = free_at, .end = free_at + 100 * kUs, .name = "gemm", .correlation = i});
    now += length;
    free_at += 100 * kUs;
  }
  SpanSpec layer{.begin = 0, .end = now, .id = 5000, .level = LEVEL_LAYER};
  layer.name = layer.type = "conv";
  builder.add(layer);
  SpanSpec model{.begin = 0, .end = now, .id = 5001, .level = LEVEL_MODEL};
  model.name = "Net";
  builder.add(model);
  builder.add_executions(kernels);
  return Analysed({builder.bytes()});
}

TEST_CASE("a long launch behind hundreds that have not begun waits for room") {
  const Analysed full = launched(600, 3000);
  const auto calls = analysis::launches_at_full_queues(full.trace, full.executions);
  REQUIRE(calls.size() == 1);
  CHECK(full.trace.spans.duration(calls[0]) == 3000 * kUs);
  CHECK(full.study->joined.layers.at(0).wait_ns == 3000 * kUs);
}

TEST_CASE("launches that are short, or find a queue with room, are work of the host") {
  const auto [ahead, call_us] = GENERATE(table<uint64_t, int64_t>({{600, 49}, {400, 3000}, {0, 3000}}));
  const Analysed analysed = launched(ahead, call_us);
  CHECK(analysis::launches_at_full_queues(analysed.trace, analysed.executions).empty());
  CHECK(analysed.study->joined.layers.at(0).wait_ns == 0);
}

}  // namespace
}  // namespace xsp::test
