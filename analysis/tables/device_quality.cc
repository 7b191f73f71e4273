/// The part of Q1 that is about devices.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/study/process_labels.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/quality_rows.h"
#include "analysis/trace/untimed_segments.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostListed = 20;

std::string_view gap_reason(GapReason reason) {
  switch (reason) {
    case GapReason::kOtherProfiler:
      return "another profiler used CUPTI";
    case GapReason::kOutsideRange:
      return "outside the range to record (--range, --delay, --duration)";
    case GapReason::kNoCallbacks:
      return "recorded without callbacks: kernels of graphs captured then are in no layer";
    case GapReason::kCuptiFailed:
      return "CUPTI hit a fatal error and shut itself down";
    case GapReason::kNotStored:
    case GapReason::kNotSampled:
    case GapReason::kUnspecified:
      break;
  }
  return "not recorded";
}

/// Times are counted from the start of the process.
void add_gap(const Trace& trace, const Gap& gap, QualityRows* rows) {
  const Process& process = trace.processes[gap.process];
  const int64_t end = gap.end == 0 ? process.end_ns : gap.end;
  std::string note(gap_reason(gap.reason));
  if (!gap.detail.empty()) note += ": " + gap.detail;
  note += fmt::format("; {}, from {:.3f} ms after its start", process_label(trace, gap.process),
                      static_cast<double>(gap.begin - process.start_ns) / kNsPerMs);
  if (gap.end == 0) note += " to its end";
  rows->add("gap_ms", kLevelNames[static_cast<size_t>(gap.level)],
            end < gap.begin ? Cell() : cell(static_cast<double>(end - gap.begin) / kNsPerMs), std::move(note));
}

void add_gaps(const Trace& trace, QualityRows* rows) {
  add_summed_gaps(trace, rows);
  size_t single = 0;
  double rest = 0;
  for (const Gap& gap : trace.gaps) {
    if (is_summed_up(gap.reason)) continue;
    if (++single <= kMostListed) {
      add_gap(trace, gap, rows);
    } else if (gap.end != 0) {
      rest += static_cast<double>(gap.end - gap.begin);
    }
  }
  if (single <= kMostListed) return;
  rows->add("gap_ms", "all", cell(rest / kNsPerMs), fmt::format("{} more gaps, not listed", single - kMostListed));
}

