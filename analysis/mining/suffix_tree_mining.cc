#include "analysis/mining/suffix_tree_mining.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "analysis/mining/approximate_match.h"
#include "analysis/mining/repeats.h"
#include "analysis/mining/suffix_array.h"

namespace xsp::analysis {
namespace {

/// Operations [begin, end) of the sequence.
struct FreeStretch {
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
};

/// For the share of the count and for confidence: below it what was found is not the loop that was looked for, as with
/// the default miner.
constexpr double kLeastLoopConfidence = 0.5;

/// What is left of the sequence for the next loop: the stretches between the iterations of those found before.
class FreeStretches {
 public:
  explicit FreeStretches(std::span<const Symbol> symbols)
      : symbols_(symbols), stretches_{{0, static_cast<uint32_t>(symbols.size())}}, size_(symbols.size()) {}

  size_t size() const { return size_; }
  const std::vector<FreeStretch>& stretches() const { return stretches_; }
  std::span<const Symbol> of(const FreeStretch& stretch) const {
    return symbols_.subspan(stretch.begin, stretch.size());
  }

  /// The longest substring of one stretch that satisfies the criteria. `pattern` becomes it, up to where the next
  /// iteration begins.
  std::optional<Repeat> longest_repeat_of(const RepeatCriteria& criteria, std::vector<Symbol>* pattern) const {
    std::vector<Symbol> joined;
    std::span<const Symbol> text = symbols_;
    if (stretches_.size() != 1 || stretches_.front().size() != symbols_.size()) {
      joined = join();
      text = joined;
    }
    const std::vector<uint32_t> order = suffix_array(text);
    const std::optional<Repeat> repeat = longest_repeat(order, permuted_longest_common_prefixes(text, order), criteria);
    if (repeat) {
      const size_t length = std::min<size_t>(repeat->length, usual_distance(order, *repeat));
      const std::span<const Symbol> found = text.subspan(repeat->first, length);
      pattern->assign(found.begin(), found.end());
    }
    return repeat;
  }

  /// `iterations` are in order and each within one stretch.
  void remove(const std::vector<LoopIteration>& iterations) {
    std::vector<FreeStretch> left;
    auto iteration = iterations.begin();
    for (FreeStretch stretch : stretches_) {
      for (; iteration != iterations.end() && iteration->end <= stretch.end; ++iteration) {
        if (stretch.begin < iteration->begin) left.push_back({stretch.begin, iteration->begin});
        stretch.begin = iteration->end;
        size_ -= iteration->size();
      }
      if (stretch.begin < stretch.end) left.push_back(stretch);
    }
    stretches_ = std::move(left);
  }

 private:
  /// The median of the distances between the substring's occurrences. They overlap if it is longer than an iteration
  /// and ends as it begins, which criterion 3 allows: the trace has more than its iterations.
  static uint32_t usual_distance(std::span<const uint32_t> order, const Repeat& repeat) {
    const std::span<const uint32_t> occurrences = order.subspan(repeat.order, repeat.count);
    std::vector<uint32_t> places(occurrences.begin(), occurrences.end());
    std::sort(places.begin(), places.end());
    std::adjacent_difference(places.begin(), places.end(), places.begin());
    const auto median = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin() + 1, std::max(median, places.begin() + 1), places.end());
    return *std::max(median, places.begin() + 1);
  }

  /// The stretches, each followed by a symbol of its own, so that nothing repeats across their ends.
  std::vector<Symbol> join() const {
    std::vector<Symbol> joined;
    joined.reserve(size_ + stretches_.size());
    Symbol separator = 0;
    for (const FreeStretch& stretch : stretches_) {
      for (const Symbol symbol : of(stretch)) separator = std::max(separator, symbol);
    }
    for (const FreeStretch& stretch : stretches_) {
      joined.insert(joined.end(), of(stretch).begin(), of(stretch).end());
      joined.push_back(++separator);
    }
    return joined;
  }

  std::span<const Symbol> symbols_;
  std::vector<FreeStretch> stretches_;
  size_t size_;
};

uint32_t most_unmatched_of(const SuffixTreeMiningOptions& options, size_t pattern) {
  return options.most_unmatched.value_or(std::max<uint32_t>(1, static_cast<uint32_t>(pattern / 10)));
}

std::vector<LoopIteration> iterations_of(const FreeStretches& remainder, std::span<const Symbol> pattern,
                                         uint32_t most_unmatched) {
  std::vector<LoopIteration> iterations;
  for (const FreeStretch& stretch : remainder.stretches()) {
    for (const ApproximateMatch& match : approximate_matches(remainder.of(stretch), pattern, most_unmatched)) {
      iterations.push_back({.begin = stretch.begin + match.begin,
                            .end = stretch.begin + match.end,
                            .inserted = match.end - match.begin - static_cast<uint32_t>(pattern.size())});
    }
  }
  return iterations;
}

// The weight of so many iterations as evidence, as in the default miner.
double worth_of(size_t iterations) { return 1 - std::exp2(1 - static_cast<double>(iterations)); }

FreeStretch stretch_of(const Loop& loop) { return {loop.iterations.front().begin, loop.iterations.back().end}; }

/// The share of operations that are the pattern's, among those from the first iteration through the last that no other
/// loop has: by criterion 1 a trace consists of the iteration and of what stands between.
double pattern_share(const std::vector<Loop>& loops, size_t index) {
  const FreeStretch stretch = stretch_of(loops[index]);
  uint64_t others = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (i == index) continue;
    for (const LoopIteration& iteration : loops[i].iterations) {
      if (iteration.begin >= stretch.begin && iteration.end <= stretch.end) others += iteration.size();
    }
  }
  return static_cast<double>(loops[index].iterations.size() * loops[index].pattern.size()) /
         static_cast<double>(stretch.size() - others);
}

