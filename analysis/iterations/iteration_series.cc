#include "analysis/iterations/iteration_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

namespace {

/// How long iterations run beside the one before them, in the median of those that follow one.
int64_t typical_overlap(const std::vector<IterationMetrics>& metrics) {
  std::vector<int64_t> overlaps;
  for (size_t i = 1; i < metrics.size(); ++i) {
    if (!metrics[i].has_interval) continue;
    overlaps.push_back(std::max<int64_t>(metrics[i - 1].time.end - metrics[i].time.begin, 0));
  }
  if (overlaps.empty()) return 0;
  const auto middle = overlaps.begin() + static_cast<ptrdiff_t>(overlaps.size() / 2);
  std::nth_element(overlaps.begin(), middle, overlaps.end());
  return *middle;
}

}  // namespace

IterationSeries iteration_series(const std::vector<IterationMetrics>& metrics) {
  IterationSeries series;
  std::vector<double> known;
  std::vector<double> periods;
  const int64_t overlap = typical_overlap(metrics);
  for (size_t i = 0; i < metrics.size(); ++i) {
    const IterationMetrics& of = metrics[i];
    const bool has = of.has_interval;
    // What runs beside the previous iteration is counted there; for a first one this is unknown, so the usual overlap
    // is used.
    const int64_t beside = has ? std::max<int64_t>(metrics[i - 1].time.end - of.time.begin, 0) : overlap;
    const int64_t alone = std::max<int64_t>(of.duration() - beside, 0);
    series.host.push_back(has ? static_cast<double>(of.interval - of.busy_in_interval)
                              : std::numeric_limits<double>::quiet_NaN());
    series.device.push_back(static_cast<double>(alone + (has ? of.busy_in_interval : 0)));
    series.total += series.device.back() + (has ? series.host.back() : 0);
    if (!has) continue;
    known.push_back(series.host.back());
    periods.push_back(static_cast<double>(of.period));
  }
  std::vector<double> device = series.device;
  const Statistic median{Statistic::Kind::kMedian, 0};
  if (!known.empty()) series.median_host = evaluate(median, known);
  if (!device.empty()) series.median_device = evaluate(median, device);
  series.median_period = periods.empty() ? series.median_host + series.median_device : evaluate(median, periods);
  return series;
}

size_t DiagnosedLoop::comparable() const {
  size_t count = 0;
  for (size_t i = warm_up; i < series.size(); ++i) count += inputs().is_unusual(i) ? 0 : 1;
  return count;
}

Diagnosis unknown(std::string_view id, double threshold, std::string_view unit, const std::string& why) {
  return {.id = id, .threshold = threshold, .unit = unit, .evidence = "not checked: " + why};
}

std::string duration_text(double ns) {
  constexpr double kUs = 1e3;
  constexpr double kMs = 1e6;
  constexpr double kSecond = 1e9;
  const double size = std::fabs(ns);
  const auto number = [](double value) {
    const int digits = std::fabs(value) >= 100 ? 0 : std::fabs(value) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f}", value, digits);
  };
  if (size < kUs) return fmt::format("{:.0f} ns", ns);
  if (size < kMs) return number(ns / kUs) + " µs";
  return size < kSecond ? number(ns / kMs) + " ms" : number(ns / kSecond) + " s";
}

std::string iterations_text(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string significance_text(double p) {
  constexpr double kLeast = 1e-6;
  return p < kLeast ? "p < 1e-6" : fmt::format("p = {:.1g}", p);
}

std::string numbers_text(const std::vector<uint32_t>& numbers) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < numbers.size() && i < kShown; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  if (numbers.size() > kShown) text += fmt::format(" and {} more", numbers.size() - kShown);
  return text;
}

}  // namespace xsp::analysis
