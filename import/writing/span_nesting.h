#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/writing/span_order.h"

namespace xsp {

/// Nests intervals of one thread by time. They come in order of their begin, of those that begin together the longer
/// one first; each is a child of the latest-begun interval that contains it. An interval may stick out of its parent by
/// the resolution; one that crosses another by more is in neither of the two.
class SpanNesting {
 public:
  explicit SpanNesting(int64_t resolution) : resolution_(resolution) {}

  struct Open {
    int64_t end;      // its own, or that of its parent, which it may stick out of
    uint32_t id;      // as the caller counts, from 1
    uint32_t parent;  // its id; 0: none
    uint32_t call;    // 1 + place in open() of the innermost call of the CUDA API that encloses it or is it; 0: none
  };

  /// Closes what ends before this interval does, innermost first, through `close(Open)`; the last one left encloses it.
  /// Returns whether it crosses one of those closed. The outermost `keep` stay open; of the others, one that ends where
  /// the interval begins contains it only if the interval has no duration and `!has_ended_there(Open)`.
  template <typename Close, typename HasEnded>
  bool close_before(int64_t begin, int64_t end, size_t keep, HasEnded&& has_ended_there, Close&& close) {
    bool crosses = false;
    while (open_.size() > keep) {
      const Open& last = open_.back();
      const bool has_ended = last.end < begin || (last.end == begin && (end > begin || has_ended_there(last)));
      if (!has_ended && (end <= last.end || end - last.end <= resolution_)) break;
      // An interval that this one crosses can be closed, too: all that comes later and is in it is in this interval as
      // well.
      crosses |= !has_ended;
      close(last);
      open_.pop_back();
    }
    return crosses;
  }
  void open(int64_t end, uint32_t id, bool is_call) {
    Open next{end, id, 0, 0};
    if (!open_.empty()) {
      next = {std::min(end, open_.back().end), id, open_.back().id, open_.back().call};
    }
    if (is_call) next.call = static_cast<uint32_t>(open_.size() + 1);
    open_.push_back(next);
  }
  template <typename Close>
  void close_all(Close&& close) {
    for (; !open_.empty(); open_.pop_back()) close(open_.back());
  }
  /// 1 + the place in open() of the interval with this id; 0: it is not open.
  size_t place_of(uint32_t id) const {
    const auto at = std::lower_bound(open_.begin(), open_.end(), id,
                                     [](const Open& open, uint32_t wanted) { return open.id < wanted; });
    return at == open_.end() || at->id != id ? 0 : static_cast<size_t>(at - open_.begin()) + 1;
  }
  /// What encloses the next interval, outermost first.
  const std::vector<Open>& open() const { return open_; }

 private:
  int64_t resolution_;
  std::vector<Open> open_;
};

/// Nests the spans of a thread by their times. `close(open)` takes each span when it ends, inner ones first;
/// `add_launch(id)` takes those that may have launched what has their correlation id. Returns how many cross another
/// span that they may not cross.
template <typename Close, typename AddLaunch>
uint64_t nest_by_time(const ImportedProcess::Thread& thread, const SpanOrder& order, int64_t resolution_ns,
                      Close&& close, AddLaunch&& add_launch) {
  // A call can be nested in calls of other libraries, but not in many.
  constexpr int kMaxCallDepth = 16;
  const auto span_of = [&](uint32_t id) -> const ImportedSpan& { return thread.spans[order.number_of(id)]; };
  const auto call_of = [&](uint32_t id) {
    const uint32_t number = order.number_of(id);
    return number < thread.calls.size() ? thread.calls[number] : ImportedProcess::Call();
  };
  // An annotation begins in one function (__enter__) and ends in another (__exit__).
  const auto may_cross = [](const ImportedSpan& a, const ImportedSpan& b) {
    return (is_python(a) && b.kind == wire::Kind::kAnnotation) || (is_python(b) && a.kind == wire::Kind::kAnnotation);
  };
  const std::vector<uint32_t> ids = thread.calls.empty() ? std::vector<uint32_t>() : order.ids();  // of callers
  SpanNesting nesting(resolution_ns);
  uint64_t overlapping = 0;
  for (uint32_t id = 1; id <= order.count(); ++id) {
    const ImportedSpan& span = span_of(id);
    const ImportedProcess::Call call_here = call_of(id);
    const bool has_caller = call_here.caller != 0 && call_here.caller <= ids.size();
    const size_t keep = has_caller ? nesting.place_of(ids[call_here.caller - 1]) : 0;
    const auto has_ended_there = [&](const SpanNesting::Open& open) {
      return call_here.turn != 0 && call_of(open.id).turn != 0 && is_python(span_of(open.id)) == is_python(span);
    };
    bool is_odd = false;
    const auto close_one = [&](const SpanNesting::Open& open) {
      const ImportedSpan& closed = span_of(open.id);
      is_odd |= closed.end_ns > span.begin_ns && !may_cross(closed, span);
      close(open);
    };
    const bool crosses = nesting.close_before(span.begin_ns, span.end_ns, keep, has_ended_there, close_one);
    if (crosses && is_odd) ++overlapping;
    const bool is_call = span.level == wire::Level::kRuntime;
    nesting.open(span.end_ns, id, is_call);
    if (span.correlation == 0 || (!is_call && span.level != wire::Level::kModel)) continue;
    // The driver call inside a runtime call has the same id.
    const auto& open = nesting.open();
    bool is_part = false;
    uint32_t call = open.size() < 2 ? 0 : open[open.size() - 2].call;
    for (int depth = 0; call != 0 && depth < kMaxCallDepth && !is_part; ++depth) {
      is_part = span_of(open[call - 1].id).correlation == span.correlation;
      call = call < 2 ? 0 : open[call - 2].call;
    }
    if (!is_part) add_launch(id);
  }
  nesting.close_all(close);
  return overlapping;
}

/// Nests the spans of a thread under the parents reported by its tool. As nest_by_time(), but returns how many begin
/// before their reported parent, and therefore have none.
template <typename Close, typename AddLaunch>
uint64_t nest_as_told(const ImportedProcess::Thread& thread, const SpanOrder& order, Close&& close,
                      AddLaunch&& add_launch) {
  const std::vector<uint32_t> ids = order.ids();
  std::vector<SpanNesting::Open> closing;
  closing.reserve(order.count());
  uint64_t before_parents = 0;
  for (uint32_t id = 1; id <= order.count(); ++id) {
    const uint32_t number = order.number_of(id);
    const ImportedSpan& span = thread.spans[number];
    const uint32_t told = number < thread.parents.size() ? thread.parents[number] : 0;
    const uint32_t parent = told == 0 || told > ids.size() ? 0 : ids[told - 1];
    // A parent has the smaller id.
    if (parent >= id) ++before_parents;
    closing.push_back({span.end_ns, id, parent < id ? parent : 0, 0});
    if (span.level == wire::Level::kRuntime && span.correlation != 0) add_launch(id);
  }
  std::sort(closing.begin(), closing.end(), [](const SpanNesting::Open& a, const SpanNesting::Open& b) {
    return a.end != b.end ? a.end < b.end : a.id > b.id;
  });
  for (const SpanNesting::Open& span : closing) close(span);
  return before_parents;
}

}  // namespace xsp
