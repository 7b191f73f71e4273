#include "analysis/mining/cyclic_pattern.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr uint32_t kLongestRun = 6;
constexpr uint32_t kMostPhases = 8;

}  // namespace

CyclicPattern::CyclicPattern(std::vector<Symbol> pattern) : pattern_(std::move(pattern)) {
  const size_t size = pattern_.size();
  unrolled_.reserve(size + kAhead);
  while (unrolled_.size() < size + kAhead) {
    unrolled_.insert(unrolled_.end(), pattern_.begin(),
                     pattern_.begin() + static_cast<ptrdiff_t>(std::min(size, size + kAhead - unrolled_.size())));
  }
  run_ = std::min<uint32_t>(kLongestRun, static_cast<uint32_t>(size));
  const auto bits = static_cast<int>(std::bit_width(std::max<size_t>(size * 2, 16)));
  shift_ = static_cast<uint32_t>(32 - bits);
  bucket_begin_.assign((size_t{1} << bits) + 1, 0);
  for (uint32_t phase = 0; phase < size; ++phase) ++bucket_begin_[hash(at(phase)) + 1];
  for (size_t i = 1; i < bucket_begin_.size(); ++i) bucket_begin_[i] += bucket_begin_[i - 1];
  phases_.resize(size);
  std::vector<uint32_t> next(bucket_begin_.begin(), bucket_begin_.end() - 1);
  for (uint32_t phase = 0; phase < size; ++phase) phases_[next[hash(at(phase))]++] = phase;
}

uint32_t CyclicPattern::hash(const Symbol* run) const {
  uint64_t h = 0;
  for (uint32_t i = 0; i < run_; ++i) h = (h ^ run[i]) * 0x9E3779B97F4A7C15ull + 0x7F4A7C15ull;
  return static_cast<uint32_t>(h >> 32) >> shift_;
}

std::span<const uint32_t> CyclicPattern::phases(uint32_t hash) const {
  const uint32_t begin = bucket_begin_[hash];
  return {phases_.data() + begin, std::min(bucket_begin_[hash + 1] - begin, kMostPhases)};
}

}  // namespace xsp::analysis
