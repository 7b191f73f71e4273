#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/iterations/extra_operations.h"
#include "analysis/iterations/what_differs.h"
#include "analysis/statistics/outlying.h"
#include "analysis/statistics/periodicity.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

constexpr size_t kLeastComparable = 8;
constexpr double kPeakChance = 1e-3;
/// The chance that single iterations stand apart: by their time, and by what they take beyond the lower quartile. Times
/// that are nearly alike but for a slowly falling tail stand apart in the first and not in the second.
constexpr double kSizeChance = 0.005;
constexpr double kExcessChance = 0.02;
/// Few iterations tell little of a tail. For the second test, one this many times as far from the quartile as all
/// others then suffices; in a tail that falls as the cube that is one run in a thousand. For several, a smaller factor
/// is as unlikely.
constexpr double kFarther = 12;
constexpr double kSeveralFarther = 2;
/// Of the loop's time that all of them take beyond the others; less is nothing to look at.
constexpr double kLeastExtraPct = 1;
/// Relative to the median period. Regular recurrence is reported from a tenth on, because it cannot be noise; single
/// iterations only if they take half as long again, because clocks, other programs and input lengths make them differ.
constexpr double kRegular = 0.1;
constexpr double kSingle = 0.5;
/// Extra operations in every k-th iteration are reported however short they are.
constexpr double kLeastTimes = 3;

/// Iterations whose device time cannot be compared: reported already, or of another input.
std::vector<bool> left_out_of_device(const DiagnosedLoop& loop) {
  std::vector<bool> left_out = loop.explained;
  for (size_t i = 0; i < left_out.size(); ++i) left_out[i] = left_out[i] || loop.inputs().is_unusual(i);
  return left_out;
}

/// One of the two parts of the time, without its trend; iterations that do not count have the median.
struct Part {
  std::vector<double> values;
  double median = 0;

  double excess(size_t i) const { return values[i] - median; }
};

Part part_of(const DiagnosedLoop& loop, const std::vector<double>& values, const std::optional<Trend>& trend,
             const std::vector<bool>& left_out) {
  Part part;
  std::vector<double> known;
  const auto last = static_cast<double>(values.size() - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const double place = static_cast<double>(i);
    part.values.push_back(trend ? values[i] + trend->slope * (last - place) : values[i]);
    if (i >= loop.warm_up && !std::isnan(values[i]) && !left_out[i]) known.push_back(part.values.back());
  }
  if (!known.empty()) part.median = evaluate({Statistic::Kind::kMedian, 0}, known);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i < loop.warm_up || std::isnan(values[i]) || left_out[i]) part.values[i] = part.median;
  }
  return part;
}

/// Iterations that stand out in a part, and what they take beyond the others.
struct Long {
  std::vector<uint32_t> iterations;
  std::vector<uint32_t> places;  // where they are regular: those that are not long too
  double extra = 0;              // ns, of all
  double most = 0;               // ns, of one
  double p_value = 1;
  std::optional<Periodicity> when;

  bool is_found() const { return !iterations.empty(); }
};

void sum_up(const Part& part, Long* found) {
  found->extra = 0;
  for (const uint32_t i : found->iterations) {
    found->extra += part.excess(i);
    found->most = std::max(found->most, part.excess(i));
  }
}

Long regular_in(const DiagnosedLoop& loop, const Part& part) {
  Long found;
  const std::span<const double> values(part.values.data() + loop.warm_up, part.values.size() - loop.warm_up);
  auto when = periodic_peaks(values, kPeakChance);
  if (!when) return found;
  when->phase = (when->phase + static_cast<uint32_t>(loop.warm_up)) % when->period;
  std::vector<double> excesses;
  for (size_t i = loop.warm_up; i < part.values.size(); ++i) {
    if (!when->has(i)) continue;
    found.iterations.push_back(static_cast<uint32_t>(i));
    excesses.push_back(part.excess(i));
  }
  sum_up(part, &found);
  const double typical = evaluate({Statistic::Kind::kMedian, 0}, excesses);
  if (typical < kRegular * loop.series.median_period || 100 * found.extra < kLeastExtraPct * loop.series.total)
    return {};
  found.places = found.iterations;
  std::erase_if(found.iterations, [&](uint32_t i) { return part.excess(i) < typical / 4; });
  sum_up(part, &found);
  found.p_value = when->p_value;
  found.when = when;
  return found;
}

