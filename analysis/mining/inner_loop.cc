#include "analysis/mining/inner_loop.h"

#include <algorithm>
#include <utility>

#include "analysis/mining/confidence.h"
#include "analysis/mining/first_phase.h"
#include "analysis/mining/pattern_choice.h"

namespace xsp::analysis {
namespace {

constexpr double kLeastShare = 0.3;          // of a pattern that inner repeats cover
constexpr uint32_t kAdditionShare = 16;      // of an inner iteration: what adds less is bookkeeping
constexpr uint32_t kPauseSample = 1u << 14;  // operations
constexpr double kLoopingAddition = 0.6;     // share of an addition that repeats, of a phase

OperationRange whole(const std::vector<Symbol>& symbols) { return {0, static_cast<uint32_t>(symbols.size())}; }

bool has(const std::vector<Symbol>& symbols, std::span<const SymbolRole> roles, SymbolRole role) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](Symbol symbol) { return symbol < roles.size() && roles[symbol] == role; });
}

// Whether most of the operations are adjacent repeats of something.
bool is_looping(const std::vector<Symbol>& symbols) {
  if (symbols.size() < 12) return false;
  const std::vector<Symbol> pattern = choose_pattern(symbols, whole(symbols));
  if (pattern.empty()) return false;
  const PatternTrack track = track_pattern(CyclicPattern(pattern), symbols, whole(symbols));
  double covered = 0;
  for (const LoopIteration& iteration : track.iterations) covered += iteration.size() - iteration.inserted;
  return track.iterations.size() >= 3 && covered >= kLoopingAddition * static_cast<double>(symbols.size());
}

// What lies in no iteration.
void find_addition(InnerLoop& inner, const PatternTrack& track) {
  uint32_t from = 0;
  const auto add = [&inner, &from](uint32_t to) {
    inner.addition.insert(inner.addition.end(), inner.outer.begin() + from, inner.outer.begin() + to);
    inner.longest_run = std::max(inner.longest_run, to - from);
  };
  for (const LoopIteration& iteration : track.iterations) {
    add(iteration.begin);
    from = iteration.end;
  }
  add(static_cast<uint32_t>(inner.outer.size()));
}

}  // namespace

std::optional<InnerLoop> find_inner_loop(const std::vector<Symbol>& pattern) {
  if (pattern.size() < 8) {
    // Too short for a vote: tries whole repeats only.
    for (size_t period = 2; period * 2 <= pattern.size(); ++period) {
      if (pattern.size() % period != 0 ||
          !std::equal(pattern.begin() + static_cast<ptrdiff_t>(period), pattern.end(), pattern.begin())) {
        continue;
      }
      InnerLoop inner;
      inner.outer = pattern;
      inner.pattern.assign(pattern.begin(), pattern.begin() + static_cast<ptrdiff_t>(period));
      inner.count = static_cast<uint32_t>(pattern.size() / period);
      return inner;
    }
    return std::nullopt;
  }
  InnerLoop inner;
  inner.pattern = choose_pattern(pattern, whole(pattern));
  if (inner.pattern.size() < 2) return std::nullopt;
  PatternTrack track = track_pattern(CyclicPattern(inner.pattern), pattern, whole(pattern));
  const auto longest = std::max_element(track.stretches.begin(), track.stretches.end(),
                                        [](const Stretch& a, const Stretch& b) { return a.matched < b.matched; });
  if (longest == track.stretches.end()) return std::nullopt;
  // The pattern is a cycle, so a stretch may run over its end: continues once from its begin.
  uint32_t begin = longest->range.begin;
  const Stretch& first = track.stretches.front();
  const Stretch& last = track.stretches.back();
  if (track.stretches.size() > 1 && first.range.begin == 0 && last.range.end == pattern.size() &&
      first.matched + last.matched > longest->matched) {
    begin = last.range.begin;
  }
  inner.outer = rotated(pattern, begin);
  track = track_pattern(CyclicPattern(inner.pattern), inner.outer, whole(pattern));
  inner.pattern = rotated(inner.pattern, first_phase(inner.pattern, inner.outer, track, {}).phase);
  track = track_pattern(CyclicPattern(inner.pattern), inner.outer, whole(pattern));
  const LoopEvidence evidence = weigh_loop(inner.pattern, inner.outer, whole(pattern), track);
  inner.count = static_cast<uint32_t>(track.iterations.size());
  double covered = 0;
  for (const LoopIteration& iteration : track.iterations) covered += iteration.size();
  if (inner.count < 2 || covered < kLeastShare * static_cast<double>(pattern.size())) return std::nullopt;
  if (!evidence.is_loop() && covered < static_cast<double>(pattern.size())) return std::nullopt;
  find_addition(inner, track);
  return inner;
}

Pauses pauses_before(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range,
                     const std::function<int64_t(size_t)>& idle_before) {
  if (!idle_before) return Pauses::kUnknown;
  const uint32_t sample = std::max(kPauseSample, 4 * static_cast<uint32_t>(pattern.size()));
  const uint32_t begin = range.begin + (range.size() > sample ? (range.size() - sample) / 2 : 0);
  const OperationRange read{begin, std::min(range.end, begin + sample)};
  PatternTrack track = track_pattern(CyclicPattern(pattern), symbols, read);
  if (track.iterations.size() < 2) return Pauses::kUnknown;
  const uint32_t first = first_phase(pattern, symbols, track, idle_before).phase;
  track = track_pattern(CyclicPattern(rotated(pattern, first)), symbols, read);
  double at_begins = 0, within = 0;
  uint64_t begins = 0, others = 0;
  for (size_t i = 1; i < track.iterations.size(); ++i) {
    const LoopIteration& iteration = track.iterations[i];
    if (track.iterations[i - 1].end != iteration.begin) continue;
    at_begins += static_cast<double>(idle_before(iteration.begin));
    ++begins;
    for (uint32_t k = iteration.begin + 1; k < iteration.end; ++k) within += static_cast<double>(idle_before(k));
    others += iteration.size() - 1;
  }
  if (begins == 0 || others == 0) return Pauses::kUnknown;
  at_begins /= static_cast<double>(begins);
  within /= static_cast<double>(others);
  return at_begins > 3 * within ? Pauses::kYes : Pauses::kNo;
}

Nesting judge_nesting(const InnerLoop& inner, std::span<const SymbolRole> roles, Pauses pauses) {
  if (inner.addition.empty()) return Nesting::kSame;
  const auto in_inner = [&](SymbolRole role) { return has(inner.pattern, roles, role); };
  const auto in_addition = [&](SymbolRole role) { return has(inner.addition, roles, role); };
  const bool is_step = in_inner(SymbolRole::kOptimizer) || in_inner(SymbolRole::kToDevice) ||
                       in_inner(SymbolRole::kToHost) || pauses != Pauses::kNo;
  if (is_step && size_t{inner.longest_run} * 2 > inner.pattern.size() && is_looping(inner.addition)) {
    return Nesting::kAlternating;
  }
  if (in_addition(SymbolRole::kOptimizer) && !in_inner(SymbolRole::kOptimizer)) return Nesting::kOuter;
  if (in_inner(SymbolRole::kOptimizer)) return Nesting::kSame;
  if (in_addition(SymbolRole::kToDevice) && !in_inner(SymbolRole::kToDevice)) return Nesting::kOuter;
  if (in_addition(SymbolRole::kToHost) && pauses != Pauses::kNo) return Nesting::kSame;
  return inner.addition.size() * kAdditionShare >= inner.pattern.size() ? Nesting::kOuter : Nesting::kSame;
}

}  // namespace xsp::analysis
