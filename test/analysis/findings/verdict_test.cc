#include "analysis/findings/verdict.h"

#include <string>

#include "analysis/findings/finding.h"
#include "analysis/tables/registry.h"
#include "test/analysis/support/live_trace.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

TEST_CASE("where most calls have other inputs the verdict begins with all of them") {
  TraceBuilder grows;
  grows.add_process(7);
  for (int64_t i = 0; i < 8; ++i) {
    grows.add_evaluation(100 * i, {10 + i}, "Net", "[1," + std::to_string(16 + i) + "]");
  }
  const Analysed each({grows.bytes()});
  const std::string verdict = analysis::verdict_of(*each.study);
  CHECK(contains(verdict, "8 calls of 11.0 ms to 18.0 ms, with 8 different inputs · tables show the call with [1,"));
  // The larger part of the calls stands for all.
  TraceBuilder mostly;
  mostly.add_process(7);
  for (int64_t i = 0; i < 8; ++i) mostly.add_evaluation(100 * i, {10}, "Net", i % 3 == 2 ? "[8,3]" : "[4,3]");
  const Analysed one({mostly.bytes()});
  CHECK(analysis::verdict_of(*one.study).starts_with("Call 11.0 ms · 364 inputs/s"));
}

TEST_CASE("few short kernels in no step are too little to judge") {
  const auto recording = [](int64_t kernel_ns, size_t kernels) {
    TraceBuilder builder;
    builder.add_process(7);
    for (uint32_t i = 0; i < kernels; ++i) {
      const int64_t at = 10 * kMs * i;
      builder.add({.begin = at,
                   .end = at + 5000,
                   .id = i + 1,
                   .level = LEVEL_RUNTIME,
                   .name = "cudaLaunchKernel",
                   .correlation = i + 1});
      builder.add_executions({{.begin = at + 6000, .end = at + 6000 + kernel_ns, .name = "add", .correlation = i + 1}});
    }
    return builder.bytes();
  };
  const Analysed few({recording(2000, 3)});
  CHECK(contains(analysis::verdict_of(*few.study), "3 kernels, 6.00 µs in all: too little to judge"));
  CHECK_FALSE(contains(analysis::verdict_of(*few.study), "host-bound"));
  CHECK(contains(analysis::verdict_of(*Analysed({recording(2000, 16)}).study), "waits for the CPU"));
  CHECK(contains(analysis::verdict_of(*Analysed({recording(400'000, 3)}).study), "waits for the CPU"));
}

TEST_CASE("ranks that exchange data on the host are told to communicate") {
  const auto recording = [](const std::string& name) {
    LiveTrace trace;
    for (int i = 0; i < 5; ++i) {
      trace.begin_model("Net");
      trace.begin(KIND_TORCH_MODULE, "fc", "Linear", LEVEL_LAYER);
      trace.on_thread(1);
      trace.begin(KIND_ANNOTATION, name);
      trace.wait(20);
      trace.end();
      trace.on_thread(0);
      trace.wait(5);
      trace.end();
      trace.end();
    }
    return trace.bytes();
  };
  const Analysed gloo({recording("gloo:all_reduce")});
  CHECK(contains(analysis::verdict_of(*gloo.study), "communication 21.0 ms (70 %)"));
  const auto found = analysis::findings(*gloo.study, {gloo.table("A1")});
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].id == "communication");
  CHECK(contains(found[0].text, "covers 21.0 ms of every 30.0 ms call (70 %)"));
  const Analysed other({recording("write log")});
  CHECK_FALSE(contains(analysis::verdict_of(*other.study), "communication"));
}

}  // namespace
}  // namespace xsp::test