Long single_in(const DiagnosedLoop& loop, const Part& part, size_t most) {
  // Next to intervals of nothing a microsecond would stand out: times are compared with these parts of the period.
  constexpr double kBeside = 0.02;
  constexpr double kBesideExcess = 1e-3;
  /// The largest excesses describe the tail: a fifth of all, or with few iterations those above the median.
  constexpr size_t kTail = 5;
  constexpr size_t kLeastTail = 10;
  const double period = std::max(loop.series.median_period, 1.0);
  std::vector<double> known(part.values.begin() + static_cast<ptrdiff_t>(loop.warm_up), part.values.end());
  const double quartile = evaluate({Statistic::Kind::kPercentile, 25}, known);
  std::vector<double> sizes;
  std::vector<double> excesses;
  for (size_t i = loop.warm_up; i < part.values.size(); ++i) {
    sizes.push_back(std::log(std::max(part.values[i], 0.0) + kBeside * period));
    excesses.push_back(std::log(std::max(part.values[i] - quartile, 0.0) + kBesideExcess * period));
  }
  const size_t half = sizes.size() / 2;
  const size_t tail = std::max(sizes.size() / kTail, std::min(half, kLeastTail));
  const Outlying by_size = outlying_of(sizes, half, most, kSizeChance);
  const Outlying by_excess = outlying_of(excesses, tail, most, kExcessChance);
  Long found;
  if (by_size.count == 0) return found;
  std::vector<double> sorted = known;
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(by_size.count + 1), sorted.end(),
                    std::greater<>());
  const double farther = std::max(std::pow(kFarther, 1 / static_cast<double>(by_size.count)), kSeveralFarther);
  const bool is_far = sorted[by_size.count - 1] - quartile >= farther * (sorted[by_size.count] - quartile);
  const size_t count = is_far ? by_size.count : std::min(by_size.count, by_excess.count);
  if (count == 0) return found;
  const double least = std::max(sorted[count - 1] - part.median, kSingle * period);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t at = i + loop.warm_up;
    if (part.excess(at) < least) continue;
    found.iterations.push_back(static_cast<uint32_t>(at));
  }
  sum_up(part, &found);
  if (100 * found.extra < kLeastExtraPct * loop.series.total) return {};
  found.p_value = by_size.p_value;
  return found;
}

/// All iterations that no check has reported.
std::vector<uint32_t> regular_iterations(const DiagnosedLoop& loop) {
  std::vector<uint32_t> regular;
  for (uint32_t i = 0; i < loop.series.size(); ++i) {
    if (!loop.explained[i] && !loop.stalled[i] && !loop.inputs().is_unusual(i)) regular.push_back(i);
  }
  return regular;
}

std::string differs(const DiagnosedLoop& loop, const std::vector<uint32_t>& iterations) {
  return difference_text(loop, difference_of(loop, iterations, regular_iterations(loop)));
}

double share(const DiagnosedLoop& loop, double ns) { return loop.series.total > 0 ? 100 * ns / loop.series.total : 0; }

/// "every 7th".
std::string every_text(uint32_t period) {
  const uint32_t ten = period % 100 / 10;
  const char* ending = ten == 1           ? "th"
                       : period % 10 == 1 ? "st"
                       : period % 10 == 2 ? "nd"
                       : period % 10 == 3 ? "rd"
                                          : "th";
  return period == 2 ? std::string("every other") : fmt::format("every {}{}", period, ending);
}

/// ", every 7th" if single iterations are evenly spaced, which by itself would be no finding.
std::string distance_text(const std::vector<uint32_t>& iterations) {
  if (iterations.size() < 3) return {};
  const uint32_t distance = iterations[1] - iterations[0];
  for (size_t i = 2; i < iterations.size(); ++i) {
    if (iterations[i] - iterations[i - 1] != distance) return {};
  }
  return ", " + every_text(distance);
}

void mark(const std::vector<uint32_t>& iterations, std::vector<bool>* marks) {
  for (const uint32_t i : iterations) (*marks)[i] = true;
}

bool has_optimizer(const Operations& operations, const std::vector<Symbol>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](Symbol symbol) { return operations.roles[symbol] == SymbolRole::kOptimizer; });
}

