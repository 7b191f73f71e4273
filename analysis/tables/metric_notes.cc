#include "analysis/tables/metric_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr std::pair<MetricFlag, std::string_view> kMeanings[] = {
    {kWinograd, "winograd: executes fewer multiplications than its arguments suggest"},
    {kFft, "fft: executes other operations than its arguments suggest"},
    {kL2Resident, "L2-resident: its data fits into the L2 cache, so DRAM traffic may be far below its bytes"},
    {kEmulated, "emulated: computes one product of a wide type by several of a narrower type"},
    {kShared, "shared: its operator also started helper kernels (auxiliary)"},
    {kSplit,
     "split: several kernels did the work of one operator; this row has all of it (the others: auxiliary), so "
     "throughput is known for the layer, not for each kernel"},
};

/// The kernel name with most time of which no work is known.
std::string longest_unknown(const Study& study) {
  const auto unknown = [](const NamedKernels& kernels) { return kernels.sum.latency_ns - kernels.sum.work.known_ns; };
  const auto names = sum_by_name(study);
  const auto most = std::max_element(names.begin(), names.end(),
                                     [&](const auto& a, const auto& b) { return unknown(a) < unknown(b); });
  if (most == names.end()) return {};
  return fmt::format("{} ({:.4g} ms)", demangled(study.trace.text(most->name)), unknown(*most) / kNsPerMs);
}

std::string source_note(MetricSource source) {
  if (source == MetricSource::kCounters) {
    return "flops, bytes and occupancy come from hardware counters (source: counters)";
  }
  return "flops and bytes are computed from the arguments of operators and library calls (source: analytic); bytes "
         "count each value once, so real memory traffic may be higher (and flop/byte lower); occupancy_pct needs "
         "counters: xsp-run --metrics roofline -- COMMAND";
}

/// How the counters met the kernels; empty where there are none, or all met.
std::string counter_note(const CounterJoin& join) {
  if (join.counted == 0) return {};
  if (join.joined == 0) {
    return fmt::format(
        "the counters of {} kernels match no kernel of the trace: they belong to other kernels or to another run",
        join.counted);
  }
  if (join.diverging == 0) return {};
  return fmt::format(
      "{} of {} counted kernels have another name than the kernel with their ordinal, first kernel {}: "
      "after it, only counters with a unique kernel name are used",
      join.diverging, join.counted, join.first_difference);
}

}  // namespace

std::vector<std::string> metric_notes(const Study& study) {
  const KernelSum all = sum_of(study, study.kernels.kernels);
  std::vector<std::string> notes;
  if (std::string note = counter_note(study.counters); !note.empty()) notes.push_back(std::move(note));
  if (all.work.source == MetricSource::kNone) {
    notes.emplace_back(
        "FLOPs and bytes are unknown, so gflops to memory_bound are empty: record with record_shapes=True (PyTorch), "
        "or run xsp-run --metrics roofline -- COMMAND");
    return notes;
  }
  notes.push_back(source_note(all.work.source));
  if (const uint64_t left = losses(study.trace, LossReason::kNotCounted); left != 0) {
    notes.push_back(fmt::format(
        "{} kernels were not measured, because they may wait for other kernels or ranks (such as NCCL's)", left));
  }
  const double known = all.latency_ns > 0 ? 100 * all.work.known_ns / all.latency_ns : 100;
  constexpr double kComplete = 99.95;
  notes.push_back(known >= kComplete
                      ? "FLOPs or bytes are known for 100 % of kernel time"
                      : fmt::format("FLOPs or bytes are known for {:.1f} % of kernel time; the longest without: {}",
                                    known, longest_unknown(study)));
  std::string meanings;
  for (const auto& [flag, meaning] : kMeanings) {
    if ((all.work.flags & flag) != 0) meanings += (meanings.empty() ? "flags: " : "; ") + std::string(meaning);
  }
  if (!meanings.empty()) notes.push_back(std::move(meanings));
  if (all.work.paired != all.work.with_flops || all.work.paired != all.work.with_bytes) {
    notes.push_back(
        fmt::format("arithmetic_intensity and roofs cover the {} of {} kernels whose flops and bytes are both known",
                    all.work.paired, std::max(all.work.with_flops, all.work.with_bytes)));
  }
  return notes;
}

std::vector<std::string> roof_notes(const Study& study) {
  std::map<const DevicePeaks*, std::array<bool, kDataTypes>> used;
  for (const JoinedKernel& kernel : study.kernels.kernels) {
    const DevicePeaks& peaks = study.roofs.of(study.trace, kernel.execution);
    used[&peaks][static_cast<size_t>(kernel.metrics.type)] |= kernel.metrics.flops > 0;
  }
  std::vector<std::string> notes;
  bool known = false;
  for (const auto& [peaks, types] : used) {
    const std::string device = peaks->device.empty() ? "a GPU that the trace does not describe" : peaks->device;
    std::string note;
    for (size_t i = 0; i < kDataTypes; ++i) {
      if (!types[i]) continue;
      const Peak& peak = peaks->flops[i];
      const auto type = static_cast<DataType>(i);
      const std::string_view name = type == DataType::kUnknown ? "of an unknown type" : name_of(type);
      note += peak.value > 0 ? fmt::format("{} {:.4g} TFLOPS ({}); ", name, peak.value / kFlopsPerTflop, peak.origin)
                             : fmt::format("{} not known; ", name);
    }
    if (peaks->bandwidth.value > 0) {
      note += fmt::format("memory {:.4g} GB/s ({})", peaks->bandwidth.value / kBytesPerGb, peaks->bandwidth.origin);
      known = true;
    } else {
      note += "memory not known (set with xsp-report --gpu NAME, or --peak-flops and --mem-bw)";
    }
    note = fmt::format("roofs of {}: {}", device, note);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  if (known) {
    notes.emplace_back(
        "peaks come from, in this order: --peak-flops and --mem-bw; the data sheet of the GPU or of --gpu; "
        "multiprocessors × clock × operations per clock");
  }
  return notes;
}

bool has_roofs(const Study& study) {
  const auto& kernels = study.kernels.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [&](const JoinedKernel& kernel) {
    return study.roofs.of(study.trace, kernel.execution).bandwidth.value > 0;
  });
}

}  // namespace xsp::analysis
