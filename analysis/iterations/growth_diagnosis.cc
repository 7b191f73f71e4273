#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/iterations/what_differs.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

/// Over the run, relative to the median period. Clocks and other programs move a mean by a few percent.
constexpr double kLeastGrowthPct = 10;
constexpr double kTrendChance = 3e-4;
/// With fewer values not even a rise without a fall is significant enough.
constexpr size_t kLeastValues = 9;

struct GrowthCheck {
  std::string_view id;
  std::string_view subject;  // "the time before an iteration in which nothing runs"
  std::string_view advice;
};

constexpr GrowthCheck kGraphGrowth = {
    "graph_growth", "the host time between iterations",
    "the CPU does more in each iteration: look for a graph, list or cache that the loop keeps adding to, such as "
    "operators created in the loop or losses kept with their graphs"};
constexpr GrowthCheck kDrift = {"drift", "the time of an iteration",
                                "possible causes: longer inputs, growing state, or falling clocks (temperature, "
                                "power); compare the iterations named, and the clocks"};

std::vector<uint32_t> range(size_t begin, size_t end) {
  std::vector<uint32_t> numbers;
  for (size_t i = begin; i < end; ++i) numbers.push_back(static_cast<uint32_t>(i));
  return numbers;
}

/// Whether values grow in both halves of the run: the medians of its thirds differ. A step, or a slow stretch at one
/// end, is no growth.
bool grows_throughout(const std::vector<double>& values) {
  constexpr double kLeastStep = 0.15;
  constexpr size_t kThirds = 3;
  std::array<double, kThirds> medians{};
  for (size_t third = 0; third < kThirds; ++third) {
    std::vector<double> some(values.begin() + static_cast<ptrdiff_t>(third * values.size() / kThirds),
                             values.begin() + static_cast<ptrdiff_t>((third + 1) * values.size() / kThirds));
    medians[third] = evaluate({Statistic::Kind::kMedian, 0}, some);
  }
  const double rise = medians[2] - medians[0];
  return rise > 0 && std::min(medians[1] - medians[0], medians[2] - medians[1]) >= kLeastStep * rise;
}

/// What the last quarter of the iterations has that the first has not.
std::string what_grows(const DiagnosedLoop& loop) {
  const size_t begin = loop.warm_up;
  const size_t n = loop.series.size();
  const size_t quarter = std::max<size_t>((n - begin) / 4, 1);
  return difference_text(loop, difference_of(loop, range(n - quarter, n), range(begin, begin + quarter)));
}

/// `of_one_input`: only iterations with the input that most of them have are compared.
Diagnosis check_growth(const DiagnosedLoop& loop, const GrowthCheck& of, const std::vector<double>& values,
                       bool of_one_input, std::optional<Trend>* found) {
  std::vector<double> at;
  std::vector<double> known;
  for (size_t i = loop.warm_up; i < values.size(); ++i) {
    if (std::isnan(values[i]) || (of_one_input && loop.inputs().is_unusual(i))) continue;
    at.push_back(static_cast<double>(i));
    known.push_back(values[i]);
  }
  const auto trend = trend_of(at, known);
  if (!trend || known.size() < kLeastValues || !(loop.series.median_period > 0)) {
    return unknown(
        of.id, kLeastGrowthPct, "%",
        fmt::format("{} with {}{} (at least {} are needed)", iterations_text(known.size(), loop.noun()), of.subject,
                    of_one_input && loop.inputs().vary() ? " and the same input" : "", kLeastValues));
  }
  Diagnosis check{.id = of.id, .threshold = kLeastGrowthPct, .unit = "%", .has_value = true};
  const double rise = trend->slope * (at.back() - at.front());
  check.value = 100 * rise / loop.series.median_period;
  const bool is_significant = trend->p_value < kTrendChance;
  check.found = check.value >= kLeastGrowthPct && is_significant && grows_throughout(known);
  if (!is_known(trend->slopes)) {
    check.evidence = fmt::format("{} is constant", of.subject);
    return check;
  }
  check.evidence = fmt::format(
      "{} {} from {} to {}, by {} each (95 % interval {} to {}, {})", of.subject, trend->slope < 0 ? "falls" : "grows",
      duration_text(std::max(trend->at(at.front()), 0.0)), duration_text(std::max(trend->at(at.back()), 0.0)),
      duration_text(std::fabs(trend->slope)), duration_text(trend->slope < 0 ? -trend->slopes.high : trend->slopes.low),
      duration_text(trend->slope < 0 ? -trend->slopes.low : trend->slopes.high), significance_text(trend->p_value));
  if (!check.found && check.value >= kLeastGrowthPct) {
    check.evidence += is_significant
                          ? std::string("; only in part of the run")
                          : fmt::format("; not significant (needs {} or less)", significance_text(kTrendChance));
  }
  if (check.found) {
    check.advice = of.advice;
    *found = trend;
  }
  return check;
}

}  // namespace

void diagnose_growth(DiagnosedLoop* loop) {
  loop->found_checks.push_back(check_growth(*loop, kGraphGrowth, loop->series.host, false, &loop->growth));
  const bool grows = inputs_grow(loop->trace, loop->inputs(), loop->warm_up);
  Diagnosis drift = check_growth(*loop, kDrift, loop->series.device, !grows, &loop->drift);
  if (drift.found && grows) {
    const std::vector<uint32_t>& inputs = loop->inputs().of;
    drift.evidence += fmt::format("; its input grows from {} to {}", input_text(loop->trace, inputs[loop->warm_up]),
                                  input_text(loop->trace, inputs.back()));
    drift.advice =
        "each call recomputes its whole input: if only the last part is new, as in text generation, cache the rest "
        "(key/value cache)";
  }
  if (drift.found) {
    const std::string what = what_grows(*loop);
    if (!what.empty()) drift.evidence += "; last quarter compared with the first: " + what;
  }
  loop->found_checks.push_back(std::move(drift));
}

}  // namespace xsp::analysis
