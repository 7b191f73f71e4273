#pragma once

#include <vector>

#include "analysis/study/level_profile.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The paper's Figure 2 as rows: what each level set saw of an evaluation, one inside the other.
struct NestedPictureTable : TableDefinition {
  ColumnDefinition level_set{this, columns::kLevelSet};
  ColumnDefinition event_level{this, columns::kEventLevel};
  ColumnDefinition index{this,
                         {"index", "", "Number of the event in its level set", "", "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition parent_index{this,
                                {"parent_index", "", "The event around it", "", "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition name{this, {"name", "", "Name of the event", "", "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition begin_ms{this,
                            {"begin_ms", "ms", "Begin after that of the model", "", "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition latency_ms{this, {"latency_ms", "ms", "Its latency", "", "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition accurate{this,
                            {"accurate", "", "Whether this set times this level: nothing deeper was recorded", "",
                             "a leveled set", "XSP, Figure 2"}};
  ColumnDefinition layer_index{this, columns::kLayerIndex};

  constexpr NestedPictureTable()
      : TableDefinition({.id = "L1.nested",
                         .title = "nested events of each level set",
                         .meaning = "The events of each level set inside one another",
                         .level = "a leveled set",
                         .source = "XSP, Figure 2"}) {
    rank_by = &latency_ms;
  }
};
inline constexpr NestedPictureTable kL1Nested;

Table nested_picture(const Study& study, const std::vector<LevelProfile>& profiles);

}  // namespace xsp::analysis
