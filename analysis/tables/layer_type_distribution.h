#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table layer_type_distribution(const Study& study);

struct LayerTypeDistributionTable : TableDefinition {
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition count{this, columns::kLayersOfType};
  ColumnDefinition count_pct{
      this, {"count_pct", "%", "Their share of all layers", "count / Σ count · 100", "L", sources::kPaper}};

  constexpr LayerTypeDistributionTable()
      : TableDefinition({.id = "A5",
                         .title = "layer type distribution",
                         .meaning = "Number of layers of each type",
                         .level = "L",
                         .source = "XSP, III-D2, Figure 4",
                         .compute = xsp::analysis::layer_type_distribution}) {
    measure = &count;
    overview_place = 11;
    important_ = {&type, &count, &count_pct};
    selects = "type";
  }
};
inline constexpr LayerTypeDistributionTable kA5;

}  // namespace xsp::analysis