Diagnosis periodic_work(DiagnosedLoop* loop) {
  Diagnosis check{.id = "periodic_work", .threshold = kLeastTimes, .unit = "iterations", .has_value = true};
  const auto recurring = recurring_operations(*loop);
  Long by_time;
  if (!recurring) {
    const Part device = part_of(*loop, loop->series.device, loop->drift, left_out_of_device(*loop));
    by_time = regular_in(*loop, device);
    if (by_time.is_found()) {
      // If the CPU is late as regularly and by more, that is the fault.
      const Long host = regular_in(*loop, part_of(*loop, loop->series.host, loop->growth, loop->stalled));
      if (host.is_found() && host.when->period == by_time.when->period && host.extra > by_time.extra) {
        check.evidence =
            fmt::format("{} iteration is {} longer, but the interval before or after it grows more: see input_stall",
                        every_text(by_time.when->period), duration_text(by_time.most));
        return check;
      }
    }
  }
  if (!recurring && !by_time.is_found()) {
    check.evidence = "no operation or time recurs in every k-th iteration";
    return check;
  }
  const Periodicity& when = recurring ? recurring->when : *by_time.when;
  // A weight update after several iterations means accumulated gradients, which are intended.
  const bool accumulates = recurring && has_optimizer(loop->found.operations, recurring->symbols);
  check.found = !accumulates;
  check.iterations = recurring ? recurring->iterations : by_time.iterations;
  check.value = static_cast<double>(check.iterations.size());
  mark(check.iterations, &loop->explained);
  mark(by_time.places, &loop->explained);
  // The host's part of it may lie in the interval before it or after it.
  for (const uint32_t i : check.iterations) {
    loop->stalled[i] = true;
    if (i + 1 < loop->stalled.size()) loop->stalled[i + 1] = true;
  }
  check.evidence = fmt::format("{} iteration ({}; {} of {} of them, {})", every_text(when.period),
                               numbers_text(check.iterations), when.hits, when.places, significance_text(when.p_value));
  if (recurring) {
    constexpr size_t kNamed = 4;
    std::vector<std::string> names;
    for (const Symbol symbol : recurring->symbols) names.push_back(operation_name(*loop, symbol));
    const size_t count = names.size();
    if (names.size() > kNamed) names.resize(kNamed);
    check.evidence += fmt::format(" has operations that the others lack: {}", fmt::join(names, ", "));
    if (count > kNamed) check.evidence += fmt::format(" and {} others", count - kNamed);
    const Difference difference = difference_of(*loop, check.iterations, regular_iterations(*loop));
    double longer = difference.gaps + difference.host;
    for (const auto& operation : difference.operations) longer += operation.longer;
    check.evidence += fmt::format("; it takes {} {}", duration_text(std::fabs(longer)), longer < 0 ? "less" : "more");
  } else {
    check.evidence += fmt::format(" takes {} more, {:.1f} % of the loop's time",
                                  duration_text(by_time.extra / check.value), share(*loop, by_time.extra));
    const std::string what = differs(*loop, check.iterations);
    if (!what.empty()) check.evidence += ": " + what;
  }
  if (accumulates) {
    check.evidence += ": weights are updated only in these (gradient accumulation)";
    check.iterations.clear();
    return check;
  }
  check.advice = "do this less often, or without waiting for the result (logging, checkpoints, statistics)";
  return check;
}

Diagnosis input_stall(DiagnosedLoop* loop) {
  constexpr size_t kRecurring = 3;
  Diagnosis check{.id = "input_stall", .threshold = kLeastExtraPct, .unit = "%", .has_value = true};
  const Part host = part_of(*loop, loop->series.host, loop->growth, loop->stalled);
  Long found = regular_in(*loop, host);
  if (!found.is_found()) found = single_in(*loop, host, std::max<size_t>(loop->series.size() / 5, 2));
  check.value = share(*loop, found.extra);
  if (!found.is_found()) {
    const std::string median = duration_text(host.median);
    check.evidence = loop->has_device()
                         ? fmt::format("no interval stands out; the median wait for the CPU is {}", median)
                         : fmt::format("no interval stands out; the median is {}", median);
    return check;
  }
  if (found.iterations.size() < kRecurring) {
    check.evidence = fmt::format("{} with a long interval before: an outlier, not a pattern",
                                 iterations_text(found.iterations.size()));
    return check;
  }
  check.found = true;
  check.iterations = found.iterations;
  mark(found.iterations, &loop->stalled);
  mark(found.places, &loop->stalled);
  const std::string regularly = found.when ? ", " + every_text(found.when->period) : distance_text(found.iterations);
  const bool explains = regularly.empty();
  // Without a device nobody waits for the host: something that was not recorded ran between two iterations.
  const std::string median = duration_text(host.median);
  const std::string others =
      loop->has_device() ? fmt::format("which wait {} for the CPU", median) : fmt::format("which are {}", median);
  check.evidence =
      fmt::format("the interval before {}{} ({}) is {} longer than the others, {} ({}); {:.1f} % of the loop's time",
                  iterations_text(found.iterations.size()), regularly, numbers_text(found.iterations),
                  duration_text(found.extra / static_cast<double>(found.iterations.size())), others,
                  significance_text(found.p_value), check.value);
  check.advice = fmt::format(
      "{} {}", loop->has_device() ? "the CPU is late" : "the next iteration starts late",
      explains
          ? "occasionally: look at the input pipeline (slow files, long samples), garbage collection and other programs"
          : "regularly: a buffer of the input pipeline runs empty; use more workers or a longer "
            "prefetch");
  return check;
}

