#include "inject/record/sample_rate.h"

#include <algorithm>

namespace xsp::guest {
namespace {

constexpr double kShortestCycle = 1;
constexpr double kLongestCycle = 60;
constexpr uint32_t kLargestStep = 64;
/// Below this share of the budget the rate is doubled. Less than a half, so that the rate does not swing to and fro.
constexpr double kLittle = 1.0 / 3;
/// The share of the budget that sampled calls always have, even if the rest of the recording uses it up.
constexpr double kLeastPart = 1.0 / 4;
/// What the span of a call that is not sampled costs, in seconds: the hooks and the sender's work.
constexpr double kShallowSpan = 200e-9;

/// The cost is inversely proportional to `every`: multiplies it by the power of two that makes the cost fit.
void raise(uint32_t& every, double times_too_much) {
  uint32_t step = 2;
  while (step < kLargestStep && step < times_too_much) step *= 2;
  every = every >= SampleRate::kLargest / step ? SampleRate::kLargest : every * step;
}

void follow(uint32_t& every, uint32_t least, double cost, double budget) {
  if (cost > budget) {
    raise(every, cost / budget);
  } else if (cost < kLittle * budget) {
    every = std::max(every / 2, least);
  }
}

}  // namespace

void SampleRate::add(const Interval& interval) {
  debt_ = std::max(0.0, debt_ + (interval.sampled + interval.unsampled) / budget_ - interval.length);
  cycle_.length += interval.length;
  cycle_.sampled += interval.sampled;
  cycle_.unsampled += interval.unsampled;
  cycle_.calls += interval.calls;
  cycle_.recorded += interval.recorded;
  cycle_.busiest_calls += interval.busiest_calls;
  cycle_.ratio = interval.ratio;
  // A shorter cycle may well hold no sampled call, and a longer one, too, where their places are drawn.
  const bool is_whole = cycle_.length >= kShortestCycle && cycle_.calls >= every_ && cycle_.recorded != 0;
  if (!is_whole && cycle_.length < kLongestCycle) return;
  const Interval cycle = cycle_;
  cycle_ = {};
  if (cycle.calls == 0) return;
  const double unsampled = cycle.unsampled / cycle.length;
  // A cycle of one block's length may hold two sampled calls by chance: the cost is that of as many as there are in the
  // long run. Where calls are so rare that sampled ones come by the clock, it is the cost as it is.
  const double expected = static_cast<double>(cycle.calls) / every_;
  const bool is_drawn = cycle.recorded != 0 && expected >= 1;
  const double to_expected = is_drawn ? expected / static_cast<double>(cycle.recorded) : 1;
  // Two measures of the same: what our hooks saw, and how much longer sampled calls are, which also has what hooks
  // cannot see. The larger one counts.
  const double sampled = std::max(cycle.sampled * to_expected / cycle.length, cycle.ratio / every_);
  const double shallow = kShallowSpan * static_cast<double>(cycle.busiest_calls) / cycle.length / shallow_every_;
  follow(shallow_every_, 1, shallow, budget_);
  follow(every_, kLeast, sampled, std::max(budget_ - unsampled, kLeastPart * budget_));
}

}  // namespace xsp::guest
