#include <cstdint>
#include <vector>

#include "analysis/timeline/executions.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

SpanSpec launch(uint32_t process, uint32_t number) {
  SpanSpec call{.begin = 10 * int64_t{number}, .end = 10 * int64_t{number} + 5, .id = number, .level = LEVEL_RUNTIME};
  call.kind = KIND_RUNTIME_CALL;
  call.name = "cudaLaunchKernel";
  call.process = process;
  call.correlation = 100 + number;
  return call;
}

/// Launches every 10 ns, of which the first `executed` have an execution, `wait` ns after their launch.
void add_launches(uint32_t process, uint32_t count, uint32_t executed, int64_t wait, TraceBuilder* builder) {
  std::vector<ExecutionSpec> kernels;
  for (uint32_t i = 1; i <= count; ++i) {
    builder->add(launch(process, i));
    if (i > executed) continue;
    const int64_t begin = 10 * i + wait;
    kernels.push_back({.begin = begin, .end = begin + 8, .name = "kernel", .launch = i});
    kernels.back().process = process;
  }
  if (!kernels.empty()) builder->add_executions(kernels);
}

TEST_CASE("launches that the device had not come to are behind the last one that it executed, in each process") {
  TraceBuilder builder;
  for (const uint32_t pid : {1u, 2u}) builder.add_process(pid);
  add_launches(1, 20, 12, 100, &builder);
  add_launches(2, 15, 10, 100, &builder);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.executions.launches == 35);
  CHECK(analysed.executions.without_execution == 13);
  CHECK(analysed.executions.ahead == 13);
  CHECK(analysed.executions.ahead_ns == 80);
}

TEST_CASE("a launch that hands on to one inside it with an id of its own lacks nothing") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec inner = launch(1, 2);
  inner.name = "cuLaunchKernel";
  inner.kind = KIND_DRIVER_CALL;
  inner.parent = 1;
  inner.begin = 11;
  inner.end = 14;
  builder.add(launch(1, 1));
  builder.add(inner);
  builder.add(launch(1, 3));
  builder.add_executions({{.begin = 150, .end = 160, .name = "kernel", .launch = 2}});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.executions.launches == 2);
  CHECK(analysed.executions.without_execution == 1);
}

TEST_CASE("launches whose executions are missing among others are not ahead of the device") {
  TraceBuilder builder;
  builder.add_process(1);
  for (uint32_t i = 1; i <= 10; ++i) builder.add(launch(1, i));
  builder.add_executions({{.begin = 150, .end = 160, .name = "kernel", .launch = 2},
                          {.begin = 170, .end = 180, .name = "kernel", .launch = 8}});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.executions.launches == 10);
  CHECK(analysed.executions.without_execution == 8);
  CHECK(analysed.executions.ahead == 2);
}

TEST_CASE("executions that are missing at the end of a device that kept up were lost") {
  TraceBuilder builder;
  builder.add_process(1);
  add_launches(1, 20, 12, 3, &builder);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.executions.without_execution == 8);
  CHECK(analysed.executions.ahead == 0);
  TraceBuilder nothing;
  nothing.add_process(1);
  add_launches(1, 5, 0, 0, &nothing);
  CHECK(Analysed({nothing.bytes()}).executions.ahead == 0);
}

}  // namespace
}  // namespace xsp::test
