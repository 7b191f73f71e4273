#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace xsp::bound {

/// How long one implementation may be sampled.
struct SamplingLimits {
  double budget_ns = 100e6;
  uint64_t least = 5;
  uint64_t most = 400;
  double sample_ns = 0.1e6;  // a sample is as many calls as take this long
  /// The best time of another implementation of the problem: after `least` samples one that is slower than
  /// kHopeless × this is given up. Nothing: there is none yet.
  std::optional<double> to_beat_ns;
  /// Is called now and then, where nothing is timed.
  std::function<void()> between = {};
};
/// Of the budget, that samples may take however long a call is.
inline constexpr double kMostBudgets = 10;
inline constexpr double kHopeless = 1.5;

/// Times of one call in ns, one for each sample.
struct Samples {
  std::vector<float> wall_ns;
  std::vector<float> cpu_ns;  // of this thread; empty with several threads

  void append(const Samples& more);

  double min() const;
  double median() const;
  double p90() const;
  /// The least processor time of the samples that ran through, which is nearly their wall time; of those that did not,
  /// a virtual machine may subtract what others took in lumps, and more than it was. Where none ran through, their
  /// tenth percentile. Nothing where even the best share of processor time is below half of the wall time: then other
  /// threads compute, and this one waits for them.
  std::optional<double> cpu_min() const;
};

/// One call as the only sample.
Samples take_one_sample(const std::function<void()>& call, bool one_thread);

/// Samples of a call: the first calls do not count. `one_thread`: thread CPU time is taken, too. A call that is so long
/// that `least` samples take ten times the budget gets as many as that allows, at least one.
Samples take_samples(const std::function<void()>& call, bool one_thread, const SamplingLimits& limits);

/// The same for calls on operands that are in no cache: each sample runs all `calls` once, after `evict`, which is not
/// timed but counts for the budget, has pushed everything out. `most` and `least` count samples as above.
Samples take_cold_samples(const std::vector<std::function<void()>>& calls, const std::function<void()>& evict,
                          bool one_thread, const SamplingLimits& limits);

}  // namespace xsp::bound
