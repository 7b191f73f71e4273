#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/level_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/study_notes.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

std::vector<Cell> row_of(const Study& study, const LevelProfile& profile, const LevelOverhead& event) {
  const bool is_layer = event.layer != kNoPlace;
  const bool is_judged = !std::isnan(event.interval.low);
  return {profile.set.label,
          std::string(level_word(event.event)),
          is_layer ? count_cell(event.layer) : Cell(),
          cell(event.latency_ns / kNsPerMs),
          cell(event.overhead_ns / kNsPerMs),
          event.is_compared ? percent(event.overhead_ns, event.before_ns) : Cell(),
          count_cell(event.n),
          cell(event.spread_ns / kNsPerMs),
          is_layer ? Cell(std::string(study.trace.text(profile.layers[event.layer].name))) : Cell(),
          cell(event.interval.low / kNsPerMs),
          cell(event.interval.high / kNsPerMs),
          is_judged ? Cell(excludes_zero(event.interval)) : Cell(),
          count_cell(event.runs)};
}

}  // namespace

Table levels(const Study& study) {
  constexpr size_t kOverhead = 4;
  Table table;
  table.columns = {{"level_set", ""},
                   {"event_level", ""},
                   {"layer_index", ""},
                   {"latency_ms", "ms"},
                   {"overhead_ms", "ms"},
                   {"overhead_pct", "%"},
                   {"n", ""},
                   {"spread", "ms"},
                   {"layer_name", ""},
                   {"overhead_low_ms", "ms"},
                   {"overhead_high_ms", "ms"},
                   {"significant", ""},
                   {"runs", ""}};
  const std::vector<LevelProfile> profiles = profile_levels(study);
  const std::vector<LevelOverhead> events = level_overheads(profiles, study.options.statistic);
  for (const LevelOverhead& event : events) table.rows.push_back(row_of(study, profiles[event.profile], event));
  table.rank_by = kOverhead;
  if (table.rows.empty()) {
    table.notes.push_back(no_layers_note(study));
    table.lacks_data = true;
    return table;
  }
  table.lacks_data = profiles.size() < 2;
  table.notes = level_notes(study, profiles, events);
  table.parts.push_back(nested_picture(study, profiles));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