/// Whether a stretch, read from its first symbol that the pattern begins with, breaks off within the pattern, and most
/// of it is the pattern's.
template <typename Symbols, typename Pattern>
bool breaks_off(const Symbols& symbols, const Pattern& pattern, uint32_t most_unmatched) {
  auto symbol = std::find(symbols.begin(), symbols.end(), *pattern.begin());
  auto next = pattern.begin();
  size_t matched = 0;
  size_t unmatched = 0;
  for (; symbol != symbols.end() && next != pattern.end(); ++symbol) {
    if (*symbol == *next) {
      ++next;
      ++matched;
    } else {
      ++unmatched;
    }
  }
  return next != pattern.end() && matched > unmatched && unmatched <= most_unmatched;
}

/// What stands before the first iteration of all loops, and behind the last one, may be the rest of one.
void find_cuts(std::span<const Symbol> symbols, const SuffixTreeMiningOptions& options, std::vector<Loop>* loops) {
  size_t first = symbols.size();
  size_t last = 0;
  for (const Loop& loop : *loops) {
    first = std::min<size_t>(first, stretch_of(loop).begin);
    last = std::max<size_t>(last, stretch_of(loop).end);
  }
  using Backward = std::vector<Symbol>;
  const Backward before(symbols.rend() - static_cast<std::ptrdiff_t>(first), symbols.rend());
  for (Loop& loop : *loops) {
    const uint32_t most_unmatched = most_unmatched_of(options, loop.pattern.size());
    loop.is_cut_at_begin = breaks_off(before, Backward(loop.pattern.rbegin(), loop.pattern.rend()), most_unmatched);
    loop.is_cut_at_end = breaks_off(symbols.subspan(last), loop.pattern, most_unmatched);
  }
}

}  // namespace

Loops mine_by_suffix_tree(std::span<const Symbol> symbols, const SuffixTreeMiningOptions& options,
                          std::vector<SuffixTreeMiningFacts>* facts) {
  Loops result;
  if (facts != nullptr) facts->clear();
  if (symbols.size() > kMostSuffixes) {
    result.why_none = "there are too many operations for a suffix array";
    return result;
  }
  // The loop with the most iterations first: for the others, the loop enclosing it would be the longer repeat.
  std::vector<uint32_t> counts = options.counts;
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::vector<Loop> found;
  std::vector<SuffixTreeMiningFacts> facts_found;
  FreeStretches remainder(symbols);
  bool was_searched = false;
  std::string other_loop;
  for (const uint32_t count : counts) {
    if (count < 2 || remainder.size() < count) continue;
    was_searched = true;
    Loop loop;
    const uint32_t epsilon = options.epsilon.value_or(count / 4 + (count % 4 != 0));
    const RepeatCriteria criteria = {.count = count, .epsilon = epsilon, .longest = remainder.size() / count};
    const std::optional<Repeat> repeat = remainder.longest_repeat_of(criteria, &loop.pattern);
    if (!repeat) continue;
    loop.iterations = iterations_of(remainder, loop.pattern, most_unmatched_of(options, loop.pattern.size()));
    const auto iterations = static_cast<double>(loop.iterations.size());
    loop.confidence = std::min(iterations / count, count / iterations);
    if (loop.iterations.size() < 2 || loop.confidence < kLeastLoopConfidence) {
      other_loop = "the longest sequence of operations that could be an iteration is there " +
                   std::to_string(loop.iterations.size()) + " instead of " + std::to_string(count) + " times";
      continue;
    }
    const size_t size_before = remainder.size();
    remainder.remove(loop.iterations);
    loop.coverage = static_cast<double>(size_before - remainder.size()) / static_cast<double>(symbols.size());
    found.push_back(std::move(loop));
    facts_found.push_back({.epsilon = repeat->epsilon, .repeats = repeat->count});
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < found.size(); ++i) {
    const double share = pattern_share(found, i);
    if (found[i].confidence * share >= kLeastLoopConfidence) {
      order.push_back(i);
    } else {
      other_loop = "the longest sequence of operations that could be an iteration is there " +
                   std::to_string(found[i].iterations.size()) + " times and has " +
                   std::to_string(static_cast<int>(share * 100)) + " % of the operations from its first to its last";
    }
  }
  for (const size_t i : order) found[i].confidence *= pattern_share(found, i) * worth_of(found[i].iterations.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return found[a].coverage > found[b].coverage; });
  for (const size_t i : order) {
    result.loops.push_back(std::move(found[i]));
    if (facts != nullptr) facts->push_back(facts_found[i]);
  }
  if (!result.loops.empty()) {
    find_cuts(symbols, options, &result.loops);
  } else if (counts.empty()) {
    result.why_none = "the number of iterations is not known";
  } else if (!was_searched) {
    result.why_none =
        counts.front() < 2 ? "one iteration repeats nothing" : "there are fewer operations than iterations";
  } else if (!other_loop.empty()) {
    result.why_none = other_loop;
  } else {
    result.why_none = "no sequence of operations repeats as often and is short enough";
  }
  return result;
}

}  // namespace xsp::analysis
