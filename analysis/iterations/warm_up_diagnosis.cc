#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/iterations/iteration_series.h"
#include "analysis/statistics/outlying.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

constexpr size_t kLeastWithWarmUp = 8;
/// Of the loop's time; less is nothing to look at.
constexpr double kLeastWarmUpPct = 1;
/// The first iteration is slow if it takes half as long again, and later ones would be as slow less than once in 200
/// runs; those after it count as slow down to a fifth more.
constexpr double kSlow = 0.5;
constexpr double kStillSlow = 0.2;
constexpr double kSlowChance = 0.005;
constexpr double kStillChance = 0.05;
/// Few iterations tell little of their tail: being twice as long as the longest of the second half suffices too.
constexpr double kTwice = 2;

}  // namespace

void diagnose_warm_up(DiagnosedLoop* loop) {
  const IterationSeries& series = loop->series;
  const size_t n = series.size();
  constexpr std::string_view kId = "warm_up";
  if (n < kLeastWithWarmUp) {
    loop->found_checks.push_back(
        unknown(kId, kLeastWarmUpPct, "%",
                fmt::format("{} (at least {} are needed)", iterations_text(n, loop->noun()), kLeastWithWarmUp)));
    return;
  }
  std::vector<double> periods(n);
  for (size_t i = 0; i < n; ++i) {
    periods[i] = series.device[i] + (std::isnan(series.host[i]) ? series.median_host : series.host[i]);
  }
  std::vector<double> later(periods.begin() + static_cast<ptrdiff_t>(n / 2), periods.end());
  const double median = evaluate({Statistic::Kind::kMedian, 0}, later);
  const double longest = *std::max_element(later.begin(), later.end());
  for (double& period : later) period = std::log(std::max(period, 1.0));
  size_t length = 0;
  double extra = 0;
  while (length < n / 2) {
    // A prompt is longer than what is generated after it.
    if (loop->inputs().is_unusual(length)) break;
    const double period = periods[length];
    const bool is_first = length == 0;
    if (period < (1 + (is_first ? kSlow : kStillSlow)) * median) break;
    const bool is_twice = period >= kTwice * longest;
    if (!is_twice &&
        tail_probability(later, std::log(std::max(period, 1.0))) > (is_first ? kSlowChance : kStillChance)) {
      break;
    }
    extra += period - median;
    ++length;
  }
  Diagnosis check{.id = kId, .threshold = kLeastWarmUpPct, .unit = "%", .has_value = true};
  check.value = series.total > 0 ? 100 * extra / series.total : 0;
  check.found = length != 0 && check.value >= kLeastWarmUpPct;
  if (length == 0) {
    check.evidence = fmt::format("the first {} takes {}, the median of the second half is {}", loop->noun(),
                                 duration_text(periods[0]), duration_text(median));
  } else {
    check.evidence = fmt::format(
        "the first {} {} longer than the median of the second half, {}: the first by {}, {} in all",
        length == 1 ? fmt::format("{} takes", loop->noun()) : iterations_text(length, loop->noun()) + " take",
        duration_text(extra), duration_text(median), duration_text(periods[0]),
        fmt::format("{:.1f} % of the loop's time", check.value));
  }
  if (check.found) {
    check.advice = "leave these iterations out of measurements, or keep what they load, compile or tune once";
    for (uint32_t i = 0; i < length; ++i) {
      check.iterations.push_back(i);
      loop->explained[i] = true;
      loop->stalled[i] = true;
    }
  }
  // Slow leading iterations are no trend, whether they take much of the run or not.
  loop->warm_up = length;
  loop->found_checks.push_back(std::move(check));
}

}  // namespace xsp::analysis
