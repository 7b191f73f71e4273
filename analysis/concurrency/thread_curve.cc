#include "analysis/concurrency/thread_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/concurrency/latency_difference.h"

namespace xsp::analysis {
namespace {

/// Intervals for each of which a sixteenth of the cores is as many as the paper's x = 4 of 68.
constexpr double kDefaultProbes = 16;

std::optional<size_t> point_of(const ThreadCurve& curve, uint32_t threads) {
  const auto found = std::lower_bound(curve.begin(), curve.end(), threads,
                                      [](const CurvePoint& point, uint32_t number) { return point.threads < number; });
  if (found == curve.end() || found->threads != threads) return {};
  return static_cast<size_t>(found - curve.begin());
}

/// The points that are climbed one after the other, as long as none is missing.
std::vector<size_t> possible_probes(const ThreadCurve& curve, const ClimbOptions& options) {
  std::vector<size_t> probes;
  if (curve.empty()) return probes;
  const uint32_t most = options.cores != 0 ? options.cores : curve.back().threads;
  if (options.interval == 0) {
    for (size_t i = 0; i < curve.size() && curve[i].threads <= most; ++i) probes.push_back(i);
    return probes;
  }
  for (const uint32_t threads : probe_counts(most, options.interval)) {
    const auto point = point_of(curve, threads);
    if (!point) break;
    probes.push_back(*point);
  }
  return probes;
}

double linear(const CurvePoint& left, const CurvePoint& right, uint32_t threads) {
  const double part = static_cast<double>(threads - left.threads) / static_cast<double>(right.threads - left.threads);
  return left.latency_ns + part * (right.latency_ns - left.latency_ns);
}

}  // namespace

std::optional<CurvePoint> curve_point(uint32_t threads, const RunValues& values, const Statistic& statistic) {
  CurvePoint point;
  point.threads = threads;
  point.n = count_of(values);
  if (point.n == 0) return {};
  std::vector<double> all;
  all.reserve(point.n);
  for (const auto& run : values) all.insert(all.end(), run.begin(), run.end());
  point.spread_ns = interquartile_range(all);
  point.latency_ns = evaluate(statistic, all);
  point.values = values;
  return point;
}

uint32_t default_interval(uint32_t cores) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(std::lround(cores / kDefaultProbes)));
}

std::vector<uint32_t> probe_counts(uint32_t cores, uint32_t interval) {
  std::vector<uint32_t> counts;
  if (cores == 0 || interval == 0) return counts;
  for (uint64_t threads = 1; threads < cores; threads += interval) counts.push_back(static_cast<uint32_t>(threads));
  counts.push_back(cores);
  return counts;
}

Climb climb(const ThreadCurve& curve, const ClimbOptions& options) {
  Climb found;
  for (const size_t point : possible_probes(curve, options)) {
    if (!found.probes.empty()) {
      const CurvePoint& before = curve[found.probes.back()];
      found.has_risen =
          options.paper ? curve[point].latency_ns > before.latency_ns : rises(before, curve[point], options.statistic);
    }
    found.probes.push_back(point);
    if (found.has_risen) break;
  }
  if (found.probes.empty()) return found;
  // The fewest threads of those that are equally fast. A curve may rise by less than noise several times in a row.
  const auto faster = [&](size_t a, size_t b) { return curve[a].latency_ns < curve[b].latency_ns; };
  found.best = *std::min_element(found.probes.begin(), found.probes.end(), faster);
  const uint32_t most = options.cores != 0 ? options.cores : curve.back().threads;
  found.is_ended = found.has_risen || curve[found.probes.back()].threads == most;
  return found;
}

bool rises(const CurvePoint& before, const CurvePoint& after, const Statistic& statistic) {
  if (after.latency_ns <= before.latency_ns) return false;  // an interval takes a good part of a millisecond
  const Interval difference = latency_difference(statistic, before.values, after.values);
  if (!is_known(difference)) return true;
  return difference.low > 0;
}

std::optional<double> interpolated(const ThreadCurve& curve, const std::vector<size_t>& indices, uint32_t threads) {
  const auto right = std::lower_bound(indices.begin(), indices.end(), threads,
                                      [&](size_t index, uint32_t number) { return curve[index].threads < number; });
  if (right == indices.end()) return {};
  if (curve[*right].threads == threads) return curve[*right].latency_ns;
  if (right == indices.begin()) return {};
  return linear(curve[*(right - 1)], curve[*right], threads);
}

std::optional<double> accuracy(const ThreadCurve& curve, const Climb& climb) {
  double errors = 0;
  size_t count = 0;
  for (size_t i = 0; i < curve.size(); ++i) {
    if (std::binary_search(climb.probes.begin(), climb.probes.end(), i) || !(curve[i].latency_ns > 0)) continue;
    const auto predicted = interpolated(curve, climb.probes, curve[i].threads);
    if (!predicted) continue;
    errors += std::fabs(*predicted - curve[i].latency_ns) / curve[i].latency_ns;
    ++count;
  }
  if (count == 0) return {};
  return 1 - errors / static_cast<double>(count);
}

std::optional<double> leave_one_out(const ThreadCurve& curve, const Climb& climb, size_t probe) {
  const auto at = std::lower_bound(climb.probes.begin(), climb.probes.end(), probe);
  if (at == climb.probes.end() || *at != probe || at == climb.probes.begin() || at + 1 == climb.probes.end()) return {};
  return linear(curve[*(at - 1)], curve[*(at + 1)], curve[probe].threads);
}

}  // namespace xsp::analysis