Diagnosis outliers(DiagnosedLoop* loop) {
  Diagnosis check{.id = "outliers", .threshold = 100 * kSingle, .unit = "%", .has_value = true};
  const size_t most = std::max<size_t>(loop->series.size() / 20, 2);
  const Part device = part_of(*loop, loop->series.device, loop->drift, left_out_of_device(*loop));
  const Part host = part_of(*loop, loop->series.host, loop->growth, loop->stalled);
  const Long by_device = single_in(*loop, device, most);
  const Long by_host = single_in(*loop, host, most);
  double largest = 0;
  for (size_t i = loop->warm_up; i < loop->series.size(); ++i) {
    largest = std::max(largest, device.excess(i) + host.excess(i));
  }
  check.value = loop->series.median_period > 0 ? 100 * largest / loop->series.median_period : 0;
  if (!by_device.is_found() && !by_host.is_found()) {
    check.evidence = fmt::format(
        "the longest iteration without another explanation takes {} more than the median, {}; it does not stand out, "
        "or adds less than {:.0f} % of the loop's time",
        duration_text(largest), duration_text(loop->series.median_period), kLeastExtraPct);
    return check;
  }
  check.found = true;
  check.iterations = by_device.iterations;
  check.iterations.insert(check.iterations.end(), by_host.iterations.begin(), by_host.iterations.end());
  std::sort(check.iterations.begin(), check.iterations.end());
  check.iterations.erase(std::unique(check.iterations.begin(), check.iterations.end()), check.iterations.end());
  mark(check.iterations, &loop->explained);
  mark(check.iterations, &loop->stalled);
  constexpr size_t kTold = 3;
  check.evidence =
      fmt::format("{} much longer than the median of {} ({}; {})",
                  check.iterations.size() == 1 ? "1 iteration is" : iterations_text(check.iterations.size()) + " are",
                  duration_text(loop->series.median_period), numbers_text(check.iterations),
                  significance_text(std::min(by_device.p_value, by_host.p_value)));
  for (size_t i = 0; i < check.iterations.size() && i < kTold; ++i) {
    const uint32_t odd = check.iterations[i];
    const std::string what = differs(*loop, {odd});
    check.evidence += fmt::format("; {} takes {} more", odd, duration_text(device.excess(odd) + host.excess(odd)));
    if (!what.empty()) check.evidence += ": " + what;
  }
  check.advice = "look at these iterations in the timeline";
  return check;
}

}  // namespace

void diagnose_recurrence(DiagnosedLoop* loop) {
  const size_t n = loop->series.size() - loop->warm_up;
  if (n < kLeastComparable || !(loop->series.median_period > 0)) {
    const std::string why =
        fmt::format("{} (at least {} are needed)", iterations_text(n, loop->noun()), kLeastComparable);
    loop->found_checks.push_back(unknown("periodic_work", kLeastTimes, "iterations", why));
    loop->found_checks.push_back(unknown("input_stall", kLeastExtraPct, "%", why));
    loop->found_checks.push_back(unknown("outliers", 100 * kSingle, "%", why));
    return;
  }
  const size_t comparable = loop->comparable();
  const std::string why = fmt::format("{} of the same input (at least {} are needed)",
                                      iterations_text(comparable, loop->noun()), kLeastComparable);
  const bool is_checked = comparable >= kLeastComparable;
  loop->found_checks.push_back(is_checked ? periodic_work(loop)
                                          : unknown("periodic_work", kLeastTimes, "iterations", why));
  loop->found_checks.push_back(input_stall(loop));
  loop->found_checks.push_back(is_checked ? outliers(loop) : unknown("outliers", 100 * kSingle, "%", why));
}

}  // namespace xsp::analysis
