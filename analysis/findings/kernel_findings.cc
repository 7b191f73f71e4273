#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/findings/families.h"
#include "analysis/tables/kernel_roofline.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/kernels_by_name.h"
#include "proto/communication_kernels.h"

namespace xsp::analysis {
namespace {

/// Work must be known for most of the time, or else the rest could say the opposite.
constexpr double kKnownPct = 80;
/// From a third on, faster memory or less traffic is worth more than faster arithmetic elsewhere.
constexpr double kMemoryBoundPct = 33;
/// From here on the memory is what a kernel waits for.
constexpr double kNearRoofPct = 40;
/// Well-made kernels reach more than half of their roof, most of libraries' a third.
constexpr double kFarBelowRoofPct = 25;
/// Shorter kernels end before they fill a device, whatever their algorithm.
constexpr double kLongKernelMs = 0.02;
/// Of kernel time.
constexpr double kWorthKernelPct = 25;
/// Of kernel time, beyond what the roof allows.
constexpr double kWorthWastedPct = 5;

struct KernelTime {
  double all_ms = 0;  // of the subject's kernels
  double known_ms = 0;
  double memory_ms = 0;
  size_t longest_memory = SIZE_MAX;  // row of A9
  std::string source;
};

KernelTime time_of(const Evidence& evidence) {
  const TableCells kernels = evidence.table(kA9);
  KernelTime time;
  double most_memory = 0;
  for (size_t row = 0; row < kernels.rows(); ++row) {
    const double latency = kernels.number(row, kA9.latency_ms).value_or(0);
    time.all_ms += latency;
    const std::string bound = kernels.text(row, kA9.roof.bound);
    if (bound.empty()) continue;
    time.known_ms += latency;
    if (const std::string source = kernels.text(row, kA9.source); time.source.empty()) {
      time.source = source;
    } else if (time.source != source) {
      time.source = "mixed";
    }
    // A kernel far below the bandwidth is held back by something else.
    if (bound == "memory" && kernels.number(row, kA9.roof.pct_of_roof).value_or(0) >= kNearRoofPct) {
      time.memory_ms += latency;
      if (latency > most_memory) {
        most_memory = latency;
        time.longest_memory = row;
      }
    }
  }
  // A9 has the longest kernels of a very long trace; A10 sums all.
  time.all_ms = std::max(time.all_ms, evidence.table(kA10).sum(kA10.latency_ms).value_or(0));
  return time;
}

std::string told_by(const KernelTime& time) {
  const std::string known =
      fmt::format("FLOPs and bytes known for {} % of it", percent_text(100 * time.known_ms / time.all_ms));
  if (time.source == "analytic") return known + ", from operator arguments";
  if (time.source == "counters") return known + ", from counters";
  return known + ", from counters and arguments";
}

void tell_share(const Evidence& evidence, double ms, Finding* finding) {
  const auto step = evidence.step_ms();
  if (!step || !evidence.has_evaluations()) return;
  finding->share_pct = 100 * ms / *step;
  finding->share_of = std::string(evidence.step_word());
}

void add_memory_bound(const Evidence& evidence, const KernelTime& time, std::vector<Finding>* findings) {
  const TableCells kernels = evidence.table(kA9);
  const double pct = 100 * time.memory_ms / time.all_ms;
  if (!(pct >= kMemoryBoundPct)) return;
  findings->push_back({.id = "memory-bound",
                       .text = fmt::format("Memory-bound: {} of {} of kernel time ({}; {})", short_time(time.memory_ms),
                                           short_time(time.all_ms), share_text(pct), told_by(time)),
                       .advice = "move fewer bytes: fuse element-wise operators, use smaller data types",
                       .value = pct,
                       .unit = "%",
                       .table = std::string(kA9.id),
                       .column = std::string(kA9.kernel_name.name),
                       .key = kernels.text(time.longest_memory, kA9.kernel_name),
                       .weight = pct / 100 * evidence.share_of_step(time.all_ms)});
  tell_share(evidence, time.memory_ms, &findings->back());
}

/// Kernels of one name that stay far below their roof, by what they waste: latency × (1 - pct_of_roof).
struct FarKernels {
  double latency_ms = 0;
  double wasted_ms = 0;
  double least_pct = 100;
  size_t row = SIZE_MAX;  // of A9: the longest
  double longest_ms = 0;
};

std::map<std::string, FarKernels> far_kernels(const TableCells& kernels) {
  std::map<std::string, FarKernels> far;
  for (size_t row = 0; row < kernels.rows(); ++row) {
    const auto pct = kernels.number(row, kA9.roof.pct_of_roof);
    const double latency = kernels.number(row, kA9.latency_ms).value_or(0);
    if (!pct || !(*pct < kFarBelowRoofPct) || latency < kLongKernelMs) continue;
    const std::string name = kernels.text(row, kA9.kernel_name);
    // They wait for other ranks, and no algorithm changes that.
    if (wire::is_communication_kernel(name)) continue;
    FarKernels& of_name = far[name];
    of_name.latency_ms += latency;
    of_name.wasted_ms += latency * (1 - *pct / 100);
    of_name.least_pct = std::min(of_name.least_pct, *pct);
    if (latency <= of_name.longest_ms) continue;
    of_name.longest_ms = latency;
    of_name.row = row;
  }
  return far;
}

/// If the device idles, shorter kernels shorten the step only by the part in which they run.
double part_that_counts(const Evidence& evidence) {
  const auto row = evidence.subject_kernels();
  if (!row) return 1;
  return std::clamp(evidence.table(kA15).number(*row, kA15.gpu_busy_pct).value_or(100) / 100, 0.0, 1.0);
}

void add_below_roof(const Evidence& evidence, const KernelTime& time, std::vector<Finding>* findings) {
  const TableCells kernels = evidence.table(kA9);
  const auto far = far_kernels(kernels);
  const FarKernels* worst = nullptr;
  double wasted = 0;
  double latency = 0;
  for (const auto& [name, of_name] : far) {
    wasted += of_name.wasted_ms;
    latency += of_name.latency_ms;
    if (worst == nullptr || of_name.wasted_ms > worst->wasted_ms) worst = &of_name;
  }
  if (worst == nullptr || !(100 * wasted / time.all_ms >= kWorthWastedPct)) return;
  const std::string name = kernels.text(worst->row, kA9.kernel_name);
  const double pct = 100 * latency / time.all_ms;
  std::string text = fmt::format(
      "Kernels far below their roof: {} of {} of kernel time ({}) is in kernels of {:.0f} µs or longer that reach less "
      "than {:.0f} % of it; the worst, {}, reaches {} and takes {}",
      short_time(latency), short_time(time.all_ms), share_text(pct), 1e3 * kLongKernelMs, kFarBelowRoofPct,
      name_in_sentence(name), share_text(worst->least_pct), short_time(worst->latency_ms));
  findings->push_back({.id = "below-roof",
                       .text = std::move(text),
                       .advice = "another algorithm, data type or layout may do the same work faster",
                       .value = pct,
                       .unit = "%",
                       .table = std::string(kA9.id),
                       .column = std::string(kA9.kernel_name.name),
                       .key = name,
                       .weight = std::min(0.99, evidence.share_of_step(latency))});
  tell_share(evidence, latency, &findings->back());
  if (evidence.has_evaluations()) findings->back().gain_ms = wasted * part_that_counts(evidence);
}

void add_dominant_kernel(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells kernels = evidence.table(kA10);
  const auto top = kernels.largest(kA10.latency_ms);
  if (!top || kernels.rows() < 2) return;
  const double pct = kernels.number(*top, kA10.kernel_pct).value_or(0);
  if (!(pct >= kWorthKernelPct)) return;
  const double latency = *kernels.number(*top, kA10.latency_ms);
  const std::string name = kernels.text(*top, kA10.kernel_name);
  findings->push_back(
      {.id = "bottleneck-kernel",
       .text = fmt::format("One kernel, {}, takes {} of kernel time ({}, {})", name_in_sentence(name), share_text(pct),
                           short_time(latency), times_text(kernels.number(*top, kA10.count).value_or(0))),
       .advice = {},
       .value = pct,
       .unit = "%",
       .table = std::string(kA10.id),
       .column = std::string(kA10.kernel_name.name),
       .key = name,
       .weight = evidence.has_evaluations() ? evidence.share_of_step(latency) : pct / 100});
  tell_share(evidence, latency, &findings->back());
}

}  // namespace

void add_kernel_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_dominant_kernel(evidence, findings);
  const KernelTime time = time_of(evidence);
  if (!(time.known_ms > 0)) return;
  add_below_roof(evidence, time, findings);
  if (100 * time.known_ms / time.all_ms >= kKnownPct) add_memory_bound(evidence, time, findings);
}

}  // namespace xsp::analysis