std::string device_text(const Device& device) {
  std::string text = device.name.empty() ? "name not known" : device.name;
  constexpr size_t kShownUuid = 12;  // "GPU-8e0d4f3a"
  if (device.uuid.starts_with("GPU-")) text += ", " + device.uuid.substr(0, kShownUuid);
  if (device.compute_capability_major != 0) {
    text += fmt::format(", compute capability {}.{}", device.compute_capability_major, device.compute_capability_minor);
  }
  if (device.multiprocessors != 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  if (device.memory_bytes != 0) text += fmt::format(", {:.1f} GB", static_cast<double>(device.memory_bytes) / 1e9);
  if (device.driver_version != 0) {
    text += fmt::format(", driver for CUDA {}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10);
  }
  if (device.cupti_version != 0) text += fmt::format(", CUPTI {}", device.cupti_version);
  return text;
}

/// One row for each device, whatever the number of processes that used it: by its UUID, for ranks that see one device
/// each call it 0; else by number and text.
void add_devices(const Trace& trace, QualityRows* rows) {
  std::vector<std::tuple<uint32_t, std::string, std::string>> devices;
  for (const Device& device : trace.devices) {
    std::tuple entry(device.index, device_text(device), device.uuid);
    const bool is_known = std::any_of(devices.begin(), devices.end(), [&](const auto& other) {
      return device.uuid.empty() ? other == entry : std::get<2>(other) == device.uuid;
    });
    if (!is_known) devices.push_back(std::move(entry));
    if (devices.size() == kMostListed) break;
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  for (auto& [index, text, uuid] : devices) rows->add("device", "device", count_cell(index), std::move(text));
}

void add_clock(const Trace& trace, QualityRows* rows) {
  uint64_t error = 0;
  bool known = false;
  for (const Process& process : trace.processes) {
    error = std::max(error, process.device_clock_error_ns);
    known |= process.has_device_clock;
  }
  if (known) rows->add("clock_error_ns", "device", count_cell(error), "of CUPTI's clock");
}

void add_serialised(const Trace& trace, QualityRows* rows) {
  const auto is_untimed = [](const Segment& segment) { return is_serialised(segment) || is_counted(segment); };
  const bool nothing_else = std::all_of(trace.segments.begin(), trace.segments.end(), is_untimed);
  uint64_t serialised = 0;
  for (const Process& process : trace.processes) {
    if (!nothing_else && is_untimed(trace.segments[process.segment])) continue;
    const std::string* blocking = process.variable("CUDA_LAUNCH_BLOCKING");
    serialised += blocking != nullptr && *blocking == "1" ? 1 : 0;
  }
  if (serialised == 0 && trace.executions.size() == 0) return;
  rows->add("serialised", "all", count_cell(serialised),
            serialised == 0 ? ""
                            : "processes whose launches waited for their kernels (CUDA_LAUNCH_BLOCKING, xsp-run "
                              "--serialize): this changes latencies");
}

}  // namespace

void add_match_rows(const Study& study, QualityRows* rows) {
  const uint64_t inverted = losses(study.trace, LossReason::kInverted);
  const uint64_t launches = study.executions.without_execution;
  const uint64_t executions = study.executions.without_launch;
  rows->add("inverted", "all", count_cell(inverted), inverted == 0 ? "" : "end before their begin; left out");
  const auto& processes = study.trace.processes;
  const auto unrecorded = std::count_if(processes.begin(), processes.end(), [](const Process& process) {
    return process.said_hello && !process.records_kernels();
  });
  rows->add("unmatched_launch", "all", count_cell(launches),
            launches == 0
                ? unrecorded == 0 ? "" : "kernels were not recorded (xsp-run --activities)"
                : "their kernels or graphs are not in the trace: dropped, or not delivered before the process ended");
  if (launches != 0) rows->add("launches", "all", count_cell(study.executions.launches), "of kernels and graphs");
  if (study.executions.ahead != 0) {
    rows->add("launched_ahead", "all", count_cell(study.executions.ahead),
              "launches that the GPU had not reached when the recording ended");
    rows->add("ahead_ms", "all", cell(static_cast<double>(study.executions.ahead_ns) / kNsPerMs),
              "from the last launch whose kernel ran to the very last launch");
  }
  rows->add("unmatched_execution", "all", count_cell(executions),
            executions == 0 ? ""
                            : "kernels, copies and memsets whose launch is not in the trace (dropped, or not "
                              "recorded); they belong to no layer");
}

void add_device_rows(const Study& study, QualityRows* rows) {
  const Trace& trace = study.trace;
  if (const uint64_t nodes = losses(trace, LossReason::kGraphNodes); nodes != 0) {
    rows->add("graph_nodes_lost", "device", count_cell(nodes),
              "graph nodes that had no room: their kernels have a launch but no layer");
  }
  if (const uint64_t lost = losses(trace, LossReason::kCounters); lost != 0) {
    rows->add("counters_lost", "device", count_cell(lost),
              "kernels whose counters were lost or could not be matched to them");
  }
  if (const uint64_t left = losses(trace, LossReason::kNotCounted); left != 0) {
    rows->add("not_counted", "device", count_cell(left),
              "kernels that may wait for other kernels or ranks (such as NCCL's): they ran unmeasured");
  }
  add_clock(trace, rows);
  add_gaps(trace, rows);
  add_devices(trace, rows);
  add_serialised(trace, rows);
}

}  // namespace xsp::analysis
