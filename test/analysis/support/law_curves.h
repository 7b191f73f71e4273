#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/concurrency/thread_curve.h"
#include "test/analysis/support/noise.h"

namespace xsp::test {

/// A time in ns by number of threads.
using Law = std::function<double(double)>;

/// best²/n + n, least at `best`, and a part that no thread makes faster.
inline Law spawning_law(double best, double fixed = 0) {
  return [=](double n) { return best * best / n + n + fixed; };
}

/// Latencies alone, with all numbers of threads up to `cores`, or with these.
inline analysis::ThreadCurve exact_curve(const Law& law, const std::vector<uint32_t>& threads) {
  analysis::ThreadCurve curve;
  for (const uint32_t n : threads) {
    analysis::CurvePoint& point = curve.emplace_back();
    point.threads = n;
    point.latency_ns = law(n);
  }
  return curve;
}

inline std::vector<uint32_t> up_to(uint32_t cores) {
  std::vector<uint32_t> threads;
  for (uint32_t n = 1; n <= cores; ++n) threads.push_back(n);
  return threads;
}

/// `calls` values around a time, in whole ns; `relative` is the standard deviation.
inline std::vector<double> noisy(double ns, double relative, size_t calls, analysis::Noise* noise) {
  std::vector<double> values;
  for (size_t i = 0; i < calls; ++i) values.push_back(std::round(std::max(1.0, ns * (1 + relative * noise->normal()))));
  return values;
}

inline analysis::ThreadCurve noisy_curve(const Law& law, const std::vector<uint32_t>& threads, double relative,
                                         size_t calls, analysis::Noise* noise) {
  analysis::ThreadCurve curve;
  for (const uint32_t n : threads) {
    curve.push_back(*analysis::curve_point(n, {noisy(law(n), relative, calls, noise)}, {}));
  }
  return curve;
}

}  // namespace xsp::test
