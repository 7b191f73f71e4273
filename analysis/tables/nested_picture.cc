#include "analysis/tables/nested_picture.h"

#include <fmt/format.h>

#include "analysis/study/level_picture.h"
#include "analysis/study/study.h"
#include "analysis/tables/level_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of one level set: what can still be looked at, and a file of a few MB.
constexpr size_t kMostBars = 20'000;

Cell index_cell(uint32_t place) { return place == kNoPlace ? Cell() : count_cell(place); }

}  // namespace

Table nested_picture(const Study& study, const std::vector<LevelProfile>& profiles) {
  Table picture = make_table(kL1Nested);
  std::vector<LevelSet> sets;
  for (const LevelProfile& profile : profiles) sets.push_back(profile.set);
  for (size_t i = 0; i < profiles.size(); ++i) {
    const LevelPicture drawn = picture_of(study, profiles[i], kMostBars);
    for (size_t bar = 0; bar < drawn.bars.size(); ++bar) {
      const LevelBar& event = drawn.bars[bar];
      TableRow row = picture.add_row();
      row.set(kL1Nested.level_set, sets[i].label);
      row.set(kL1Nested.event_level, std::string(level_word(event.level)));
      row.set(kL1Nested.index, count_cell(bar));
      row.set(kL1Nested.parent_index, index_cell(event.parent));
      row.set(kL1Nested.name, std::string(study.trace.text(event.name)));
      row.set(kL1Nested.begin_ms, cell(event.begin_ns / kNsPerMs));
      row.set(kL1Nested.latency_ms, cell(event.latency_ns / kNsPerMs));
      row.set(kL1Nested.accurate, set_of(sets, event.level) == &sets[i]);
      row.set(kL1Nested.layer_index, index_cell(event.layer));
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
  return picture;
}

}  // namespace xsp::analysis
