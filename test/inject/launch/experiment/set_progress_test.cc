#include "inject/launch/experiment/set_progress.h"

#include "test/catch.h"

using xsp::launch::PlannedRun;
using xsp::launch::RunPurpose;
using xsp::launch::SetProgress;
using xsp::launch::time_text;

namespace {

PlannedRun run_at(const char* level, const char* batch = "1") {
  return {.command = {"x"}, .level = level, .parameters = {{"batch", batch}}};
}

}  // namespace

TEST_CASE("a run takes as long as its twin did, else as the longest of its point, else as the last") {
  SetProgress progress;
  CHECK_FALSE(progress.expected(run_at("model")));
  progress.ended(run_at("model"), 10);
  progress.ended(run_at("layer"), 20);
  progress.ended(run_at("model"), 12);
  CHECK(progress.expected(run_at("model")) == 12);
  CHECK(progress.expected(run_at("kernel")) == 20);
  CHECK(progress.expected(run_at("model", "8")) == 12);
}

TEST_CASE("the time left is that of all runs to come, without those that count") {
  SetProgress progress;
  CHECK(progress.time_left({run_at("model")}).empty());
  progress.ended(run_at("model"), 20);
  CHECK(progress.time_left({run_at("model"), run_at("layer")}) == " (about 40 s left)");
  PlannedRun counting = run_at("kernel");
  counting.purpose = RunPurpose::kCounters;
  CHECK(progress.time_left({run_at("model"), counting}) == " (about 20 s left, without the counting run)");
}

TEST_CASE("times are told in the unit of their size") {
  CHECK(time_text(0.44) == "0.4 s");
  CHECK(time_text(9.97) == "10 s");
  CHECK(time_text(59.7) == "1 min 0 s");
  CHECK(time_text(200) == "3 min 20 s");
  CHECK(time_text(7500) == "2 h 5 min");
}
