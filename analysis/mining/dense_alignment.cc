#include "analysis/mining/dense_alignment.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

enum Step : uint8_t { kMatch, kInserted, kMissing };

// Of every five operations four may match and one be another: a match is worth a little more than half a substitution.
constexpr int32_t kMatched = 4;
constexpr int32_t kDeviation = -5;
constexpr int32_t kHopeless = 80;  // below the best: an extension ends

}  // namespace

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
