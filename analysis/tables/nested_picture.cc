#include <fmt/format.h>

#include "analysis/study/level_picture.h"
#include "analysis/tables/level_tables.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of one level set: what can still be looked at, and a file of a few MB.
constexpr size_t kMostBars = 20'000;

Cell index_cell(uint32_t place) { return place == kNoPlace ? Cell() : count_cell(place); }

}  // namespace

Table nested_picture(const Study& study, const std::vector<LevelProfile>& profiles) {
  constexpr size_t kLatency = 6;
  Table picture;
  picture.id = "nested";
  picture.title = "nested events of each level set";
  picture.columns = {{"level_set", ""},  {"event_level", ""},  {"index", ""},    {"parent_index", ""}, {"name", ""},
                     {"begin_ms", "ms"}, {"latency_ms", "ms"}, {"accurate", ""}, {"layer_index", ""}};
  std::vector<LevelSet> sets;
  for (const LevelProfile& profile : profiles) sets.push_back(profile.set);
  for (size_t i = 0; i < profiles.size(); ++i) {
    const LevelPicture drawn = picture_of(study, profiles[i], kMostBars);
    for (size_t bar = 0; bar < drawn.bars.size(); ++bar) {
      const LevelBar& event = drawn.bars[bar];
      picture.rows.push_back({sets[i].label, std::string(level_word(event.level)), count_cell(bar),
                              index_cell(event.parent), std::string(study.trace.text(event.name)),
                              cell(event.begin_ns / kNsPerMs), cell(event.latency_ns / kNsPerMs),
                              set_of(sets, event.level) == &sets[i], index_cell(event.layer)});
    }
    if (drawn.left_out != Level::kUnspecified) {
      picture.notes.push_back(fmt::format("{}: events from the {} level on are left out, for there are more than {}",
                                          sets[i].label, level_word(drawn.left_out), kMostBars));
    }
    if (drawn.diverging != 0) {
      picture.notes.push_back(fmt::format("{}: {} evaluation{} with other calls or kernels left out", sets[i].label,
                                          drawn.diverging, drawn.diverging == 1 ? "" : "s"));
    }
  }
  picture.notes.emplace_back(
      "index counts the events of a level set, parents before children; begin_ms is from the begin of the evaluation; "
      "accurate: this level set is the one that times the event right");
  picture.rank_by = kLatency;
  return picture;
}

}  // namespace xsp::analysis
