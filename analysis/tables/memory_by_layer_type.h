#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table memory_by_layer_type(const Study& study);

struct MemoryByLayerTypeTable : TableDefinition {
  ColumnDefinition type{this, columns::kType};
  ColumnDefinition count{this, columns::kLayersOfType};
  ColumnDefinition alloc_mb{
      this,
      {"alloc_mb", "MB", "Memory that the layers of this type allocated", "Σ alloc_mb of A2", "L", sources::kPaper}};
  ColumnDefinition alloc_pct{
      this,
      {"alloc_pct", "%", "Their share of all layers' memory", "alloc_mb / Σ alloc_mb · 100", "L", sources::kPaper}};

  constexpr MemoryByLayerTypeTable()
      : TableDefinition({.id = "A7",
                         .title = "memory by layer type",
                         .meaning = "Allocated memory by layer type",
                         .level = "L",
                         .source = "XSP, III-D2, Figure 4",
                         .compute = xsp::analysis::memory_by_layer_type}) {
    measure = &alloc_mb;
    overview_place = 10;
    important_ = {&type, &alloc_mb, &alloc_pct, &count};
    selects = "type";
  }
};
inline constexpr MemoryByLayerTypeTable kA7;

}  // namespace xsp::analysis
