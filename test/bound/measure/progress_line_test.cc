#include "bound/measure/progress_line.h"

#include "base/text_encoding.h"
#include "bound/measure/time_estimate.h"
#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("the progress names the problem and fits the terminal") {
  const WorkItem item{.problem = "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1"};
  const Library library{.name = "onednn", .version = "3.2.0"};
  const Benchmark benchmark{&item, &library};
  BenchmarkProgress progress{.done = 37, .all = 105, .current = &benchmark, .left_s = 39.2};
  CHECK(progress_text(progress, 0) == "[37/105] " + item.problem + ", onednn 3.2.0, about 40 s left");
  for (const size_t width : {20, 40, 60, 80, 200}) {
    INFO(width);
    CHECK(display_width(progress_text(progress, width)) <= width);
  }
  CHECK(progress_text(progress, 80).starts_with("[37/105] conv src="));
  CHECK(progress_text(progress, 80).ends_with(", onednn 3.2.0, about 40 s left"));
  progress.left_s = 0;
  CHECK(progress_text(progress, 0).ends_with(", onednn 3.2.0"));
  progress.left_s = 3000;
  CHECK(progress_text(progress, 0).ends_with(", about 50 min left"));
  progress.current = nullptr;
  progress.left_s = 0;
  CHECK(progress_text(progress, 80) == "[37/105] ");
}

TEST_CASE("a problem of a list cannot move the cursor") {
  const WorkItem item{.problem = "conv\x1b[2J\n"};
  const Library library{.name = "one\x1b", .version = "3"};
  const Benchmark benchmark{&item, &library};
  CHECK(progress_text({.current = &benchmark}, 0).find_first_of("\x1b\n") == std::string::npos);
}

TEST_CASE("the time that is left follows from what was done") {
  const Library quick{.name = "quick"};
  const Library slow{.name = "slow"};
  const WorkItem item{.problem = "x"};
  const std::vector<Benchmark> benchmarks{{&item, &quick}, {&item, &slow}, {&item, &quick}, {&item, &slow}};
  TimeEstimate estimate(benchmarks, 100);
  CHECK(estimate.left_s(benchmarks[0], 1) == 0);
  estimate.finish(benchmarks[0], 1);
  // Nothing is known of the slow one yet.
  CHECK(estimate.left_s(benchmarks[1], 0) == Approx(3));
  estimate.finish(benchmarks[1], 9);
  CHECK(estimate.left_s(benchmarks[2], 0) == Approx(10));
  CHECK(estimate.left_s(benchmarks[2], 0.25) == Approx(9.75));
  CHECK(estimate.left_s(benchmarks[2], 100) == Approx(9));
  estimate.finish(benchmarks[2], 1);
  estimate.finish(benchmarks[3], 9);
  CHECK(estimate.left_s(benchmarks[3], 0) == Approx(0).margin(1e-9));
}

TEST_CASE("dear items are told from cheap ones, whatever numbers a list has") {
  CHECK(guessed_call_s({.flops = 1e12}) > guessed_call_s({.flops = 1e9}));
  CHECK(guessed_call_s({.flops = 1, .bytes = 1e9}) > guessed_call_s({.flops = 1e6}));
  CHECK(guessed_call_s({.flops = -1, .bytes = std::numeric_limits<double>::quiet_NaN()}) == 0);
}

}  // namespace xsp::bound
