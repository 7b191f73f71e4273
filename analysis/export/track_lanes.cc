#include "analysis/export/track_lanes.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

/// What a lane holds open, as ends, the outermost first.
using Open = std::vector<int64_t>;

bool has_room(Open* open, int64_t begin, int64_t end, bool nest) {
  while (!open->empty() && open->back() <= begin) open->pop_back();
  return open->empty() || (nest && open->back() >= end);
}

}  // namespace

TrackLanes find_lanes(const SpanTable& spans, std::span<const Row> rows, bool nest) {
  TrackLanes lanes;
  std::vector<Open> open(1);
  for (size_t place = 0; place < rows.size(); ++place) {
    const int64_t begin = spans.begin[rows[place]];
    const int64_t end = std::max(begin, spans.end[rows[place]]);
    uint32_t lane = 0;
    while (lane < open.size() && !has_room(&open[lane], begin, end, nest)) ++lane;
    if (lane == open.size()) open.emplace_back();
    open[lane].push_back(end);
    if (lane != 0 && lanes.lane.empty()) lanes.lane.resize(rows.size());
    if (lane != 0) lanes.lane[place] = lane;
  }
  lanes.count = static_cast<uint32_t>(open.size());
  return lanes;
}

}  // namespace xsp::analysis
