#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// Latency by number of threads, after section III-C of Liu et al., "Runtime Concurrency Control and Operation
/// Scheduling for High Performance Neural Network Training" (IPDPS 2019): the paper of this floor. doc/concurrency.md
/// says where this departs from it.

/// What was measured with one number of threads. Times in ns.
struct CurvePoint {
  uint32_t threads = 0;
  double latency_ns = 0;  // the statistic over the values
  double spread_ns = 0;   // interquartile range; NaN when unknown
  size_t n = 0;
  RunValues values;  // one of each evaluation, run by run; empty: only the latency is known
};

/// A latency curve: points in order of threads, each number once.
using ThreadCurve = std::vector<CurvePoint>;

/// The point of some values; nothing where there are none.
std::optional<CurvePoint> curve_point(uint32_t threads, const RunValues& values, const Statistic& statistic);

/// The default interval x of section 2: a sixteenth of the cores, at least 1.
uint32_t default_interval(uint32_t cores);

/// 1, 1 + x, 1 + 2x, …, the last one clamped to `cores`.
std::vector<uint32_t> probe_counts(uint32_t cores, uint32_t interval);

struct ClimbOptions {
  uint32_t cores = 0;     // no probe has more threads; 0: as many as were measured
  uint32_t interval = 0;  // between probes; 0: every number that was measured is a probe
  bool paper = false;     // any rise ends the climb; else only one that is more than noise
  Statistic statistic;
};

/// What climbing finds on a curve.
struct Climb {
  std::vector<size_t> probes;  // indices of points that were climbed, the one whose time rises included
  size_t best = 0;             // index of the point that is best
  bool has_risen = false;      // it ended at a rise
  bool is_ended = false;       // at a rise or at the last number of cores: false where more probes are needed
};

/// Climbs from the point with the fewest threads until the latency rises. An empty curve gives no probes.
Climb climb(const ThreadCurve& curve, const ClimbOptions& options);

/// Whether the second point takes longer than the first by more than noise: the interval of the difference lies above
/// 0. Where values do not give an interval any rise counts.
bool rises(const CurvePoint& before, const CurvePoint& after, const Statistic& statistic);

/// Linear between two of the points that `indices` names; nothing below the first and beyond the last.
std::optional<double> interpolated(const ThreadCurve& curve, const std::vector<size_t>& indices, uint32_t threads);

/// 1 − mean(|ŷ − y| / y) over the points that are no probes, ŷ interpolated between probes (section III-B and Table V).
/// Nothing where no such point lies between probes.
std::optional<double> accuracy(const ThreadCurve& curve, const Climb& climb);

/// What the other probes predict of one of them: linear between its neighbours; nothing at the ends.
std::optional<double> leave_one_out(const ThreadCurve& curve, const Climb& climb, size_t probe);

}  // namespace xsp::analysis
