#include "analysis/statistics/warm_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

/// Of the steady state: Q3 + 4 IQR. Tukey's far fence, 3 IQR, takes the begin of a slow drift for warm-up too often.
constexpr double kFarFence = 4;
constexpr double kClearlySlower = 1.05;
/// With fewer values the fences are too close to them.
constexpr size_t kFewSteady = 4;
constexpr size_t kManySteady = 20;
/// More runs than these are not listed one by one.
constexpr size_t kRunsTold = 4;

/// Above this a leading value is warm-up. Values of the steady state that are as slow speak against it, because then it
/// has two modes or a long tail; of many values, one in twenty may be.
double slow_from(std::vector<double> steady) {
  const double q3 = evaluate({Statistic::Kind::kPercentile, 75}, steady);
  const double fence = q3 + kFarFence * interquartile_range(steady);
  const double median = evaluate({Statistic::Kind::kMedian, 0}, steady);
  const double slowest = evaluate({Statistic::Kind::kPercentile, steady.size() <= kManySteady ? 100.0 : 95.0}, steady);
  return std::max({fence, kClearlySlower * median, slowest});
}

bool is_less(const LeftOut& a, const LeftOut& b) { return a.count < b.count; }

std::string first(size_t count) {
  if (count == 0) return "none";
  return count == 1 ? "the first" : fmt::format("the first {}", count);
}

}  // namespace

size_t warm_up_length(std::span<const double> latencies) {
  if (latencies.size() < 3) return 0;
  const size_t half = latencies.size() / 2;
  const auto steady = latencies.subspan(half);
  if (steady.size() < kFewSteady) return 1;
  const double limit = slow_from({steady.begin(), steady.end()});
  size_t length = 0;
  while (length < half && latencies[length] > limit) ++length;
  return std::max<size_t>(length, 1);
}

std::string left_out_text(std::span<const LeftOut> runs) {
  if (runs.empty()) return "none";
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end(), is_less);
  if (runs.size() == 1) return fmt::format("{} of {}", first(most->count), runs.front().of);
  if (least->count == most->count) return fmt::format("{} of each of {} runs", first(most->count), runs.size());
  if (runs.size() > kRunsTold) {
    size_t all = 0;
    for (const LeftOut& run : runs) all += run.count;
    return fmt::format("the first {} to {} of each of {} runs, {} evaluations in all", least->count, most->count,
                       runs.size(), all);
  }
  std::string text;
  for (size_t i = 0; i < runs.size(); ++i) {
    text += fmt::format("{}{} of run {}", i == 0 ? "" : ", ", first(runs[i].count), i + 1);
  }
  return text;
}

std::string warm_up_note(std::span<const LeftOut> runs, bool found) {
  const auto most = std::max_element(runs.begin(), runs.end(), is_less);
  if (most == runs.end() || most->count == 0) return {};
  return "warm-up left out: " + left_out_text(runs) +
         (found && most->count > 1 ? " (slower than the second half)" : "");
}

}  // namespace xsp::analysis
