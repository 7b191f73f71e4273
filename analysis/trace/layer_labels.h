#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/trace/span_table.h"

namespace xsp::analysis {

/// What layers are called that no program named: operators, by what they read. Spans keep the name of the operator,
/// which tells evaluations and recordings of other shapes what is the same layer.
class LayerLabels {
 public:
  /// In order of rows.
  void add(Row row, uint32_t label) { labels_.emplace_back(row, label); }

  /// String id; 0 for a layer that is called by its own name.
  uint32_t of(Row row) const {
    const auto found = std::lower_bound(labels_.begin(), labels_.end(), std::pair(row, uint32_t{0}));
    return found == labels_.end() || found->first != row ? 0 : found->second;
  }

 private:
  std::vector<std::pair<Row, uint32_t>> labels_;
};

}  // namespace xsp::analysis
