#include "analysis/mining/first_phase.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr uint32_t kTimes = 1u << 17;
constexpr uint32_t kMostIterations = 64;
constexpr double kAboutAsGood = 0.8;

struct PhaseTime {
  double sum = 0, largest = 0;
  uint32_t count = 0;

  // Without the largest, if there are enough: one long pause is no boundary.
  double mean() const {
    if (count == 0) return 0;
    return count >= 4 ? (sum - largest) / (count - 1) : sum / count;
  }
};

std::vector<Stretch>::const_iterator longest_stretch(const PatternTrack& track) {
  return std::max_element(track.stretches.begin(), track.stretches.end(),
                          [](const Stretch& a, const Stretch& b) { return a.matched < b.matched; });
}

}  // namespace

FirstPhase first_phase(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, const PatternTrack& track,
                       const std::function<int64_t(size_t)>& idle_before, const PhaseWindow& window) {
  const auto longest = longest_stretch(track);
  if (longest == track.stretches.end()) return {};
  const uint32_t first = longest->begin_phase;
  if (!idle_before) return {.phase = first};
  const auto size = static_cast<uint32_t>(pattern.size());
  const uint32_t iterations = std::clamp(kTimes / size, 2u, kMostIterations);
  OperationRange sample = longest->range;
  sample.end =
      static_cast<uint32_t>(std::min<uint64_t>(sample.end, sample.begin + uint64_t{iterations} * size * 5 / 4 + size));
  std::vector<MatchedBlock> blocks;
  TrackOptions options;
  options.blocks = &blocks;
  track_pattern(CyclicPattern(pattern), symbols, sample, options);
  std::vector<PhaseTime> times(size);
  uint32_t most = 0;
  for (const MatchedBlock& block : blocks) {
    for (uint32_t i = 0; i < block.size; ++i) {
      PhaseTime& time = times[(block.phase + i) % size];
      const auto idle = static_cast<double>(std::max<int64_t>(0, idle_before(block.position + i)));
      time.sum += idle;
      time.largest = std::max(time.largest, idle);
      most = std::max(most, ++time.count);
    }
  }
  uint32_t best = first;
  double best_mean = times[first].count * 3 >= most ? times[first].mean() : 0;
  const double least = best_mean / kAboutAsGood;
  for (uint32_t phase = 0; phase < size; ++phase) {
    if (times[phase].count * 3 < most || !window.has(phase, size)) continue;
    const double mean = times[phase].mean();
    if (mean <= least || mean <= best_mean) continue;
    best = phase;
    best_mean = mean;
  }
  return {best, best_mean};
}

PhaseWindow phases_with_most_iterations(const PatternTrack& track, uint32_t size) {
  const auto longest = longest_stretch(track);
  if (longest == track.stretches.end() || size == 0) return {};
  return {longest->begin_phase, (longest->end_phase + size - longest->begin_phase) % size + 1};
}

std::vector<Symbol> rotated(const std::vector<Symbol>& pattern, uint32_t phase) {
  std::vector<Symbol> turned(pattern.begin() + phase, pattern.end());
  turned.insert(turned.end(), pattern.begin(), pattern.begin() + phase);
  return turned;
}

}  // namespace xsp::analysis
