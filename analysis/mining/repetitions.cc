#include "analysis/mining/repetitions.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace xsp::analysis {
namespace {

/// How many of the first `size` symbols are found again, by the place where they are.
class SharedPrefixes {
 public:
  /// Of `first` followed by `second`; the prefixes are those of `first`.
  template <typename First, typename Second>
  void set(const First& first, const Second& second) {
    text_.assign(first.begin(), first.end());
    text_.insert(text_.end(), second.begin(), second.end());
    lengths_.assign(text_.size() + 1, 0);
    most_ = first.size();
    // [begin, end): the prefix found that reaches farthest.
    size_t begin = 0;
    size_t end = 0;
    for (size_t i = 1; i < text_.size(); ++i) {
      size_t length = i < end ? std::min(lengths_[i - begin], end - i) : 0;
      while (i + length < text_.size() && text_[length] == text_[i + length]) ++length;
      lengths_[i] = length;
      if (i + length > end) {
        begin = i;
        end = i + length;
      }
    }
  }

  size_t at(size_t place) const { return std::min(lengths_[place], most_); }

 private:
  std::vector<Symbol> text_;
  std::vector<size_t> lengths_;
  size_t most_ = 0;
};

class Search {
 public:
  explicit Search(std::span<const Symbol> symbols) : symbols_(symbols) {}

  std::vector<Repetition> run() {
    search(0, symbols_.size());
    std::sort(found_.begin(), found_.end(), [](const Repetition& a, const Repetition& b) {
      return std::tie(a.begin, a.end, a.period) < std::tie(b.begin, b.end, b.period);
    });
    const auto same_place = [](const Repetition& a, const Repetition& b) {
      return a.begin == b.begin && a.end == b.end;
    };
    found_.erase(std::unique(found_.begin(), found_.end(), same_place), found_.end());
    return std::move(found_);
  }

 private:
  /// Those within [begin, end) that are maximal in the whole sequence.
  void search(size_t begin, size_t end) {
    if (end - begin < 2) return;
    const size_t middle = begin + (end - begin) / 2;
    search(begin, middle);
    search(middle, end);
    search_across(begin, middle, end);
  }

  /// One that reaches over the middle has a whole period before or behind it, from where its equal symbols extend to
  /// both sides.
  void search_across(size_t begin, size_t middle, size_t end) {
    const std::span<const Symbol> left = symbols_.subspan(begin, middle - begin);
    const std::span<const Symbol> right = symbols_.subspan(middle, end - middle);
    const std::span<const Symbol> all = symbols_.subspan(begin, end - begin);
    const std::vector<Symbol> backward(all.rbegin(), all.rend());
    const std::span<const Symbol> left_backward = std::span(backward).subspan(right.size());
    forward_.set(right, all);
    backward_.set(left_backward, backward);
    for (size_t period = 1; period <= right.size(); ++period) {
      const size_t behind = period < right.size() ? forward_.at(period) : 0;
      const size_t before = backward_.at(left.size() + right.size() - period);
      add(begin, middle - before, middle + period + std::min(behind, right.size() - period), end, period);
    }
    for (size_t period = 1; period <= left.size(); ++period) {
      const size_t behind = forward_.at(right.size() + left.size() - period);
      const size_t before = period < left.size() ? backward_.at(period) : 0;
      add(begin, middle - period - std::min(before, left.size() - period), middle + behind, end, period);
    }
  }

  void add(size_t lowest, size_t begin, size_t end, size_t highest, size_t period) {
    if (end - begin < 2 * period) return;
    // A repetition that goes on beyond these bounds is found in wider ones.
    if (begin == lowest && lowest > 0 && symbols_[lowest - 1] == symbols_[lowest - 1 + period]) return;
    if (end == highest && highest < symbols_.size() && symbols_[highest] == symbols_[highest - period]) return;
    found_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), static_cast<uint32_t>(period)});
  }

  std::span<const Symbol> symbols_;
  std::vector<Repetition> found_;
  SharedPrefixes forward_;
  SharedPrefixes backward_;
};

}  // namespace

std::vector<Repetition> maximal_repetitions(std::span<const Symbol> symbols) { return Search(symbols).run(); }

}  // namespace xsp::analysis
