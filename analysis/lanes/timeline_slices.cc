#include "analysis/lanes/timeline_slices.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

/// Rows of the trace by lane: those of lane i are rows[first[i]] up to rows[first[i + 1]].
struct RowsByLane {
  std::vector<size_t> first;
  std::vector<Row> rows;
};

RowsByLane rows_by_lane(const Trace& trace, const TimelineLanes& lanes) {
  RowsByLane by_lane;
  by_lane.first.push_back(0);
  for (const Lane& lane : lanes.lanes()) by_lane.first.push_back(by_lane.first.back() + lane.spans);
  by_lane.rows.resize(trace.spans.size());
  std::vector<size_t> next(by_lane.first.begin(), by_lane.first.end() - 1);
  lanes.for_each_span([&](Row row, uint32_t lane) { by_lane.rows[next[lane]++] = row; });
  return by_lane;
}

/// Keeps the `count` longest, of equally long ones the first.
void keep_longest(const Trace& trace, size_t count, std::vector<Row>* rows) {
  if (rows->size() <= count) return;
  std::nth_element(rows->begin(), rows->begin() + static_cast<ptrdiff_t>(count), rows->end(), [&](Row a, Row b) {
    const int64_t x = trace.spans.duration(a);
    const int64_t y = trace.spans.duration(b);
    return x != y ? x > y : a < b;
  });
  rows->resize(count);
}

void mark_longest(const Trace& trace, const TimelineLanes& lanes, size_t limit, std::vector<bool>* is_drawn) {
  if (trace.spans.size() <= limit) {
    is_drawn->assign(trace.spans.size(), true);
    return;
  }
  is_drawn->assign(trace.spans.size(), false);
  const RowsByLane by_lane = rows_by_lane(trace, lanes);
  const size_t share = limit / 2 / std::max<size_t>(lanes.lanes().size(), 1);
  size_t marked = 0;
  std::vector<Row> rows;
  for (size_t lane = 0; lane < lanes.lanes().size(); ++lane) {
    rows.assign(by_lane.rows.begin() + static_cast<ptrdiff_t>(by_lane.first[lane]),
                by_lane.rows.begin() + static_cast<ptrdiff_t>(by_lane.first[lane + 1]));
    keep_longest(trace, share, &rows);
    for (const Row row : rows) (*is_drawn)[row] = true;
    marked += rows.size();
  }
  rows.clear();
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (!(*is_drawn)[row]) rows.push_back(row);
  }
  keep_longest(trace, limit - marked, &rows);
  for (const Row row : rows) (*is_drawn)[row] = true;
}

/// Gives the slices of a lane rows, in order of begin.
class LaneRows {
 public:
  /// The row of the next slice: the first free one below those whose slices contain it; kMaxLaneRows: there is none.
  uint32_t place(int64_t begin, int64_t end) {
    uint32_t row = 0;
    for (uint32_t i = 0; i < used_; ++i) {
      if (end_[i] > begin && end_[i] >= end) row = i + 1;
    }
    while (row < used_ && end_[row] > begin) ++row;
    if (row == kMaxLaneRows) return row;
    used_ = std::max(used_, row + 1);
    end_[row] = end;
    return row;
  }

 private:
  std::array<int64_t, kMaxLaneRows> end_ = {};
  uint32_t used_ = 0;
};

}  // namespace

uint32_t TimelineSlices::slice_of_row(Row of) const {
  return std::lower_bound(slice_of.begin(), slice_of.end(), std::pair(of, uint32_t{0}))->second;
}

TimelineSlices choose_slices(const Trace& trace, const TimelineLanes& lanes, size_t limit) {
  const SpanTable& spans = trace.spans;
  TimelineSlices slices;
  mark_longest(trace, lanes, limit, &slices.is_drawn);
  std::vector<std::vector<Row>> chosen(lanes.lanes().size());
  lanes.for_each_span([&](Row row, uint32_t lane) {
    if (slices.is_drawn[row]) chosen[lane].push_back(row);
  });
  for (std::vector<Row>& rows : chosen) {
    // A span that contains another begins before it, or with it and ends later, and is recorded later.
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) {
      if (spans.begin[a] != spans.begin[b]) return spans.begin[a] < spans.begin[b];
      return spans.end[a] != spans.end[b] ? spans.end[a] > spans.end[b] : a > b;
    });
    LaneRows places;
    std::vector<std::vector<Row>> by_row;
    for (const Row row : rows) {
      const uint32_t place = places.place(spans.begin[row], spans.end[row]);
      if (place == kMaxLaneRows) {
        slices.is_drawn[row] = false;
        continue;
      }
      if (place >= by_row.size()) by_row.resize(place + 1);
      by_row[place].push_back(row);
    }
    slices.first_row.push_back(static_cast<uint32_t>(slices.first_of_row.size()));
    for (const std::vector<Row>& own : by_row) {
      slices.first_of_row.push_back(slices.row.size());
      slices.row.insert(slices.row.end(), own.begin(), own.end());
    }
    std::vector<Row>().swap(rows);
  }
  slices.first_row.push_back(static_cast<uint32_t>(slices.first_of_row.size()));
  slices.first_of_row.push_back(slices.row.size());
  slices.slice_of.reserve(slices.size());
  for (uint32_t i = 0; i < slices.size(); ++i) slices.slice_of.emplace_back(slices.row[i], i);
  std::sort(slices.slice_of.begin(), slices.slice_of.end());
  return slices;
}

void add_to_bins(const TimelineBins& bins, int64_t begin, int64_t end, std::vector<int64_t>* partial,
                 std::vector<int64_t>* whole) {
  if (begin >= end) return;
  const auto first = static_cast<size_t>((begin - bins.begin) / bins.width);
  const auto last = static_cast<size_t>((end - 1 - bins.begin) / bins.width);
  if (first == last) {
    (*partial)[first] = sum_of_times((*partial)[first], end - begin);
    return;
  }
  const auto begin_of = [&](size_t bin) { return bins.begin + static_cast<int64_t>(bin) * bins.width; };
  (*partial)[first] = sum_of_times((*partial)[first], begin_of(first + 1) - begin);
  (*partial)[last] = sum_of_times((*partial)[last], end - begin_of(last));
  ++(*whole)[first + 1];
  --(*whole)[last];
}

void sum_bins(const TimelineBins& bins, const std::vector<int64_t>& whole, std::vector<int64_t>* partial) {
  int64_t covering = 0;
  for (size_t bin = 0; bin < partial->size(); ++bin) {
    covering += whole[bin];
    int64_t ns = 0;
    if (__builtin_mul_overflow(covering, bins.width, &ns)) ns = INT64_MAX;
    (*partial)[bin] = sum_of_times((*partial)[bin], ns);
  }
}

}  // namespace xsp::analysis
