#include "analysis/study/level_sets.h"

#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ExperimentRun;
using analysis::Level;
using analysis::level_sets;
using analysis::RunPurpose;
using analysis::set_of;

/// A group whose runs are processes of recordings of their own.
struct Runs {
  analysis::Trace trace;
  analysis::EvaluationGroup group;

  Runs& add(const std::string& level, std::optional<ExperimentRun> run = {}) {
    auto& segment = trace.segments.emplace_back();
    segment.requested_level = level;
    segment.run = std::move(run);
    auto& process = trace.processes.emplace_back();
    process.segment = static_cast<uint32_t>(trace.segments.size()) - 1;
    group.runs.push_back({static_cast<uint32_t>(trace.processes.size()) - 1, {}});
    return *this;
  }
};

ExperimentRun with_purpose(RunPurpose purpose) { return {.set = "aa", .purpose = purpose}; }
ExperimentRun failed() { return {.set = "aa", .failed = true}; }

TEST_CASE("runs are of the level that was asked for, the shallowest set first") {
  Runs runs;
  runs.add("kernel").add("model").add("library").add("layer").add("layer").add("model");
  const auto sets = level_sets(runs.trace, runs.group);
  REQUIRE(sets.size() == 4);
  CHECK(sets[0].label == "M");
  CHECK(sets[0].deepest == Level::kModel);
  CHECK(sets[0].runs == std::vector<uint32_t>{1, 5});
  CHECK(sets[1].label == "M/L");
  CHECK(sets[1].deepest == Level::kLayer);
  CHECK(sets[1].runs == std::vector<uint32_t>{3, 4});
  CHECK(sets[2].label == "M/L/library");
  CHECK(sets[2].deepest == Level::kLibrary);
  CHECK(sets[2].runs == std::vector<uint32_t>{2});
  CHECK(sets[3].label == "M/L/library/G");
  CHECK(sets[3].deepest == Level::kDevice);
  CHECK(sets[3].runs == std::vector<uint32_t>{0});
}

TEST_CASE("a recording without --level has all levels, as one with --level kernel") {
  Runs runs;
  runs.add("").add("kernel");
  const auto sets = level_sets(runs.trace, runs.group);
  REQUIRE(sets.size() == 1);
  CHECK(sets[0].label == "M/L/library/G");
  CHECK(sets[0].runs == std::vector<uint32_t>{0, 1});
}

TEST_CASE("failed runs are left out where there are others of their level") {
  Runs runs;
  runs.add("model", failed()).add("model").add("layer", failed()).add("layer", failed());
  const auto sets = level_sets(runs.trace, runs.group);
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].runs == std::vector<uint32_t>{1});
  CHECK(sets[1].runs == std::vector<uint32_t>{2, 3});
}

TEST_CASE("runs whose times stand for nothing make no level set") {
  Runs runs;
  runs.add("model").add("", with_purpose(RunPurpose::kSerialised)).add("", with_purpose(RunPurpose::kCounters));
  const auto sets = level_sets(runs.trace, runs.group);
  REQUIRE(sets.size() == 1);
  CHECK(sets[0].label == "M");

  Runs alone;
  alone.add("layer", with_purpose(RunPurpose::kSerialised));
  REQUIRE(level_sets(alone.trace, alone.group).size() == 1);
}

TEST_CASE("an event is timed by the set whose deepest level is its own") {
  Runs runs;
  runs.add("kernel").add("library").add("layer").add("model");
  const auto sets = level_sets(runs.trace, runs.group);
  CHECK(set_of(sets, Level::kApplication)->label == "M");
  CHECK(set_of(sets, Level::kModel)->label == "M");
  CHECK(set_of(sets, Level::kLayer)->label == "M/L");
  CHECK(set_of(sets, Level::kLibrary)->label == "M/L/library");
  CHECK(set_of(sets, Level::kRuntime)->label == "M/L/library/G");
  CHECK(set_of(sets, Level::kDevice)->label == "M/L/library/G");
}

TEST_CASE("else by the shallowest set that records it") {
  Runs runs;
  runs.add("kernel").add("model").add("library");
  const auto sets = level_sets(runs.trace, runs.group);
  CHECK(set_of(sets, Level::kLayer)->label == "M/L/library");
  Runs shallow;
  shallow.add("model").add("layer");
  const auto few = level_sets(shallow.trace, shallow.group);
  CHECK(set_of(few, Level::kLibrary) == nullptr);
  CHECK(set_of(few, Level::kDevice) == nullptr);
  CHECK(set_of({}, Level::kModel) == nullptr);
}

}  // namespace
}  // namespace xsp::test
