#include "inject/launch/experiment/run_plan.h"

#include "test/catch.h"

using xsp::launch::level_set_name;
using xsp::launch::level_sets_to;
using xsp::launch::planned_runs;
using xsp::launch::RunPlan;
using xsp::launch::RunPoint;
using xsp::launch::text_of;

namespace {

/// One word a run: point, level and repetition; the purpose of others.
std::vector<std::string> order(const RunPlan& plan, const std::vector<RunPoint>& points) {
  std::vector<std::string> words;
  for (const auto& run : planned_runs(plan, points)) words.push_back(run.command[0] + ":" + text_of(run));
  return words;
}

}  // namespace

TEST_CASE("the level sets are interleaved, every second repetition backwards") {
  const RunPlan plan = {.levels = {"model", "layer"}, .repetitions = 3};
  CHECK(order(plan, {{{"x"}, {}, 0}}) == std::vector<std::string>{"x:M, repetition 1", "x:M/L, repetition 1",
                                                                  "x:M/L, repetition 2", "x:M, repetition 2",
                                                                  "x:M, repetition 3", "x:M/L, repetition 3"});
}

TEST_CASE("the points of a sweep lie inside a repetition, and the level sets inside a point") {
  const RunPlan plan = {.levels = {"model", "layer"}, .repetitions = 2};
  const std::vector<RunPoint> points = {{{"a"}, {}, 0}, {{"b"}, {}, 0}};
  CHECK(order(plan, points) == std::vector<std::string>{"a:M, repetition 1", "a:M/L, repetition 1", "b:M, repetition 1",
                                                        "b:M/L, repetition 1", "b:M/L, repetition 2",
                                                        "b:M, repetition 2", "a:M/L, repetition 2",
                                                        "a:M, repetition 2"});
}

TEST_CASE("warm-ups come first, serialised and counting runs last") {
  const RunPlan plan = {.levels = {"model", "kernel"}, .warm_ups = 2, .serialised = true, .counting = true};
  CHECK(order(plan, {{{"x"}, {}, 0}}) == std::vector<std::string>{"x:warm-up 1", "x:warm-up 2", "x:M, repetition 1",
                                                                  "x:M/L/library/G, repetition 1", "x:serialised",
                                                                  "x:counters"});
}

TEST_CASE("a serialised run records what the deepest run does, a counting run the kernels") {
  const auto runs =
      planned_runs({.levels = {"model", "layer"}, .serialised = true, .counting = true}, {{{"x"}, {}, 0}});
  REQUIRE(runs.size() == 4);
  CHECK(runs[2].level == "layer");
  CHECK(runs[3].level == "kernel");
}

TEST_CASE("a run carries its point's parameters and inputs") {
  const auto runs = planned_runs({.levels = {""}}, {{{"x", "4"}, {{"batch", "4"}}, 4}});
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].parameters == xsp::launch::Parameters{{"batch", "4"}});
  CHECK(runs[0].inputs == 4);
  CHECK(text_of(runs[0]) == "batch=4, all levels, repetition 1");
}

TEST_CASE("the level sets go down to the deepest that is asked for") {
  CHECK(level_sets_to("") == std::vector<std::string>{"model", "layer", "library", "kernel"});
  CHECK(level_sets_to("kernel") == level_sets_to(""));
  CHECK(level_sets_to("layer") == std::vector<std::string>{"model", "layer"});
  CHECK(level_set_name("library") == "M/L/library");
}
