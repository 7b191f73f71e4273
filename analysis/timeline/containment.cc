#include "analysis/timeline/containment.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

void sort_by_begin(const SpanTable& spans, std::vector<Row>* rows) {
  const auto earlier = [&](Row a, Row b) {
    return spans.begin[a] != spans.begin[b] ? spans.begin[a] < spans.begin[b] : a < b;
  };
  if (!std::is_sorted(rows->begin(), rows->end(), earlier)) std::sort(rows->begin(), rows->end(), earlier);
}

class Sweep {
 public:
  Sweep(const Trace& trace, const ContainmentSearch& search)
      : trace_(trace),
        spans_(trace.spans),
        tolerance_(search.tolerance_ns),
        by_middle_(search.by_middle),
        across_threads_(search.across_threads),
        choose_(search.choose) {}

  void open(Row candidate) { active_[static_cast<size_t>(spans_.level[candidate])].push_back(candidate); }

  Row parent_of(Row child) {
    const auto own = static_cast<size_t>(spans_.level[child]);
    const bool nests_in_own = spans_.level[child] == Level::kModel && spans_.id[child] == 0;
    for (size_t level = nests_in_own ? own : own - 1; level > 0; --level) {
      auto& active = active_[level];
      std::erase_if(active, [&](Row row) { return spans_.end[row] + tolerance_ <= spans_.begin[child]; });
      containing_.clear();
      for (const Row row : active) {
        if (contains(row, child, tolerance_) && (level != own || spans_.duration(row) > spans_.duration(child))) {
          containing_.push_back(row);
        }
      }
      if (containing_.empty()) continue;
      const Row parent = innermost(child);
      return parent == kAmbiguous && choose_ ? choose_(child, containing_) : parent;
    }
    return kNoRow;
  }

 private:
  bool contains(Row outer, Row inner, int64_t tolerance) const {
    const int64_t middle = spans_.begin[inner] + spans_.duration(inner) / 2;
    if (by_middle_ && (middle < spans_.begin[outer] || middle >= spans_.end[outer])) return false;
    return spans_.begin[outer] <= spans_.begin[inner] + tolerance &&
           spans_.begin[inner] < spans_.end[outer] + tolerance && spans_.end[inner] <= spans_.end[outer] + tolerance;
  }

  /// The innermost of a set that forms a chain, else kAmbiguous. Of equal intervals the first recorded is the inner.
  Row innermost_of_chain(const std::vector<Row>& rows) const {
    const Row inner = *std::min_element(rows.begin(), rows.end(), [&](Row a, Row b) {
      if (spans_.begin[a] != spans_.begin[b]) return spans_.begin[a] > spans_.begin[b];
      return spans_.end[a] != spans_.end[b] ? spans_.end[a] < spans_.end[b] : a < b;
    });
    const bool chain =
        std::all_of(rows.begin(), rows.end(), [&](Row row) { return spans_.end[row] >= spans_.end[inner]; });
    return chain ? inner : kAmbiguous;
  }

  Row innermost(Row child) {
    if (containing_.size() == 1) return containing_.front();
    if (!across_threads_) return innermost_of_chain(containing_);
    if (const Row own = on_thread_of(child); own != kNoRow) return own;
    // Runs that follow each other within the tolerance: the child is in the one that holds most of it.
    if (one_after_another()) {
      return *std::max_element(containing_.begin(), containing_.end(),
                               [&](Row a, Row b) { return overlap(a, child) < overlap(b, child); });
    }
    return innermost_of_chain(containing_);
  }

  Row on_thread_of(Row child) const {
    const auto& thread = trace_.tracks[spans_.track[child]].thread;
    std::vector<Row> own;
    for (const Row row : containing_) {
      if (trace_.tracks[spans_.track[row]].thread == thread) own.push_back(row);
    }
    return own.size() == 1 ? own.front() : kNoRow;
  }

  bool one_after_another() const {
    for (size_t i = 0; i < containing_.size(); ++i) {
      for (size_t j = i + 1; j < containing_.size(); ++j) {
        if (overlap(containing_[i], containing_[j]) > 0) return false;
      }
    }
    return true;
  }

  int64_t overlap(Row a, Row b) const {
    return std::min(spans_.end[a], spans_.end[b]) - std::max(spans_.begin[a], spans_.begin[b]);
  }

  const Trace& trace_;
  const SpanTable& spans_;
  int64_t tolerance_;
  bool by_middle_;
  bool across_threads_;
  const std::function<Row(Row, std::span<const Row>)>& choose_;
  std::array<std::vector<Row>, kLevelCount> active_;
  std::vector<Row> containing_;
};

}  // namespace

void find_containing(const Trace& trace, ContainmentSearch search, const std::function<void(Row, Row)>& found) {
  const SpanTable& spans = trace.spans;
  sort_by_begin(spans, &search.candidates);
  sort_by_begin(spans, &search.children);
  Sweep sweep(trace, search);
  size_t next = 0;
  for (const Row child : search.children) {
    while (next < search.candidates.size() &&
           spans.begin[search.candidates[next]] - search.tolerance_ns <= spans.begin[child]) {
      sweep.open(search.candidates[next++]);
    }
    found(child, sweep.parent_of(child));
  }
}

}  // namespace xsp::analysis
