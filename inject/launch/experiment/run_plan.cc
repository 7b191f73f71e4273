#include "inject/launch/experiment/run_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::launch {
namespace {

struct LevelSet {
  const char* deepest;
  const char* name;
};

constexpr LevelSet kLevelSets[] = {
    {"model", "M"}, {"layer", "M/L"}, {"library", "M/L/library"}, {"kernel", "M/L/library/G"}};

PlannedRun run_of(const RunPoint& point, const std::string& level, RunPurpose purpose, uint32_t repetition) {
  return {point.command, level, purpose, repetition, point.parameters, point.inputs, point.variables};
}

}  // namespace

std::vector<PlannedRun> planned_runs(const RunPlan& plan, const std::vector<RunPoint>& points) {
  std::vector<PlannedRun> runs;
  const std::string deepest = plan.levels.empty() ? std::string() : plan.levels.back();
  for (const RunPoint& point : points) {
    for (uint32_t i = 1; i <= plan.warm_ups; ++i) runs.push_back(run_of(point, deepest, RunPurpose::kWarmUp, i));
  }
  for (uint32_t repetition = 1; repetition <= plan.repetitions; ++repetition) {
    std::vector<PlannedRun> pass;
    for (const RunPoint& point : points) {
      for (const std::string& level : plan.levels) {
        pass.push_back(run_of(point, level, RunPurpose::kLatencies, repetition));
      }
    }
    if (repetition % 2 == 0) std::reverse(pass.begin(), pass.end());
    runs.insert(runs.end(), pass.begin(), pass.end());
  }
  for (const RunPoint& point : points) {
    if (plan.serialised) runs.push_back(run_of(point, deepest, RunPurpose::kSerialised, 1));
  }
  for (const RunPoint& point : points) {
    if (plan.counting) runs.push_back(run_of(point, "kernel", RunPurpose::kCounters, 1));
  }
  return runs;
}

std::vector<std::string> level_sets_to(const std::string& deepest) {
  std::vector<std::string> levels;
  for (const LevelSet& set : kLevelSets) {
    levels.emplace_back(set.deepest);
    if (deepest == set.deepest) break;
  }
  return levels;
}

std::string level_set_name(const std::string& level) {
  for (const LevelSet& set : kLevelSets) {
    if (level == set.deepest) return set.name;
  }
  return level.empty() ? "all levels" : level;
}

std::string text_of(const PlannedRun& run) {
  std::string text;
  for (const auto& [name, value] : run.parameters) text += fmt::format("{}={}, ", name, value);
  switch (run.purpose) {
    case RunPurpose::kLatencies:
      return text + fmt::format("{}, repetition {}", level_set_name(run.level), run.repetition);
    case RunPurpose::kCounters:
      return text + "counters";
    case RunPurpose::kSerialised:
      return text + "serialised";
    case RunPurpose::kWarmUp:
      return text + fmt::format("warm-up {}", run.repetition);
  }
  return text;
}

}  // namespace xsp::launch
