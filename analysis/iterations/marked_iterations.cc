#include "analysis/iterations/marked_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/mining/alignment.h"
#include "analysis/mining/nested_loops.h"

namespace xsp::analysis {
namespace {

/// Of the operations of two iterations; below it they are not repeats of one another.
constexpr double kLeastAlike = 0.6;
/// A mined period that differs from that of the marks by more belongs to another loop.
constexpr double kSamePeriod = 0.25;
/// Deviations that are counted exactly.
constexpr uint32_t kMostDeviations = 1000;

using Counts = std::unordered_map<Symbol, uint32_t>;

/// The operations of a mark in order of begin, as one range of the sequence.
struct MarkedRange {
  uint32_t mark = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
};

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Marking {
 public:
  Marking(const Trace& trace, const StepMarks& marks, FoundIterations* found)
      : trace_(trace), marks_(marks), found_(*found), symbols_(found->operations.symbols) {}

  void run() {
    find_ranges();
    std::vector<Loop> marked;
    for (uint32_t kind = 0; kind < kinds(); ++kind) {
      if (auto loop = loop_of(kind)) marked.push_back(std::move(*loop));
    }
    if (marked.empty()) return;
    std::vector<Loop> mined = std::exchange(found_.loops.loops, std::move(marked));
    add_mined(std::move(mined));
    order_loops(&found_.loops);
    found_.loops.why_none.clear();
    found_.are_steps = marks_.are_steps;
  }

 private:
  uint32_t kinds() const { return 1 + *std::max_element(marks_.kinds.begin(), marks_.kinds.end()); }

  /// Operations of two marks may alternate if several streams run: a range ends where the next begins.
  void find_ranges() {
    std::vector<MarkedRange> all(marks_.rows.size(), {0, UINT32_MAX, 0});
    for (uint32_t i = 0; i < symbols_.size(); ++i) {
      const uint32_t mark = marks_.of_operation[i];
      if (mark == kNoMark) continue;
      all[mark].begin = std::min(all[mark].begin, i);
      all[mark].end = i + 1;
    }
    for (uint32_t mark = 0; mark < all.size(); ++mark) {
      MarkedRange range = all[mark];
      if (range.end == 0) continue;
      range.mark = mark;
      if (!ranges_.empty()) {
        MarkedRange& before = ranges_.back();
        range.begin = std::max(range.begin, before.begin + 1);
        if (range.begin >= range.end) continue;
        before.end = std::min(before.end, range.begin);
      }
      ranges_.push_back(range);
    }
  }

  /// The operations from the begin of each range to that of the next.
  double stride_of(const std::vector<MarkedRange>& ranges) const {
    std::vector<double> strides;
    for (size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].mark == ranges[i - 1].mark + 1) strides.push_back(ranges[i].begin - ranges[i - 1].begin);
    }
    return median_of(std::move(strides));
  }

  /// The mined loop that runs where these do: the one of level 0 with most operations there.
  const Loop* mined_beside(const std::vector<MarkedRange>& ranges) const {
    const Loop* best = nullptr;
    uint64_t most = 0;
    for (const Loop& loop : found_.loops.loops) {
      if (loop.level != 0) continue;
      uint64_t there = 0;
      for (const LoopIteration& iteration : loop.iterations) {
        const bool is_there = iteration.end > ranges.front().begin && iteration.begin < ranges.back().end;
        there += is_there ? iteration.size() : 0;
      }
      if (there <= most) continue;
      most = there;
      best = &loop;
    }
    return best;
  }

  Counts counts_of(std::span<const Symbol> part) const {
    Counts counts;
    for (const Symbol symbol : part) ++counts[symbol];
    return counts;
  }

  static uint64_t common(const Counts& a, const Counts& b) {
    uint64_t both = 0;
    for (const auto& [symbol, count] : a) {
      const auto other = b.find(symbol);
      if (other != b.end()) both += std::min(count, other->second);
    }
    return both;
  }

  std::span<const Symbol> part(const MarkedRange& range) const {
    return std::span(symbols_).subspan(range.begin, range.size());
  }

