#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table layer_memory(const Study& study);

struct LayerMemoryTable : TableDefinition {
  ColumnDefinition index{this, columns::kLayerPlace};
  ColumnDefinition name{this, columns::kLayer};
  ColumnDefinition alloc_mb{this, columns::kAllocatedByLayer};
  ColumnDefinition stage{this, columns::kStage};

  constexpr LayerMemoryTable()
      : TableDefinition({.id = "A4",
                         .title = "layer memory in execution order",
                         .meaning = "Memory that the layers allocate, in execution order",
                         .level = "L",
                         .source = "XSP, III-D2, Figure 5",
                         .compute = xsp::analysis::layer_memory}) {
    rank_by = &alloc_mb;
    measure = &alloc_mb;
    course = &alloc_mb;
    course_over = &index;
    selects = "layer";
  }
};
inline constexpr LayerMemoryTable kA4;

}  // namespace xsp::analysis
