#include "analysis/mining/period_vote.h"

#include <algorithm>
#include <bit>

namespace xsp::analysis {
namespace {

constexpr uint32_t kRuns[] = {8, 3, 1};
constexpr uint32_t kCandidatesPerRun = 8;
constexpr uint32_t kMostRepeats = 12;
constexpr uint32_t kNever = UINT32_MAX;

// How far distances are apart that vote together.
uint32_t tolerance(uint32_t period) { return period / 64; }

class RunOccurrences {
 public:
  RunOccurrences(std::span<const Symbol> symbols, uint32_t run)
      : symbols_(symbols),
        run_(run),
        bits_(std::max(10, std::min(19, static_cast<int>(std::bit_width(symbols.size()))))) {}

  uint32_t slots() const { return 1u << bits_; }
  uint32_t positions() const { return symbols_.size() < run_ ? 0 : static_cast<uint32_t>(symbols_.size() - run_ + 1); }
  uint32_t slot(uint32_t position) const {
    uint64_t h = 0;
    for (uint32_t i = 0; i < run_; ++i) h = (h ^ symbols_[position + i]) * 0x9E3779B97F4A7C15ull + 0x7F4A7C15ull;
    return static_cast<uint32_t>((h * 0xD6E8FEB86659FD93ull) >> (64 - bits_));
  }

 private:
  std::span<const Symbol> symbols_;
  uint32_t run_;
  int bits_;
};

// The most voted distances, none near another.
std::vector<PeriodCandidate> peaks(const std::vector<uint32_t>& votes) {
  std::vector<uint64_t> sums(votes.size() + 1, 0);
  for (size_t i = 0; i < votes.size(); ++i) sums[i + 1] = sums[i] + votes[i];
  std::vector<PeriodCandidate> found;
  for (uint32_t period = 2; period < votes.size(); ++period) {
    if (votes[period] == 0) continue;
    const uint32_t near = tolerance(period);
    const uint32_t end = static_cast<uint32_t>(std::min<size_t>(period + near + 1, votes.size()));
    PeriodCandidate candidate{period, sums[end] - sums[period - near], {}};
    if (candidate.votes < 2 && found.size() >= kCandidatesPerRun) continue;
    found.push_back(candidate);
  }
  std::sort(found.begin(), found.end(), [&votes](const PeriodCandidate& a, const PeriodCandidate& b) {
    if (a.votes != b.votes) return a.votes > b.votes;
    if (votes[a.period] != votes[b.period]) return votes[a.period] > votes[b.period];
    return a.period < b.period;
  });
  std::vector<PeriodCandidate> best;
  for (const PeriodCandidate& candidate : found) {
    const bool is_near = std::any_of(best.begin(), best.end(), [&candidate](const PeriodCandidate& other) {
      const uint32_t near = 2 * tolerance(std::max(candidate.period, other.period));
      return candidate.period <= other.period + near && other.period <= candidate.period + near;
    });
    if (is_near) continue;
    best.push_back(candidate);
    if (best.size() == kCandidatesPerRun) break;
  }
  return best;
}

// Cuts before the run that most often recurs about a period later.
void find_repeats(const RunOccurrences& runs, uint32_t offset, PeriodCandidate& candidate) {
  const uint32_t near = tolerance(candidate.period);
  const auto is_period = [&candidate, near](uint32_t gap) {
    return gap + near >= candidate.period && gap <= candidate.period + near;
  };
  std::vector<uint32_t> last(runs.slots(), kNever);
  std::vector<uint32_t> score(runs.slots(), 0);
  uint32_t best = 0;
  for (uint32_t i = 0; i < runs.positions(); ++i) {
    const uint32_t slot = runs.slot(i);
    if (last[slot] != kNever && is_period(i - last[slot])) ++score[slot];
    last[slot] = i;
  }
  for (uint32_t slot = 0; slot < score.size(); ++slot) {
    if (score[slot] > score[best]) best = slot;
  }
  uint32_t previous = kNever;
  std::vector<OperationRange> all;
  for (uint32_t i = 0; i < runs.positions(); ++i) {
    if (runs.slot(i) != best) continue;
    if (previous != kNever && is_period(i - previous)) all.push_back({offset + previous, offset + i});
    previous = i;
  }
  // Evenly over the window.
  const size_t step = std::max<size_t>(1, all.size() / kMostRepeats);
  for (size_t i = step / 2; i < all.size() && candidate.repeats.size() < kMostRepeats; i += step) {
    candidate.repeats.push_back(all[i]);
  }
}

}  // namespace

std::vector<PeriodCandidate> vote_periods(std::span<const Symbol> symbols, OperationRange range) {
  const uint32_t size = std::min(range.size(), kVoteWindow);
  const uint32_t begin = range.begin + (range.size() - size) / 2;
  const std::span<const Symbol> window = symbols.subspan(begin, size);
  std::vector<PeriodCandidate> candidates;
  for (const uint32_t run : kRuns) {
    const RunOccurrences runs(window, run);
    std::vector<uint32_t> votes(size / 2 + 2, 0);
    std::vector<uint32_t> last(runs.slots(), kNever);
    for (uint32_t i = 0; i < runs.positions(); ++i) {
      uint32_t& previous = last[runs.slot(i)];
      if (previous != kNever && i - previous < votes.size()) ++votes[i - previous];
      previous = i;
    }
    for (PeriodCandidate& candidate : peaks(votes)) {
      const bool is_known =
          std::any_of(candidates.begin(), candidates.end(), [&candidate](const PeriodCandidate& other) {
            const uint32_t near = tolerance(candidate.period);
            return candidate.period <= other.period + near && other.period <= candidate.period + near;
          });
      if (is_known) continue;
      find_repeats(runs, begin, candidate);
      if (!candidate.repeats.empty()) candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

}  // namespace xsp::analysis
