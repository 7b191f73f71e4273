#include "analysis/study/level_sets.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace xsp::analysis {
namespace {

struct KnownSet {
  Level deepest;
  std::string_view requested;  // TraceHeader.requested_level
  std::string_view label;
};

constexpr std::array kKnownSets = {
    KnownSet{Level::kModel, "model", "M"},
    KnownSet{Level::kLayer, "layer", "M/L"},
    KnownSet{Level::kLibrary, "library", "M/L/library"},
    KnownSet{Level::kDevice, "kernel", "M/L/library/G"},
};

/// Recorded without --level, or by another tool: all levels that could be had.
const KnownSet& set_of_request(std::string_view requested) {
  const auto* found = std::find_if(kKnownSets.begin(), kKnownSets.end(),
                                   [&](const KnownSet& known) { return known.requested == requested; });
  return found == kKnownSets.end() ? kKnownSets.back() : *found;
}

/// Keeps the runs that `is_good`, unless none is.
template <typename IsGood>
void prefer(std::vector<uint32_t>* runs, IsGood&& is_good) {
  if (std::none_of(runs->begin(), runs->end(), is_good)) return;
  std::erase_if(*runs, [&](uint32_t run) { return !is_good(run); });
}

}  // namespace

std::vector<LevelSet> level_sets(const Trace& trace, const EvaluationGroup& group) {
  const auto segment_of = [&](uint32_t run) -> const Segment& {
    return trace.segments[trace.processes[group.runs[run].process].segment];
  };
  std::vector<uint32_t> runs;
  for (uint32_t i = 0; i < group.runs.size(); ++i) runs.push_back(i);
  prefer(&runs, [&](uint32_t run) {
    const auto& experiment = segment_of(run).run;
    return !experiment || experiment->purpose == RunPurpose::kLatencies;
  });
  std::vector<LevelSet> sets;
  for (const KnownSet& known : kKnownSets) {
    LevelSet set{known.deepest, std::string(known.label), {}};
    for (const uint32_t run : runs) {
      const KnownSet& of_run =
          group.runs[run].shallow ? kKnownSets.front() : set_of_request(segment_of(run).requested_level);
      if (&of_run == &known) set.runs.push_back(run);
    }
    prefer(&set.runs, [&](uint32_t run) {
      const auto& experiment = segment_of(run).run;
      return !experiment || !experiment->failed;
    });
    if (!set.runs.empty()) sets.push_back(std::move(set));
  }
  return sets;
}

const LevelSet* set_of(const std::vector<LevelSet>& sets, Level event) {
  const Level deepest = event == Level::kRuntime ? Level::kDevice : event;
  const auto found =
      std::find_if(sets.begin(), sets.end(), [&](const LevelSet& set) { return set.deepest >= deepest; });
  return found == sets.end() ? nullptr : &*found;
}

}  // namespace xsp::analysis
