#pragma once

#include <cstdint>
#include <vector>

#include "proto/activity_columns.h"

namespace xsp {

/// The calls of one process that have a correlation id.
class LaunchIndex {
 public:
  void add(uint32_t correlation, SpanReference launch) { launches_.push_back({correlation, launch}); }
  /// No more will come.
  void finish();

  bool has(uint32_t correlation) const;
  /// The only call with this id; ring 0: there is none, or several.
  SpanReference find(uint32_t correlation) const;

  struct Launch {
    uint32_t correlation;
    SpanReference span;
  };
  const std::vector<Launch>& all() const { return launches_; }

 private:
  std::vector<Launch> launches_;  // in order of their ids
};

}  // namespace xsp
