#include "analysis/steps/start_up.h"

#include "analysis/findings/verdict.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

/// Layers of one name that lie in no evaluation, one after another.
class Layers {
 public:
  Layers() { builder_.add_process(10); }

  void add(const std::string& name, std::initializer_list<int64_t> times) {
    for (const int64_t ns : times) {
      SpanSpec layer{.begin = now_, .end = now_ + ns, .id = ++id_, .level = LEVEL_LAYER};
      layer.name = layer.type = name;
      builder_.add(layer);
      now_ += ns;
    }
  }
  /// Launched now, and run at once.
  void kernel(int64_t ns) {
    builder_.add({.begin = now_,
                  .end = now_ + 1000,
                  .id = ++id_,
                  .level = LEVEL_RUNTIME,
                  .name = "cudaLaunchKernel",
                  .correlation = id_});
    builder_.add_executions({{.begin = now_ + 1000, .end = now_ + 1000 + ns, .name = "gemm", .correlation = id_}});
    now_ += 1000 + ns;
  }
  Analysed analysed() { return Analysed({builder_.bytes()}); }

 private:
  TraceBuilder builder_;
  int64_t now_ = 0;
  uint32_t id_ = 0;
};

analysis::StartUp start_up_of(const Analysed& analysed) {
  return analysis::find_start_up(analysed.trace, analysed.evaluations, analysed.trace.process_of(0));
}

TEST_CASE("first calls that take far longer than those after them are start-up") {
  Layers layers;
  layers.add("to", {2000 * kMs});
  layers.add("conv", {300 * kMs, 40 * kMs});
  layers.add("to", {kMs, kMs, kMs});
  layers.add("conv", {kMs, kMs, 2 * kMs});
  layers.kernel(kMs);
  const Analysed analysed = layers.analysed();
  const auto found = start_up_of(analysed);
  REQUIRE(found.calls.size() == 2);
  CHECK(analysed.trace.text(found.calls[0].name) == "to");
  CHECK(found.calls[0].ns == 2000 * kMs);
  CHECK(found.calls[1].ns == 340 * kMs);
  // One behind the other.
  REQUIRE(found.intervals.size() == 1);
  CHECK(found.intervals[0].end == 2340 * kMs);
}

TEST_CASE("calls that are all long, few, late or short are no start-up") {
  Layers layers;
  layers.add("all long", {300 * kMs, 200 * kMs});
  layers.add("few", {300 * kMs});
  layers.add("late", {kMs, kMs});
  layers.add("short", {9 * kMs, 1000});
  layers.add("all long", {250 * kMs, 300 * kMs});
  layers.add("few", {kMs});
  layers.add("late", {kMs, 300 * kMs});
  layers.add("short", {1000, 1000});
  const Analysed analysed = layers.analysed();
  REQUIRE(analysed.evaluations.loose_layers.size() == 14);
  CHECK_FALSE(start_up_of(analysed).is_known());
}

TEST_CASE("the verdict of a recording without steps tells start-up apart") {
  Layers layers;
  layers.add("to", {897 * kMs, kMs, kMs, kMs});
  layers.kernel(25 * kMs);
  layers.add("add", {50 * kMs});
  layers.kernel(25 * kMs);
  const std::string verdict = analysis::verdict_of(*layers.analysed().study);
  CHECK(contains(verdict, "start-up 897 ms of 1000 ms"));
  CHECK(contains(verdict, "in the 100 ms after start-up: "));
}

}  // namespace
}  // namespace xsp::test
