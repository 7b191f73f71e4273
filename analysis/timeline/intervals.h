#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace xsp::analysis {

/// Half-open, ns of the trace's clock.
struct TimeInterval {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Disjoint intervals in order of time.
using TimeIntervals = std::vector<TimeInterval>;

/// Unites intervals that come in any order; empty and inverted ones go.
TimeIntervals united(TimeIntervals intervals);

int64_t length_of(const TimeIntervals& intervals);

/// What two lists have in common, and what the first has alone.
TimeIntervals common(const TimeIntervals& a, const TimeIntervals& b);
TimeIntervals without(const TimeIntervals& a, const TimeIntervals& b);

/// How much of intervals that come in order of time lies in a list: each of the list is looked at once.
class OverlapCursor {
 public:
  explicit OverlapCursor(const TimeIntervals& intervals) : intervals_(&intervals) {}

  /// `interval` begins at or behind the end of the one before.
  int64_t overlap(const TimeInterval& interval);

 private:
  const TimeIntervals* intervals_;
  size_t next_ = 0;
};

/// Length of the union of intervals that come in order of begin.
class UnionLength {
 public:
  /// Returns by how much the union grew.
  int64_t add(int64_t begin, int64_t end) {
    if (begin > end_) {
      closed_ += end_ - begin_;
      begin_ = begin;
      end_ = begin;
    }
    if (end <= end_) return 0;
    const int64_t grown = end - end_;
    end_ = end;
    return grown;
  }

  int64_t length() const { return closed_ + end_ - begin_; }

  /// Its part before `time`, where everything that begins before `time` has come.
  int64_t until(int64_t time) const { return closed_ + std::max<int64_t>(std::min(end_, time) - begin_, 0); }

 private:
  int64_t closed_ = 0;  // of the intervals before the last one
  int64_t begin_ = INT64_MIN / 2;
  int64_t end_ = INT64_MIN / 2;
};

/// Of intervals in any order, which are sorted.
int64_t union_length(std::vector<std::pair<int64_t, int64_t>>* intervals);

/// Unites intervals while they come in order of begin, and hands each united one on.
class UnitedStream {
 public:
  /// `use(TimeInterval)` is called for what can grow no more.
  template <typename Use>
  void add(int64_t begin, int64_t end, Use&& use) {
    if (end <= begin) return;
    if (open_ && begin <= current_.end) {
      current_.end = end > current_.end ? end : current_.end;
      return;
    }
    if (open_) use(current_);
    current_ = {begin, end};
    open_ = true;
  }

  template <typename Use>
  void finish(Use&& use) {
    if (open_) use(current_);
    open_ = false;
  }

 private:
  TimeInterval current_;
  bool open_ = false;
};

}  // namespace xsp::analysis