  /// What most of them are; if all differ, the one of median length.
  MarkedRange typical(const std::vector<MarkedRange>& ranges) const {
    std::map<std::vector<Symbol>, std::vector<MarkedRange>> alike;
    for (const MarkedRange& range : ranges) {
      const auto here = part(range);
      alike[{here.begin(), here.end()}].push_back(range);
    }
    const auto most = std::max_element(alike.begin(), alike.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (most->second.size() > 1) return most->second.front();
    std::vector<MarkedRange> sorted = ranges;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return sorted[sorted.size() / 2];
  }

  std::string name_of(const MarkedRange& range) const {
    return std::string(trace_.text(trace_.spans.name[marks_.rows[range.mark]]));
  }

  std::string marked_text(const std::vector<MarkedRange>& ranges) const {
    return marks_.are_steps ? fmt::format("{} marked steps", ranges.size())
                            : fmt::format("{} evaluations of {}", ranges.size(), name_of(ranges.front()));
  }

  std::optional<Loop> loop_of(uint32_t kind) {
    std::vector<MarkedRange> ranges;
    for (const MarkedRange& range : ranges_) {
      if (marks_.kinds[range.mark] == kind) ranges.push_back(range);
    }
    if (ranges.size() < 2) return std::nullopt;
    const double stride = stride_of(ranges);
    const Loop* mined = mined_beside(ranges);
    const double period = mined == nullptr ? 0 : static_cast<double>(mined->pattern.size());
    const bool agrees = stride > 0 && std::abs(period - stride) <= kSamePeriod * stride;
    if (!marks_.are_steps && stride > 0 && period > (1 + kSamePeriod) * stride) {
      found_.notes.push_back(
          fmt::format("one iteration has about {:.0f} of the {}", period / stride, marked_text(ranges)));
      return std::nullopt;
    }
    if (agrees) extend(stride, &ranges);
    Loop loop;
    const MarkedRange pattern = typical(ranges);
    loop.pattern.assign(part(pattern).begin(), part(pattern).end());
    if (loop.pattern.size() < 2 && !agrees) return std::nullopt;
    const Counts reference = counts_of(loop.pattern);
    std::vector<double> alike;
    uint64_t operations = 0;
    for (const MarkedRange& range : ranges) {
      const uint64_t both = common(counts_of(part(range)), reference);
      alike.push_back(2.0 * static_cast<double>(both) / static_cast<double>(range.size() + loop.pattern.size()));
      loop.iterations.push_back(compared(range, loop.pattern, both));
      operations += range.size();
    }
    if (median_of(alike) < kLeastAlike) {
      found_.notes.push_back(
          fmt::format("the {} differ ({:.0f} % of their operations match on average): iterations are found from the "
                      "operations alone",
                      marked_text(ranges), 100 * mean_of(alike)));
      return std::nullopt;
    }
    loop.coverage = static_cast<double>(operations) / static_cast<double>(symbols_.size());
    loop.confidence = mean_of(alike) * (1 - std::exp2(1.0 - static_cast<double>(ranges.size())));
    found_.notes.push_back(fmt::format("iterations are the {}: each begins with the first operation launched in its {}",
                                       marked_text(ranges), marks_.are_steps ? "step" : "evaluation"));
    if (!agrees && mined != nullptr && period > stride) {
      found_.notes.push_back(fmt::format("the operations alone repeat every {} operations, the marks every {:.0f}",
                                         mined->pattern.size(), stride));
    }
    return loop;
  }

  /// If the operations repeat as often as the marks, what follows a mark belongs to its iteration.
  void extend(double stride, std::vector<MarkedRange>* ranges) const {
    for (size_t i = 0; i < ranges->size(); ++i) {
      MarkedRange& range = (*ranges)[i];
      const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                                         [](uint32_t at, const MarkedRange& other) { return at < other.begin; });
      const bool is_last = next == ranges_.end();
      const uint32_t limit = is_last ? static_cast<uint32_t>(symbols_.size()) : next->begin;
      const double most = is_last ? stride : (1 + kSamePeriod) * stride;
      if (limit - range.begin <= most)
        range.end = limit;
      else if (is_last)
        range.end = std::max(range.end, range.begin + static_cast<uint32_t>(stride));
    }
  }

  LoopIteration compared(const MarkedRange& range, const std::vector<Symbol>& pattern, uint64_t both) const {
    const auto size = static_cast<int64_t>(range.size());
    const auto of_pattern = static_cast<int64_t>(pattern.size());
    const auto distance = edit_distance(part(range), pattern, kMostDeviations);
    const int64_t matched = distance ? (size + of_pattern - *distance) / 2 : static_cast<int64_t>(both);
    return {range.begin, range.end, static_cast<uint32_t>(size - matched), static_cast<uint32_t>(of_pattern - matched)};
  }

