#include "analysis/tables/levels.h"

#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/level_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/nested_picture.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

void add_row(const Study& study, const LevelProfile& profile, const LevelOverhead& event, Table* table) {
  TableRow row = table->add_row();
  row.set(kL1.level_set, profile.set.label);
  row.set(kL1.event_level, std::string(level_word(event.event)));
  if (event.layer != kNoPlace) {
    row.set(kL1.layer_index, count_cell(event.layer));
    row.set(kL1.layer_name, std::string(study.trace.text(profile.layers[event.layer].name)));
  }
  row.set(kL1.latency_ms, cell(event.latency_ns / kNsPerMs));
  row.set(kL1.overhead_ms, cell(event.overhead_ns / kNsPerMs));
  if (event.is_compared) row.set(kL1.overhead_pct, percent(event.overhead_ns, event.before_ns));
  row.set(kL1.n, count_cell(event.n));
  row.set(kL1.spread, cell(event.spread_ns / kNsPerMs));
  row.set(kL1.overhead_low_ms, cell(event.interval.low / kNsPerMs));
  row.set(kL1.overhead_high_ms, cell(event.interval.high / kNsPerMs));
  if (!std::isnan(event.interval.low)) row.set(kL1.significant, excludes_zero(event.interval));
  row.set(kL1.runs, count_cell(event.runs));
}

}  // namespace

Table levels(const Study& study) {
  Table table = make_table(kL1, study);
  const std::vector<LevelProfile> profiles = profile_levels(study);
  const std::vector<LevelOverhead> events = level_overheads(profiles, study.options.statistic);
  for (const LevelOverhead& event : events) add_row(study, profiles[event.profile], event, &table);
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
