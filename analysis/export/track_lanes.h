#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/export/exported_spans.h"

namespace xsp::analysis {

/// Viewers draw nested slices only, so overlapping spans of a track go into further lanes. In a thread's lane spans
/// nest; in a stream's they follow each other, because none is part of another.
struct TrackLanes {
  std::vector<uint32_t> lane;  // by place in the track's rows; empty: all in the first
  uint32_t count = 1;

  uint32_t of(size_t place) const { return lane.empty() ? 0 : lane[place]; }
};

/// Takes rows in order of begin, outer before inner; each stands in the lowest lane that has room for it.
TrackLanes find_lanes(const SpanTable& spans, std::span<const Row> rows, bool nest);

/// The rows of each lane, in their order.
class LaneRows {
 public:
  /// `rows` must outlive it.
  LaneRows(std::span<const Row> rows, const TrackLanes& lanes);

  std::span<const Row> of(uint32_t lane) const { return rows_.subspan(first_[lane], first_[lane + 1] - first_[lane]); }

 private:
  std::vector<Row> sorted_;  // empty: there is one lane
  std::vector<size_t> first_;
  std::span<const Row> rows_;
};

/// Tells when slices end while the rows of a lane are walked in order: calls `end(row)` for what has ended before `row`
/// begins, the innermost first, then `begin(row)`; in the end the rest.
template <typename Begin, typename End>
void walk_nested(const SpanTable& spans, std::span<const Row> rows, Begin&& begin, End&& end) {
  std::vector<Row> open;
  for (const Row row : rows) {
    while (!open.empty() && spans.end[open.back()] <= spans.begin[row]) {
      end(open.back());
      open.pop_back();
    }
    begin(row);
    open.push_back(row);
  }
  while (!open.empty()) {
    end(open.back());
    open.pop_back();
  }
}

}  // namespace xsp::analysis
