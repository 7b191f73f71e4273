#include "analysis/mining/confidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr double kLeastConfidence = 0.4;
constexpr double kLeastAgreement = 0.6;
constexpr double kHighAgreement = 0.85;
constexpr double kFewBits = 24;
constexpr uint32_t kFewIterations = 6;
constexpr double kLeastClosure = 0.5;
constexpr double kLeastBits = 12;
constexpr double kClearConfidence = 0.65;
constexpr double kClearBits = 64;
constexpr uint32_t kShuffled = 4096;  // operations

double entropy_of_share(double share) {
  if (share <= 0 || share >= 1) return 0;
  return -share * std::log2(share) - (1 - share) * std::log2(1 - share);
}

double agreement(const PatternTrack& track, uint32_t size) {
  double matched = 0, all = 0;
  for (const LoopIteration& iteration : track.iterations) {
    matched += 2.0 * (iteration.size() - iteration.inserted);
    all += iteration.size() + size;
  }
  return all > 0 ? matched / all : 0;
}

// What the pattern agrees with when the same operations stand in random order.
double agreement_by_chance(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols,
                           const PatternTrack& track) {
  const auto size = static_cast<uint32_t>(pattern.size());
  if (size > kShuffled / 8) return 0;
  std::vector<Symbol> sample;
  for (const LoopIteration& iteration : track.iterations) {
    sample.insert(sample.end(), symbols.begin() + iteration.begin, symbols.begin() + iteration.end);
    if (sample.size() >= kShuffled) break;
  }
  uint64_t state = 88172645463325252ull;
  for (size_t i = sample.size(); i > 1; --i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::swap(sample[i - 1], sample[state % i]);
  }
  const PatternTrack random = track_pattern(CyclicPattern(pattern), sample, {0, static_cast<uint32_t>(sample.size())});
  if (random.iterations.size() < 2) return 0;
  double covered = 0;
  for (const LoopIteration& iteration : random.iterations) covered += iteration.size();
  return agreement(random, size) * covered / static_cast<double>(sample.size());
}

}  // namespace

double LoopEvidence::confidence() const {
  return iterations < 2 ? 0 : agreement * (1 - std::exp2(1.0 - static_cast<double>(iterations)));
}

bool LoopEvidence::is_loop() const {
  // A few alternating operations, or a few long repeats, come close to each other by chance.
  const bool is_doubtful = pattern_bits < kFewBits || iterations < kFewIterations;
  return confidence() >= kLeastConfidence && agreement >= (is_doubtful ? kHighAgreement : kLeastAgreement) &&
         closure >= kLeastClosure && bits >= kLeastBits;
}

bool LoopEvidence::is_clear_loop() const { return is_loop() && confidence() >= kClearConfidence && bits >= kClearBits; }

LoopEvidence weigh_loop(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range,
                        const PatternTrack& track) {
  LoopEvidence evidence;
  const auto size = static_cast<uint32_t>(pattern.size());
  evidence.iterations = static_cast<uint32_t>(track.iterations.size());
  if (evidence.iterations < 2) return evidence;
  Symbol most = 0;
  for (uint32_t i = range.begin; i < range.end; ++i) most = std::max(most, symbols[i]);
  for (const Symbol symbol : pattern) most = std::max(most, symbol);
  std::vector<uint32_t> occurrences(most + size_t{1}, 0);
  for (uint32_t i = range.begin; i < range.end; ++i) ++occurrences[symbols[i]];
  // Information of an operation of the pattern where the order says nothing.
  double information = 0;
  for (const Symbol symbol : pattern) {
    information -= std::log2((occurrences[symbol] + 0.5) / (range.size() + 1.0)) / size;
  }
  evidence.pattern_bits = information * size;
  double all = 0;
  std::vector<bool> is_counted(occurrences.size(), false);
  for (const Symbol symbol : pattern) {
    if (!is_counted[symbol]) all += occurrences[symbol];
    is_counted[symbol] = true;
  }
  double matched = 0, adjacent = 0, length = 0, deviations = 0;
  for (const LoopIteration& iteration : track.iterations) {
    matched += iteration.size() - iteration.inserted;
    length += std::max(iteration.size(), size);
    deviations += iteration.deviations();
  }
  for (const Stretch& stretch : track.stretches) {
    if (stretch.iterations >= 2) adjacent += stretch.matched;
  }
  const double by_chance = agreement_by_chance(pattern, symbols, track);
  evidence.agreement = std::max(0.0, (agreement(track, size) - by_chance) / (1 - std::min(by_chance, 0.99)));
  evidence.closure = all > 0 ? adjacent / all : 0;
  evidence.bits = information * (matched - size) - length * entropy_of_share(std::min(0.5, deviations / length)) -
                  2 * std::log2(static_cast<double>(range.size()));
  return evidence;
}

}  // namespace xsp::analysis
