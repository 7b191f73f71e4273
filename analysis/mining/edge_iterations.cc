#include "analysis/mining/edge_iterations.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr uint32_t kLargest = 1024;          // pattern, operations
constexpr uint64_t kCellsPerOperation = 64;  // of the sequence: what all alignments may take
constexpr uint64_t kLeastCells = 1u << 22;   // of a short one
constexpr double kAsTheOthers = 0.2;         // less agreement than others have on average
constexpr double kAboveChance = 0.4;         // of what chance leaves

// Longest common subsequences of a pattern and every begin of a part.
std::vector<uint32_t> matches_of_begins(const std::vector<Symbol>& pattern, std::span<const Symbol> part) {
  std::vector<uint32_t> row(part.size() + 1, 0);
  for (const Symbol symbol : pattern) {
    uint32_t diagonal = 0;
    for (size_t j = 1; j <= part.size(); ++j) {
      const uint32_t above = row[j];
      row[j] = part[j - 1] == symbol ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row;
}

class Completion {
 public:
  Completion(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols)
      : pattern_(pattern),
        reversed_(pattern.rbegin(), pattern.rend()),
        symbols_(symbols),
        size_(static_cast<uint32_t>(pattern.size())),
        cells_(std::max(kLeastCells, kCellsPerOperation * symbols.size())) {}

  std::vector<LoopIteration> run(const std::vector<LoopIteration>& found) {
    double matched = 0;
    for (const LoopIteration& iteration : found) matched += size_ - std::min(size_, iteration.missing);
    const double mean = matched / (static_cast<double>(size_) * static_cast<double>(found.size()));
    const double chance = agreement_by_chance();
    least_ = static_cast<uint32_t>(std::max(mean - kAsTheOthers, chance + kAboveChance * (1 - chance)) * size_) + 1;
    // At the sequence's ends, an iteration that lacks more operations than the others do is cut off.
    least_at_end_ = size_ - static_cast<uint32_t>((1 - mean) * size_ / 2);
    uint32_t from = 0;
    for (const LoopIteration& iteration : found) {
      fill(from, iteration.begin, from > 0);
      if (iteration.size() * 2 < size_ * 3 || !split(iteration)) all_.push_back(iteration);
      from = iteration.end;
    }
    fill(from, static_cast<uint32_t>(symbols_.size()), true);
    return std::move(all_);
  }

 private:
  // How well the pattern's operations in another order agree with it.
  double agreement_by_chance() {
    std::vector<Symbol> shuffled = pattern_;
    uint64_t state = 88172645463325252ull;
    for (size_t i = shuffled.size(); i > 1; --i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      std::swap(shuffled[i - 1], shuffled[state % i]);
    }
    return static_cast<double>(matches_of_begins(pattern_, shuffled).back()) / size_;
  }

  bool affords(uint64_t part) {
    const uint64_t cells = part * size_;
    if (cells > cells_) return false;
    cells_ -= cells;
    return true;
  }

  bool is_cut(uint32_t begin, uint32_t end) const {
    return (begin == 0 || end == symbols_.size()) && end - begin < least_at_end_;
  }

  LoopIteration told(uint32_t begin, uint32_t end, uint32_t matched) const {
    return {begin, end, end - begin - matched, size_ - matched};
  }

  // Between two iterations: what goes on behind the first, then what leads to the second.
  void fill(uint32_t from, uint32_t to, bool is_behind) {
    const uint32_t reach = size_ + size_ / 4;
    while (is_behind && to - from >= least_) {
      const auto part = symbols_.subspan(from, std::min(to - from, reach));
      if (!affords(part.size())) return;
      const std::vector<uint32_t> matches = matches_of_begins(pattern_, part);
      if (matches.back() < least_ || is_cut(from, from + static_cast<uint32_t>(part.size()))) break;
      // As many as match, with as few operations as these need.
      const auto end =
          static_cast<uint32_t>(std::lower_bound(matches.begin(), matches.end(), matches.back()) - matches.begin());
      all_.push_back(told(from, from + end, matches.back()));
      from += end;
    }
    std::vector<LoopIteration> before;
    while (to < symbols_.size() && to - from >= least_) {
      const uint32_t size = std::min(to - from, reach);
      std::vector<Symbol> part(symbols_.begin() + (to - size), symbols_.begin() + to);
      std::reverse(part.begin(), part.end());
      if (!affords(size)) break;
      const std::vector<uint32_t> matches = matches_of_begins(reversed_, part);
      if (matches.back() < least_ || is_cut(to - size, to)) break;
      const auto end =
          static_cast<uint32_t>(std::lower_bound(matches.begin(), matches.end(), matches.back()) - matches.begin());
      before.push_back(told(to - end, to, matches.back()));
      to -= end;
    }
    all_.insert(all_.end(), before.rbegin(), before.rend());
  }

  // One iteration that is really two.
  bool split(const LoopIteration& iteration) {
    if (iteration.size() > 3 * size_ || !affords(2 * uint64_t{iteration.size()})) return false;
    const auto part = symbols_.subspan(iteration.begin, iteration.size());
    const std::vector<uint32_t> first = matches_of_begins(pattern_, part);
    const std::vector<Symbol> backwards(part.rbegin(), part.rend());
    const std::vector<uint32_t> second = matches_of_begins(reversed_, backwards);
    uint32_t best = 0;
    for (uint32_t at = 0; at <= part.size(); ++at) {
      if (first[at] + second[part.size() - at] >= first[best] + second[part.size() - best]) best = at;
    }
    const uint32_t other = second[part.size() - best];
    if (first[best] < least_ || other < least_) return false;
    all_.push_back(told(iteration.begin, iteration.begin + best, first[best]));
    all_.push_back(told(iteration.begin + best, iteration.end, other));
    return true;
  }

  const std::vector<Symbol>& pattern_;
  const std::vector<Symbol> reversed_;
  std::span<const Symbol> symbols_;
  const uint32_t size_;
  uint64_t cells_;
  uint32_t least_ = 0;         // operations that match
  uint32_t least_at_end_ = 0;  // operations of a whole iteration
  std::vector<LoopIteration> all_;
};

}  // namespace

void complete_iterations(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols) {
  if (iterations.size() < 2 || pattern.size() > kLargest) return;
  iterations = Completion(pattern, symbols).run(iterations);
}

}  // namespace xsp::analysis
