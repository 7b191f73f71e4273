#include "analysis/export/track_lanes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace xsp::analysis {
namespace {

/// The ends of what a lane holds open, the outermost first.
using Open = std::vector<int64_t>;

/// The lanes behind the first one. Each has room for spans that end until a certain time, and a tree over the lanes
/// keeps the largest of these of its leaves: a track may have as many lanes as spans.
class FurtherLanes {
 public:
  explicit FurtherLanes(bool nest) : nest_(nest) {}

  /// Takes a span into the lowest lane with room for it, and tells which.
  size_t take(int64_t begin, int64_t end) {
    for (; !ends_.empty() && ends_.top().first <= begin; ends_.pop()) close_last(ends_.top().second);
    if (room_[1] < end) grow();
    size_t node = 1;
    while (node < leaves_) node = room_[2 * node] >= end ? 2 * node : 2 * node + 1;
    const size_t lane = node - leaves_;
    if (lane >= open_.size()) open_.resize(lane + 1);
    open_[lane].push_back(end);
    ends_.emplace(end, lane);
    set_room(lane);
    return lane;
  }

  size_t size() const { return open_.size(); }

 private:
  static constexpr int64_t kEmpty = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kFull = std::numeric_limits<int64_t>::min();

  void close_last(size_t lane) {
    open_[lane].pop_back();
    set_room(lane);
  }

  void set_room(size_t lane) {
    size_t node = leaves_ + lane;
    room_[node] = open_[lane].empty() ? kEmpty : nest_ ? open_[lane].back() : kFull;
    while (node /= 2) room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
  }

  void grow() {
    leaves_ *= 2;
    room_.assign(2 * leaves_, kEmpty);
    for (size_t lane = 0; lane < open_.size(); ++lane) set_room(lane);
  }

  bool nest_;
  std::vector<Open> open_;
  size_t leaves_ = 1;
  std::vector<int64_t> room_ = {kEmpty, kEmpty};  // by node of the tree: its root is 1, its leaves are from leaves_ on
  std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>, std::greater<>> ends_;
};

}  // namespace

TrackLanes find_lanes(const SpanTable& spans, std::span<const Row> rows, bool nest) {
  TrackLanes lanes;
  Open first;
  FurtherLanes further(nest);
  for (size_t place = 0; place < rows.size(); ++place) {
    const int64_t begin = spans.begin[rows[place]];
    const int64_t end = std::max(begin, spans.end[rows[place]]);
    while (!first.empty() && first.back() <= begin) first.pop_back();
    if (first.empty() || (nest && first.back() >= end)) {
      first.push_back(end);
      continue;
    }
    if (lanes.lane.empty()) lanes.lane.resize(rows.size());
    lanes.lane[place] = static_cast<uint32_t>(1 + further.take(begin, end));
  }
  lanes.count = static_cast<uint32_t>(1 + further.size());
  return lanes;
}

LaneRows::LaneRows(std::span<const Row> rows, const TrackLanes& lanes) : first_(lanes.count + 1), rows_(rows) {
  if (lanes.count == 1) {
    first_[1] = rows.size();
    return;
  }
  for (const uint32_t lane : lanes.lane) ++first_[lane + 1];
  for (size_t lane = 0; lane < lanes.count; ++lane) first_[lane + 1] += first_[lane];
  std::vector<size_t> next(first_.begin(), first_.end() - 1);
  sorted_.resize(rows.size());
  for (size_t place = 0; place < rows.size(); ++place) sorted_[next[lanes.lane[place]]++] = rows[place];
  rows_ = sorted_;
}

}  // namespace xsp::analysis
