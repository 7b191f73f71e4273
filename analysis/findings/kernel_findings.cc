#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// Work must be known for most of the time, or the rest could say the opposite.
constexpr double kKnownPct = 80;
/// From a third on, faster memory or less traffic is worth more than faster arithmetic elsewhere.
constexpr double kMemoryBoundPct = 33;
/// Well-made kernels reach more than half of their roof, most of libraries' a third.
constexpr double kFarBelowRoofPct = 25;
/// Shorter kernels end before they fill a device, whatever their algorithm.
constexpr double kLongKernelMs = 0.02;
/// Of kernel time.
constexpr double kWorthKernelPct = 25;

struct KernelTime {
  double all_ms = 0;  // of the subject's kernels
  double known_ms = 0;
  double memory_ms = 0;
  size_t longest_memory = SIZE_MAX;  // row of A9
  double far_ms = 0;
  size_t longest_far = SIZE_MAX;
  std::string source;
};

KernelTime time_of(const Evidence& evidence) {
  const EvidenceTable kernels = evidence.table("A9");
  KernelTime time;
  double most_memory = 0;
  double most_far = 0;
  for (size_t row = 0; row < kernels.rows(); ++row) {
    const double latency = kernels.number(row, "latency_ms").value_or(0);
    time.all_ms += latency;
    const std::string bound = kernels.text(row, "bound");
    if (bound.empty()) continue;
    time.known_ms += latency;
    if (const std::string source = kernels.text(row, "source"); time.source.empty()) {
      time.source = source;
    } else if (time.source != source) {
      time.source = "mixed";
    }
    if (bound == "memory") {
      time.memory_ms += latency;
      if (latency > most_memory) {
        most_memory = latency;
        time.longest_memory = row;
      }
    }
    const auto pct = kernels.number(row, "pct_of_roof");
    if (!pct || *pct >= kFarBelowRoofPct || latency < kLongKernelMs) continue;
    time.far_ms += latency;
    if (latency > most_far) {
      most_far = latency;
      time.longest_far = row;
    }
  }
  // A9 has the longest kernels of a very long trace; A10 sums all.
  time.all_ms = std::max(time.all_ms, evidence.table("A10").sum("latency_ms").value_or(0));
  return time;
}

std::string told_by(const KernelTime& time) {
  const std::string known = fmt::format("work known for {} % of it", percent_text(100 * time.known_ms / time.all_ms));
  if (time.source == "analytic") return known + ", from the arguments of operators";
  if (time.source == "counters") return known + ", from counters";
  return known + ", from counters and arguments";
}

void add_memory_bound(const Evidence& evidence, const KernelTime& time, std::vector<Finding>* findings) {
  const EvidenceTable kernels = evidence.table("A9");
  const double pct = 100 * time.memory_ms / time.all_ms;
  if (!(pct >= kMemoryBoundPct)) return;
  findings->push_back(
      {.id = "memory-bound",
       .text = fmt::format("{} % of GPU kernel time is memory-bound ({})", percent_text(pct), told_by(time)),
       .advice = "move fewer bytes: fuse element-wise operators, use smaller data types",
       .value = pct,
       .unit = "%",
       .table = "A9",
       .column = "kernel_name",
       .key = kernels.text(time.longest_memory, "kernel_name"),
       .weight = pct / 100 * evidence.share_of_model(time.all_ms)});
}

void add_below_roof(const Evidence& evidence, const KernelTime& time, std::vector<Finding>* findings) {
  const EvidenceTable kernels = evidence.table("A9");
  const double pct = 100 * time.far_ms / time.all_ms;
  if (!(pct >= kWorthKernelPct)) return;
  const std::string name = kernels.text(time.longest_far, "kernel_name");
  findings->push_back(
      {.id = "below-roof",
       .text =
           fmt::format("{} % of GPU kernel time is in kernels of {:.0f} µs or more that reach less than {:.0f} % of "
                       "their roof; the longest, {}, reaches {} %",
                       percent_text(pct), kLongKernelMs * 1e3, kFarBelowRoofPct, name_in_sentence(name),
                       percent_text(kernels.number(time.longest_far, "pct_of_roof").value_or(0))),
       .advice = "another algorithm, data type or layout may do the same work faster",
       .value = pct,
       .unit = "%",
       .table = "A9",
       .column = "kernel_name",
       .key = name,
       .weight = pct / 100 * evidence.share_of_model(time.all_ms)});
}

void add_dominant_kernel(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable kernels = evidence.table("A10");
  const auto top = kernels.largest("latency_ms");
  if (!top || kernels.rows() < 2) return;
  const double pct = kernels.number(*top, "kernel_pct").value_or(0);
  if (!(pct >= kWorthKernelPct)) return;
  const double latency = *kernels.number(*top, "latency_ms");
  const std::string name = kernels.text(*top, "kernel_name");
  findings->push_back({.id = "bottleneck-kernel",
                       .text = fmt::format("one kernel, {}, takes {} % of GPU kernel time ({}, {})",
                                           name_in_sentence(name), percent_text(pct), time_text(latency),
                                           times_text(kernels.number(*top, "count").value_or(0))),
                       .advice = {},
                       .value = pct,
                       .unit = "%",
                       .table = "A10",
                       .column = "kernel_name",
                       .key = name,
                       .weight = evidence.has_evaluations() ? evidence.share_of_model(latency) : pct / 100});
}

}  // namespace

void add_kernel_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_dominant_kernel(evidence, findings);
  const KernelTime time = time_of(evidence);
  if (!(time.known_ms > 0) || !(100 * time.known_ms / time.all_ms >= kKnownPct)) return;
  add_memory_bound(evidence, time, findings);
  add_below_roof(evidence, time, findings);
}

}  // namespace xsp::analysis