  static double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }

  /// Which loop has the iteration that contains this one; kNoLoop: none does.
  uint32_t holder_of(const LoopIteration& iteration, uint32_t marked) const {
    for (uint32_t i = 0; i < marked; ++i) {
      const auto& around = found_.loops.loops[i].iterations;
      const auto after = std::upper_bound(around.begin(), around.end(), iteration.begin,
                                          [](uint32_t at, const LoopIteration& other) { return at < other.begin; });
      if (after != around.begin() && (after - 1)->end >= iteration.end) return i;
    }
    return kNoLoop;
  }

  bool is_beside(const LoopIteration& iteration, uint32_t marked) const {
    for (uint32_t i = 0; i < marked; ++i) {
      for (const LoopIteration& other : found_.loops.loops[i].iterations) {
        if (iteration.begin < other.end && other.begin < iteration.end) return false;
      }
    }
    return true;
  }

  /// Mined loops go where they belong among those of the marks: smaller ones into them.
  void add_mined(std::vector<Loop> mined) {
    const auto marked = static_cast<uint32_t>(found_.loops.loops.size());
    std::vector<uint32_t> now(mined.size(), kNoLoop);       // index among the found ones
    std::vector<uint32_t> replaced(mined.size(), kNoLoop);  // the marked loop that stands for it
    for (uint32_t i = 0; i < mined.size(); ++i) {
      Loop& loop = mined[i];
      if (loop.level == 0 && std::all_of(loop.iterations.begin(), loop.iterations.end(),
                                         [&](const auto& iteration) { return is_beside(iteration, marked); })) {
        now[i] = append(std::move(loop));
        continue;
      }
      if (loop.parent != kNoLoop && now[loop.parent] != kNoLoop && found_.loops.loops[now[loop.parent]].level == 0 &&
          now[loop.parent] >= marked) {
        loop.parent = now[loop.parent];
        now[i] = append(std::move(loop));
        continue;
      }
      nest(std::move(loop), marked, &now[i]);
    }
  }

  uint32_t append(Loop loop) {
    found_.loops.loops.push_back(std::move(loop));
    return static_cast<uint32_t>(found_.loops.loops.size() - 1);
  }

  /// Of iterations within those of the marks, only those with at least two in one; nothing of a loop as long as the
  /// marks.
  void nest(Loop loop, uint32_t marked, uint32_t* now) {
    std::vector<size_t> held(marked);
    std::vector<uint32_t> holders;
    for (const LoopIteration& iteration : loop.iterations) {
      holders.push_back(holder_of(iteration, marked));
      if (holders.back() != kNoLoop) ++held[holders.back()];
    }
    const auto most = static_cast<uint32_t>(std::max_element(held.begin(), held.end()) - held.begin());
    const Loop& around = found_.loops.loops[most];
    if (held[most] < 2 || held[most] * 2 < loop.iterations.size()) return;
    if (static_cast<double>(loop.pattern.size()) > (1 - kSamePeriod) * static_cast<double>(around.pattern.size()))
      return;
    // Loops within loops within marks: the tree is kept two deep, because a cut may go through the middle ones.
    std::vector<LoopIteration> inside;
    uint64_t covered = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < holders.size(); ++i) {
      if (holders[i] != most) continue;
      inside.push_back(loop.iterations[i]);
      covered += loop.iterations[i].size();
    }
    for (const LoopIteration& iteration : around.iterations) all += iteration.size();
    loop.iterations = std::move(inside);
    loop.level = 1;
    loop.parent = most;
    loop.coverage = static_cast<double>(covered) / static_cast<double>(all);
    loop.is_cut_at_begin = loop.is_cut_at_end = false;
    *now = append(std::move(loop));
  }

  const Trace& trace_;
  const StepMarks& marks_;
  FoundIterations& found_;
  const std::vector<Symbol>& symbols_;
  std::vector<MarkedRange> ranges_;  // of marks with operations, in order
};

}  // namespace

void take_marks(const Trace& trace, const StepMarks& marks, FoundIterations* found) {
  if (marks.rows.size() < 2 || found->operations.size() == 0) return;
  Marking(trace, marks, found).run();
}

std::string why_blocks(const Trace& trace, const StepMarks& marks, const Loop& loop) {
  if (marks.empty()) return {};
  uint32_t only = kNoMark;
  for (const LoopIteration& iteration : loop.iterations) {
    for (uint32_t i = iteration.begin; i < iteration.end; ++i) {
      const uint32_t mark = marks.of_operation[i];
      if (mark == kNoMark) continue;
      if (only != kNoMark && mark != only) return {};
      only = mark;
    }
  }
  if (only == kNoMark) return {};
  const std::string what =
      marks.are_steps ? "step" : fmt::format("evaluation of {}", trace.text(trace.spans.name[marks.rows[only]]));
  return fmt::format("all of them are inside one {}: they are repeated blocks, not iterations", what);
}

}  // namespace xsp::analysis
