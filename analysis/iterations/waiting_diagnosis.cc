#include <fmt/format.h>

#include <algorithm>

#include "analysis/iterations/iteration_series.h"

namespace xsp::analysis {
namespace {

/// Copies of less than a tenth of the time are usual, and a device that is idle for less than a fifth is busy.
constexpr double kCopyPct = 10;
constexpr double kIdlePct = 20;
/// The paper (section V-B) calls 12 % of the interval copy-bound.
constexpr double kOverlapPct = 12;
/// "Much larger than avg_operation" (the paper, section V-B): an interval no longer than that is like the gaps inside.
constexpr double kMuchLarger = 3;
constexpr size_t kLeastIntervals = 2;

/// Where the time of the iterations goes that nothing else explains, ns.
struct Waits {
  size_t iterations = 0;
  double period = 0;
  double interval = 0;
  double to_device = 0;  // copies to the device within intervals
  double exposed = 0;    // copies inside iterations while nothing else runs
  double host = 0;       // within intervals nothing runs
  double gaps = 0;       // inside iterations nothing runs
  double longest = 0;    // of them the longest of each iteration
  double gap_count = 0;
};

Waits waits_of(const DiagnosedLoop& loop, bool all) {
  Waits waits;
  for (size_t i = 0; i < loop.metrics.size(); ++i) {
    const IterationMetrics& of = loop.metrics[i];
    if (!of.has_interval || (!all && (loop.explained[i] || loop.stalled[i]))) continue;
    ++waits.iterations;
    waits.period += static_cast<double>(of.period);
    waits.interval += static_cast<double>(of.interval);
    waits.to_device += static_cast<double>(of.to_device_in_interval);
    waits.exposed += static_cast<double>(of.copy - of.both);
    waits.host += static_cast<double>(of.interval - of.busy_in_interval);
    waits.gaps += static_cast<double>(of.operation_gaps);
    waits.longest += static_cast<double>(of.longest_gap);
    waits.gap_count += of.gaps;
  }
  return waits;
}

double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

Diagnosis copy_bound(const Waits& waits, std::string_view noun) {
  Diagnosis check{.id = "copy_bound", .threshold = kCopyPct, .unit = "%", .has_value = true};
  check.value = percent_of(waits.to_device + waits.exposed, waits.period);
  const double overlap = percent_of(waits.to_device, waits.interval);
  check.found = check.value >= kCopyPct && (overlap >= kOverlapPct || waits.exposed >= waits.to_device);
  const double n = static_cast<double>(waits.iterations);
  check.evidence = fmt::format(
      "the GPU waits {} of every {} {} for copies: {} for input copied before the {} ({:.0f} % of the time between "
      "two; the paper calls {:.0f} % or more copy-bound), {} inside with no kernel running",
      duration_text((waits.to_device + waits.exposed) / n), duration_text(waits.period / n), noun,
      duration_text(waits.to_device / n), noun, overlap, kOverlapPct, duration_text(waits.exposed / n));
  if (check.found) {
    check.advice =
        "copy less (smaller batch or type, data kept on the GPU), from pinned memory, and during the previous "
        "iteration";
  }
  return check;
}

/// With more of the time on other threads, what seems a gap between operations may be their time.
constexpr double kElsewherePct = 10;

Diagnosis host_bound(const DiagnosedLoop& loop, const Waits& waits, bool has_one_gap) {
  if (loop.found.operations.elsewhere_pct > kElsewherePct) {
    return unknown("host_bound", kIdlePct, "%",
                   fmt::format("{:.0f} % of the operations' time is on other threads than the one that is looked at",
                               loop.found.operations.elsewhere_pct));
  }
  Diagnosis check{.id = "host_bound", .threshold = kIdlePct, .unit = "%", .has_value = true};
  const double host = waits.host + (has_one_gap ? waits.longest : 0);
  check.value = percent_of(host, waits.period);
  const double n = static_cast<double>(waits.iterations);
  const double average_gap = waits.gap_count > 0 ? waits.gaps / waits.gap_count : 0;
  const std::string_view noun = loop.noun();
  const std::string_view idle = loop.has_device() ? "GPU idle" : "no operation of the loop runs for";
  const std::string between = fmt::format("between {}s", noun);
  const std::string one_gap = fmt::format("in one gap of each {}", noun);
  // The place with most idle time comes first.
  std::string where = between;
  if (has_one_gap && waits.host < waits.longest) {
    where = one_gap;
    if (waits.host > 0)
      where +=
          fmt::format(" ({}) and {} ({})", duration_text(waits.longest / n), between, duration_text(waits.host / n));
  } else if (has_one_gap) {
    where = fmt::format("{} ({}) and {} ({})", between, duration_text(waits.host / n), one_gap,
                        duration_text(waits.longest / n));
  }
  check.evidence = fmt::format("{} {} of every {} {}, {}", idle, duration_text(host / n),
                               duration_text(waits.period / n), noun, where);
  if (average_gap > 0) {
    check.evidence += fmt::format(" (gaps inside {} {}: {}{})", loop.found.are_steps ? "a" : "an", noun,
                                  duration_text(average_gap), has_one_gap ? " in the mean" : "");
  }
  const bool is_much_larger = has_one_gap || waits.host / n >= kMuchLarger * average_gap;
  check.found = check.value >= kIdlePct && is_much_larger && !loop.growth;
  if (check.value >= kIdlePct && !is_much_larger) {
    check.evidence += "; no more than the gaps inside: see launch_bound";
  } else if (loop.growth) {
    check.evidence += "; see graph_growth";
  } else if (check.found) {
    check.advice = loop.has_device() ? "move CPU work between iterations (reading and decoding input, logging, waiting "
                                       "for results) to other threads, or let it run ahead of the GPU"
                                     : "look at what runs between iterations apart from the recorded operations";
  }
  return check;
}

Diagnosis launch_bound(const Waits& waits, bool has_one_gap, std::string_view noun) {
  Diagnosis check{.id = "launch_bound", .threshold = kIdlePct, .unit = "%", .has_value = true};
  check.value = percent_of(waits.gaps - (has_one_gap ? waits.longest : 0), waits.period);
  check.found = check.value >= kIdlePct;
  const double n = static_cast<double>(waits.iterations);
  check.evidence =
      fmt::format("GPU idle {} of every {} {}, in {:.0f} gaps between its kernels, {} each",
                  duration_text(waits.gaps / n), duration_text(waits.period / n), noun, waits.gap_count / n,
                  duration_text(waits.gap_count > 0 ? waits.gaps / waits.gap_count : 0));
  if (has_one_gap) {
    check.evidence +=
        fmt::format("; {} of it is one gap, too long for a launch: see host_bound", duration_text(waits.longest / n));
  }
  if (check.found) check.advice = "use fewer and longer kernels: a larger batch, fused operators, CUDA graphs";
  return check;
}

}  // namespace

void diagnose_waiting(DiagnosedLoop* loop) {
  Waits waits = waits_of(*loop, false);
  if (waits.iterations < kLeastIntervals) waits = waits_of(*loop, true);
  const std::string few = fmt::format("{} with an interval before (at least {} are needed)",
                                      iterations_text(waits.iterations, loop->noun()), kLeastIntervals);
  const bool is_known = waits.iterations >= kLeastIntervals && waits.period > 0;
  const std::string no_device = "no GPU activity was recorded";
  if (!is_known || !loop->has_device()) {
    const std::string& why = loop->has_device() ? few : no_device;
    loop->found_checks.push_back(unknown("copy_bound", kCopyPct, "%", why));
    loop->found_checks.push_back(is_known ? host_bound(*loop, waits, false)
                                          : unknown("host_bound", kIdlePct, "%", few));
    loop->found_checks.push_back(unknown("launch_bound", kIdlePct, "%", why));
    return;
  }
  const bool has_one_gap = waits.gaps > 0 && waits.longest >= waits.gaps / 2;
  loop->found_checks.push_back(copy_bound(waits, loop->noun()));
  loop->found_checks.push_back(host_bound(*loop, waits, has_one_gap));
  loop->found_checks.push_back(launch_bound(waits, has_one_gap, loop->noun()));
}

}  // namespace xsp::analysis
