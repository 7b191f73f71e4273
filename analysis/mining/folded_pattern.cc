#include "analysis/mining/folded_pattern.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <queue>
#include <utility>

#include "analysis/mining/repetitions.h"

namespace xsp::analysis {
namespace {

/// `repeats` times the `period` symbols from `begin` on.
struct Fold {
  uint32_t begin = 0;
  uint32_t period = 0;
  uint32_t repeats = 0;

  uint32_t end() const { return begin + period * repeats; }
};

Fold fold_of(const Repetition& repetition) {
  return {repetition.begin, repetition.period, (repetition.end - repetition.begin) / repetition.period};
}

/// Whether b is to be folded before a: the fold that leaves fewer symbols goes first, so a larger loop precedes those
/// in it.
struct FoldsLess {
  static uint32_t left_out(const Repetition& repetition) {
    const Fold fold = fold_of(repetition);
    return fold.period * (fold.repeats - 1);
  }
  bool operator()(const Repetition& a, const Repetition& b) const {
    if (left_out(a) != left_out(b)) return left_out(a) < left_out(b);
    if (a.period != b.period) return a.period > b.period;
    return a.begin > b.begin;
  }
};

/// Chooses among repetitions that overlap. A fold cuts the pattern in three: what is before, the repeated symbols once,
/// and what is behind. Other repetitions continue in the part, or parts, in which enough of them is left.
class ChosenFolds {
 public:
  explicit ChosenFolds(std::span<const Symbol> pattern) {
    parts_[0] = static_cast<uint32_t>(pattern.size());
    const std::vector<Repetition> repetitions = maximal_repetitions(pattern);
    std::priority_queue<Repetition, std::vector<Repetition>, FoldsLess> waiting(repetitions.begin(), repetitions.end());
    while (!waiting.empty()) {
      const Repetition repetition = waiting.top();
      waiting.pop();
      for (const Repetition& within : clipped(repetition)) {
        if (within == repetition) {
          apply(fold_of(repetition));
        } else if (within.end - within.begin >= 2 * within.period) {
          waiting.push(within);
        }
      }
    }
    std::sort(folds_.begin(), folds_.end(),
              [](const Fold& a, const Fold& b) { return a.begin != b.begin ? a.begin < b.begin : a.end() > b.end(); });
  }

  /// In order, each before those within it.
  const std::vector<Fold>& folds() const { return folds_; }

 private:
  std::vector<Repetition> clipped(const Repetition& repetition) const {
    std::vector<Repetition> result;
    auto part = parts_.upper_bound(repetition.begin);
    if (part != parts_.begin()) --part;
    for (; part != parts_.end() && part->first < repetition.end; ++part) {
      if (part->second <= repetition.begin) continue;
      result.push_back(
          {std::max(repetition.begin, part->first), std::min(repetition.end, part->second), repetition.period});
    }
    return result;
  }

  void apply(const Fold& fold) {
    auto part = std::prev(parts_.upper_bound(fold.begin));
    const uint32_t end = part->second;
    if (part->first < fold.begin) {
      part->second = fold.begin;
    } else {
      parts_.erase(part);
    }
    parts_[fold.begin] = fold.begin + fold.period;
    if (fold.end() < end) parts_[fold.end()] = end;
    folds_.push_back(fold);
  }

  std::map<uint32_t, uint32_t> parts_;  // end by begin
  std::vector<Fold> folds_;
};

/// Makes the nested result of folds in order.
class FoldedParts {
 public:
  FoldedParts(std::span<const Symbol> pattern, const std::vector<Fold>& folds)
      : pattern_(pattern), next_(folds.begin()), end_(folds.end()) {}

  std::vector<FoldedPattern> of(size_t begin, size_t end) {
    std::vector<FoldedPattern> parts;
    while (begin < end) {
      if (next_ == end_ || next_->begin >= end) {
        parts.push_back(leaf(begin, end));
        break;
      }
      const Fold fold = *next_++;
      if (begin < fold.begin) parts.push_back(leaf(begin, fold.begin));
      parts.push_back(repeated(fold));
      begin = fold.end();
    }
    return parts;
  }

 private:
  FoldedPattern leaf(size_t begin, size_t end) const {
    const std::span<const Symbol> symbols = pattern_.subspan(begin, end - begin);
    return {.repeats = 1, .symbols = {symbols.begin(), symbols.end()}, .parts = {}};
  }

  FoldedPattern repeated(const Fold& fold) {
    std::vector<FoldedPattern> parts = of(fold.begin, fold.begin + fold.period);
    if (parts.size() > 1) return {.repeats = fold.repeats, .symbols = {}, .parts = std::move(parts)};
    parts.front().repeats *= fold.repeats;
    return std::move(parts.front());
  }

  std::span<const Symbol> pattern_;
  std::vector<Fold>::const_iterator next_;
  std::vector<Fold>::const_iterator end_;
};

}  // namespace

std::vector<FoldedPattern> fold_pattern(std::span<const Symbol> pattern) {
  if (pattern.empty()) return {};
  const ChosenFolds chosen(pattern);
  return FoldedParts(pattern, chosen.folds()).of(0, pattern.size());
}

}  // namespace xsp::analysis
