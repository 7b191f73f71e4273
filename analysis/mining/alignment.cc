#include "analysis/mining/alignment.h"

#include <algorithm>
#include <cstdlib>

namespace xsp::analysis {
namespace {

enum Step : uint8_t { kMatch, kInserted, kMissing };

// Of every five operations four may match and one be substituted: a match weighs a little more than half a
// substitution.
constexpr int32_t kMatched = 4;
constexpr int32_t kDeviation = -5;
constexpr int32_t kHopeless = 80;  // below the best: an extension ends

// The furthest paths of distance d lie on the diagonals -d, -d + 2, ..., d: d + 1 of them.
size_t row(uint32_t distance) { return static_cast<size_t>(distance) * (distance + 1) / 2; }

}  // namespace

uint32_t common_prefix(const Symbol* a, const Symbol* b, uint32_t size) {
  uint32_t i = 0;
  // Blocks that the compiler compares at once.
  while (i + 16 <= size) {
    uint32_t differ = 0;
    for (uint32_t k = 0; k < 16; ++k) differ |= a[i + k] ^ b[i + k];
    if (differ != 0) break;
    i += 16;
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

std::optional<uint32_t> edit_distance(std::span<const Symbol> a, std::span<const Symbol> b, uint32_t most) {
  const auto size_a = static_cast<int32_t>(a.size());
  const auto size_b = static_cast<int32_t>(b.size());
  if (static_cast<uint32_t>(std::abs(size_a - size_b)) > most) return std::nullopt;
  constexpr int32_t kUnreachable = -(1 << 30);
  std::vector<int32_t> last, now;
  for (uint32_t d = 0; d <= most; ++d) {
    now.assign(d + 1, kUnreachable);
    for (uint32_t n = 0; n <= d; ++n) {
      const int32_t k = static_cast<int32_t>(2 * n) - static_cast<int32_t>(d);  // x - y
      int32_t x = d == 0 ? 0 : std::max(n > 0 ? last[n - 1] + 1 : kUnreachable, n < d ? last[n] : kUnreachable);
      if (x < 0 || x > size_a || x - k > size_b) continue;
      x += static_cast<int32_t>(
          common_prefix(a.data() + x, b.data() + (x - k), static_cast<uint32_t>(std::min(size_a - x, size_b - x + k))));
      now[n] = x;
      if (x == size_a && x - k == size_b) return d;
    }
    last.swap(now);
  }
  return std::nullopt;
}

EdgeAlignment align_edge(std::span<const Symbol> sequence, std::span<const Symbol> pattern) {
  // A row for each operation of the sequence: the most matches with the first operations of the pattern.
  std::vector<uint32_t> last(pattern.size() + 1, 0), now(pattern.size() + 1, 0);
  EdgeAlignment best;
  for (uint32_t x = 0; x < sequence.size(); ++x) {
    for (size_t y = 0; y < pattern.size(); ++y) {
      now[y + 1] = std::max({last[y + 1], now[y], last[y] + (sequence[x] == pattern[y] ? 1 : 0)});
    }
    // Deviations: the operations read, and the pattern's, less two for each match.
    const uint32_t matches = now[pattern.size()];
    const auto saved = [](uint32_t matched, uint32_t read) { return 2 * int64_t{matched} - int64_t{read}; };
    if (matches > best.matches && saved(matches, x + 1) >= saved(best.matches, best.end)) best = {matches, x + 1};
    last.swap(now);
  }
  return best;
}

bool Resynchronisation::find(std::span<const Symbol> sequence, const Symbol* pattern, uint32_t pattern_size,
                             uint32_t most, uint32_t agreeing) {
  const auto size = static_cast<int32_t>(sequence.size());
  const auto size_p = static_cast<int32_t>(pattern_size);
  reached_.resize(row(most + 1));
  reached_[0] = 0;
  for (uint32_t d = 1; d <= most; ++d) {
    const int32_t* last = reached_.data() + row(d - 1);
    int32_t* now = reached_.data() + row(d);
    int32_t found = -1, found_size = 0;
    for (uint32_t n = 0; n <= d; ++n) {
      const int32_t k = static_cast<int32_t>(2 * n) - static_cast<int32_t>(d);  // x - y
      const int32_t inserted = n > 0 && last[n - 1] >= 0 ? last[n - 1] + 1 : -1;
      const int32_t missing = n < d ? last[n] : -1;
      int32_t x = std::max(inserted, missing);
      if (x > size || x - k > size_p) x = -1;
      if (x < 0) {
        now[n] = -1;
        continue;
      }
      const int32_t y = x - k;
      int32_t agree = 0;
      if (x < size && y < size_p && sequence[static_cast<size_t>(x)] == pattern[y]) {
        agree = static_cast<int32_t>(
            common_prefix(sequence.data() + x, pattern + y, static_cast<uint32_t>(std::min(size - x, size_p - y))));
      }
      now[n] = x + agree;
      const bool enough = agree >= static_cast<int32_t>(agreeing) || x + agree == size;
      if (enough && (found < 0 || agree > found_size)) {
        found = static_cast<int32_t>(n);
        found_size = agree;
      }
    }
    if (found >= 0) {
      distance_ = d;
      walk_back(d, found);
      return true;
    }
  }
  return false;
}

void Resynchronisation::walk_back(uint32_t distance, int32_t diagonal) {
  blocks_.clear();
  auto n = static_cast<uint32_t>(diagonal);
  for (uint32_t d = distance; d > 0; --d) {
    const int32_t* last = reached_.data() + row(d - 1);
    const int32_t end = reached_[row(d) + n];
    const int32_t k = static_cast<int32_t>(2 * n) - static_cast<int32_t>(d);
    const int32_t inserted = n > 0 && last[n - 1] >= 0 ? last[n - 1] + 1 : -1;
    const int32_t missing = n < d ? last[n] : -1;
    const int32_t x = std::max(inserted, missing);
    blocks_.push_back({static_cast<uint32_t>(x), static_cast<uint32_t>(x - k), static_cast<uint32_t>(end - x)});
    if (inserted >= missing) --n;
  }
  std::reverse(blocks_.begin(), blocks_.end());
  const MatchedBlock agreement = blocks_.back();
  std::erase_if(blocks_, [](const MatchedBlock& block) { return block.size == 0; });
  if (agreement.size == 0) blocks_.push_back(agreement);  // says how far the way goes
}

void DenseAlignment::join(std::span<const Symbol> sequence, std::span<const Symbol> pattern) {
  walk_back(fill(sequence, pattern, false), static_cast<uint32_t>(pattern.size()) + 1);
}

void DenseAlignment::extend(std::span<const Symbol> sequence, std::span<const Symbol> pattern) {
  walk_back(fill(sequence, pattern, true), static_cast<uint32_t>(pattern.size()) + 1);
}

DenseAlignment::Cell DenseAlignment::fill(std::span<const Symbol> sequence, std::span<const Symbol> pattern,
                                          bool is_extension) {
  const auto width = static_cast<uint32_t>(pattern.size()) + 1;
  const auto height = static_cast<uint32_t>(sequence.size()) + 1;
  last_.resize(width);
  now_.resize(width);
  steps_.resize(size_t{width} * height);
  for (uint32_t y = 0; y < width; ++y) {
    last_[y] = kDeviation * static_cast<int32_t>(y);
    steps_[y] = kMissing;
  }
  Cell best;
  int32_t best_score = 0;
  for (uint32_t x = 1; x < height; ++x) {
    const Symbol symbol = sequence[x - 1];
    uint8_t* steps = steps_.data() + size_t{x} * width;
    now_[0] = last_[0] + kDeviation;
    steps[0] = kInserted;
    int32_t row_best = now_[0];
    uint32_t row_best_y = 0;
    for (uint32_t y = 1; y < width; ++y) {
      const int32_t inserted = last_[y] + kDeviation, missing = now_[y - 1] + kDeviation;
      int32_t score = std::max(inserted, missing);
      uint8_t step = inserted >= missing ? kInserted : kMissing;
      if (pattern[y - 1] == symbol) {
        score = last_[y - 1] + kMatched;
        step = kMatch;
      }
      now_[y] = score;
      steps[y] = step;
      if (score > row_best) {
        row_best = score;
        row_best_y = y;
      }
    }
    last_.swap(now_);
    if (!is_extension) continue;
    if (row_best > best_score) {
      best_score = row_best;
      best = {x, row_best_y};
    } else if (row_best + kHopeless < best_score) {
      break;
    }
  }
  return is_extension ? best : Cell{height - 1, width - 1};
}

void DenseAlignment::walk_back(Cell end, uint32_t width) {
  blocks_.clear();
  uint32_t size = 0;
  const auto close = [&] {
    if (size > 0) blocks_.push_back({end.x, end.y, size});
    size = 0;
  };
  while (end.x > 0 || end.y > 0) {
    const uint8_t step = steps_[size_t{end.x} * width + end.y];
    if (step != kMatch) close();
    if (step != kMissing) --end.x;
    if (step != kInserted) --end.y;
    if (step == kMatch) ++size;
  }
  close();
  std::reverse(blocks_.begin(), blocks_.end());
}

}  // namespace xsp::analysis
