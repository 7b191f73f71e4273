#include "analysis/timeline/intervals.h"

#include <algorithm>

namespace xsp::analysis {

TimeIntervals united(TimeIntervals intervals) {
  const auto earlier = [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
    std::sort(intervals.begin(), intervals.end(), earlier);
  }
  TimeIntervals found;
  UnitedStream stream;
  const auto keep = [&](const TimeInterval& interval) { found.push_back(interval); };
  for (const TimeInterval& interval : intervals) stream.add(interval.begin, interval.end, keep);
  stream.finish(keep);
  return found;
}

int64_t length_of(const TimeIntervals& intervals) {
  int64_t length = 0;
  for (const TimeInterval& interval : intervals) length += interval.end - interval.begin;
  return length;
}

int64_t union_length(std::vector<std::pair<int64_t, int64_t>>* intervals) {
  // Mostly they come as they ran.
  if (!std::is_sorted(intervals->begin(), intervals->end())) std::sort(intervals->begin(), intervals->end());
  UnionLength length;
  for (const auto& [begin, end] : *intervals) length.add(begin, end);
  return length.length();
}

TimeIntervals common(const TimeIntervals& a, const TimeIntervals& b) {
  TimeIntervals found;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    const int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) found.push_back({begin, end});
    (a[i].end < b[j].end ? i : j) += 1;
  }
  return found;
}

TimeIntervals without(const TimeIntervals& a, const TimeIntervals& b) {
  TimeIntervals found;
  size_t next = 0;
  for (const TimeInterval& interval : a) {
    int64_t at = interval.begin;
    while (next < b.size() && b[next].end <= at) ++next;
    for (size_t i = next; i < b.size() && b[i].begin < interval.end; ++i) {
      if (b[i].begin > at) found.push_back({at, b[i].begin});
      at = std::max(at, b[i].end);
    }
    if (at < interval.end) found.push_back({at, interval.end});
  }
  return found;
}

int64_t OverlapCursor::overlap(const TimeInterval& interval) {
  const TimeIntervals& list = *intervals_;
  while (next_ < list.size() && list[next_].end <= interval.begin) ++next_;
  int64_t length = 0;
  for (size_t i = next_; i < list.size() && list[i].begin < interval.end; ++i) {
    length += std::min(interval.end, list[i].end) - std::max(interval.begin, list[i].begin);
  }
  return length;
}

}  // namespace xsp::analysis
