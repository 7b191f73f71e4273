#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace xsp {

/// Nests intervals of one thread by time. They come in order of their begin, of those that begin together the longer
/// one first; each is a child of the one that began last of those that contain it. An interval may stick out of its
/// parent by the resolution; one that crosses another by more is in neither of the two.
class SpanNesting {
 public:
  explicit SpanNesting(int64_t resolution) : resolution_(resolution) {}

  struct Open {
    int64_t end;      // its own, or that of its parent, which it may stick out of
    uint32_t id;      // as the caller counts, from 1
    uint32_t parent;  // its id; 0: none
    uint32_t call;    // 1 + place in open() of the innermost call of the CUDA API that encloses it or is it; 0: none
  };

  /// Closes what ends before this interval does, innermost first, through `close(Open)`; what is left last encloses
  /// it. Returns whether it crosses one of those that were closed. The outermost `keep` stay open, and of those behind
  /// them one that ends where the interval begins holds it only if that has no duration and `!has_ended_there(Open)`.
  template <typename Close, typename HasEnded>
  bool close_before(int64_t begin, int64_t end, size_t keep, HasEnded&& has_ended_there, Close&& close) {
    bool crosses = false;
    while (open_.size() > keep) {
      const Open& last = open_.back();
      const bool has_ended = last.end < begin || (last.end == begin && (end > begin || has_ended_there(last)));
      if (!has_ended && (end <= last.end || end - last.end <= resolution_)) break;
      // What crosses the interval can be left, too: all that comes later and is in it is in the interval as well.
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

}  // namespace xsp
