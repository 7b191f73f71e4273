#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/export/exported_spans.h"

namespace xsp::analysis {

/// Viewers draw slices that nest, so that spans of a track that overlap stand in further lanes of it. In a lane of a
/// thread spans nest; in one of a stream they follow each other, for none of them is part of another.
struct TrackLanes {
  std::vector<uint32_t> lane;  // by place in the track's rows; empty: all in the first
  uint32_t count = 1;

  uint32_t of(size_t place) const { return lane.empty() ? 0 : lane[place]; }
};

/// Takes rows in order of begin, outer before inner.
TrackLanes find_lanes(const SpanTable& spans, std::span<const Row> rows, bool nest);

/// Tells when slices end while rows are walked in order: calls `end(row)` for what has ended before `row` begins, the
/// innermost first, then `begin(row)`; in the end the rest.
template <typename Begin, typename End>
void walk_nested(const SpanTable& spans, std::span<const Row> rows, const TrackLanes& lanes, uint32_t lane,
                 Begin&& begin, End&& end) {
  std::vector<Row> open;
  for (size_t place = 0; place < rows.size(); ++place) {
    if (lanes.of(place) != lane) continue;
    const Row row = rows[place];
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
