#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes/timeline_lanes.h"

namespace xsp::analysis {

/// A lane has at most this many rows; what would need more is not drawn singly.
inline constexpr uint32_t kMaxLaneRows = 64;

/// The spans that are drawn singly, and where.
struct TimelineSlices {
  std::vector<Row> row;              // of the trace, by slice
  std::vector<size_t> first_of_row;  // slices of a lane's row: by row of all lanes, behind them the number of slices
  std::vector<uint32_t> first_row;   // of a lane, in first_of_row; behind them the number of rows
  std::vector<bool> is_drawn;        // by row of the trace
  std::vector<std::pair<Row, uint32_t>> slice_of;  // sorted

  size_t size() const { return row.size(); }
  /// The slice of a row of the trace that is drawn.
  uint32_t slice_of_row(Row of) const;
};

/// Chooses at most `limit` spans: half of them as the longest of each lane, in equal parts, the others as the longest
/// of the rest. In a lane a slice lies in a row below those that contain it, and no two of a row overlap.
TimelineSlices choose_slices(const Trace& trace, const TimelineLanes& lanes, size_t limit);

/// How busy a lane is by spans that are not drawn singly: the sum of their times in bins of equal width. What overlaps
/// counts twice, so that the bins add up to the durations.
struct LaneShade {
  uint64_t spans = 0;
  std::vector<int64_t> ns;  // by bin; empty without such spans
};

/// The time that the lanes of one part of a timeline share, in bins.
struct TimelineBins {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t width = 1;
  size_t count = 0;
};

/// By lane. `bins_of(lane)`: those of its part.
template <typename BinsOf>
std::vector<LaneShade> shade_lanes(const Trace& trace, const TimelineLanes& lanes, const TimelineSlices& slices,
                                   BinsOf&& bins_of);

/// Adds the time of a span to bins of differences: `whole` has for each bin how many more spans cover it entirely than
/// cover the one before.
void add_to_bins(const TimelineBins& bins, int64_t begin, int64_t end, std::vector<int64_t>* partial,
                 std::vector<int64_t>* whole);
/// Turns both into times.
void sum_bins(const TimelineBins& bins, const std::vector<int64_t>& whole, std::vector<int64_t>* partial);

template <typename BinsOf>
std::vector<LaneShade> shade_lanes(const Trace& trace, const TimelineLanes& lanes, const TimelineSlices& slices,
                                   BinsOf&& bins_of) {
  std::vector<LaneShade> shades(lanes.lanes().size());
  std::vector<std::vector<int64_t>> whole(shades.size());
  lanes.for_each_span([&](Row row, uint32_t lane) {
    if (slices.is_drawn[row]) return;
    const TimelineBins& bins = bins_of(lane);
    LaneShade& shade = shades[lane];
    if (shade.ns.empty()) {
      shade.ns.resize(bins.count);
      whole[lane].resize(bins.count + 1);
    }
    ++shade.spans;
    add_to_bins(bins, trace.spans.begin[row], trace.spans.end[row], &shade.ns, &whole[lane]);
  });
  for (uint32_t lane = 0; lane < shades.size(); ++lane) {
    if (!shades[lane].ns.empty()) sum_bins(bins_of(lane), whole[lane], &shades[lane].ns);
  }
  return shades;
}

}  // namespace xsp::analysis
