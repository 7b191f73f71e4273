#include "analysis/tables/kernel_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/waves/kernel_fills.h"
#include "analysis/waves/kernel_kinds.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

struct WaveRange {
  double from;
  double to;
  std::string_view text;
};
constexpr std::array kRanges = {
    WaveRange{0, 0.25, "below 0.25"}, WaveRange{0.25, 0.5, "0.25 to 0.5"},
    WaveRange{0.5, 1, "0.5 to 1"},    WaveRange{1, 2, "1 to 2"},
    WaveRange{2, 4, "2 to 4"},        WaveRange{4, 8, "4 to 8"},
    WaveRange{8, 16, "8 to 16"},      WaveRange{16, kEndless, "16 or more"},
};

constexpr std::array kLimits = {OccupancyLimit::kWarps, OccupancyLimit::kBlocks, OccupancyLimit::kRegisters,
                                OccupancyLimit::kSharedMemory};

constexpr std::array kProblems = {FillProblem::kNone, FillProblem::kConfiguration, FillProblem::kDevice,
                                  FillProblem::kCluster, FillProblem::kTooLarge};

struct WaveSum {
  size_t count = 0;
  double latency_ns = 0;
  double tail_ns = 0;

  void add(double latency, double tail) {
    ++count;
    latency_ns += latency;
    tail_ns += tail;
  }
};

double tail_ns(const JoinedKernel& kernel, const KernelFill& fill) {
  return kernel.latency_ns * (1 - fill.waves.used_pct / 100);
}

/// Part of the multiprocessors that have a block.
double sms_used(const KernelFill& fill) {
  return std::min(1.0, static_cast<double>(fill.shape.blocks) / fill.device.multiprocessors);
}

/// Sums over all kernels under study, also where the table has the longest only.
struct WaveSums {
  WaveSum all;  // but communication
  WaveSum communication;
  WaveSum persistent;
  WaveSum few_blocks;  // fewer than multiprocessors, not persistent; their tail is that of idle multiprocessors
  WaveSum known;
  WaveSum below_one;
  std::array<WaveSum, kRanges.size()> by_range;
  std::array<WaveSum, kLimits.size()> by_limit;
  std::array<WaveSum, kProblems.size()> by_problem;
  bool without_clusters = false;  // kernels of a GPU that has clusters, in a profile that tells of none

  void add(const JoinedKernel& kernel, const KernelFill& fill, KernelRole role) {
    if (role == KernelRole::kCommunicates) {
      communication.add(kernel.latency_ns, 0);
      return;
    }
    all.add(kernel.latency_ns, 0);
    by_problem[static_cast<size_t>(fill.problem)].add(kernel.latency_ns, 0);
    if (fill.problem != FillProblem::kNone) return;
    constexpr uint32_t kFirstWithClusters = 90;
    without_clusters |= fill.device.limits->capability >= kFirstWithClusters;
    const double tail = tail_ns(kernel, fill);
    known.add(kernel.latency_ns, tail);
    if (fill.waves.waves < 1) below_one.add(kernel.latency_ns, tail);
    if (role == KernelRole::kIsPersistent) {
      persistent.add(kernel.latency_ns, tail);
    } else if (const double used = sms_used(fill); used < 1) {
      few_blocks.add(kernel.latency_ns, kernel.latency_ns * (1 - used));
    }
    size_t range = 0;
    while (range + 1 < kRanges.size() && fill.waves.waves >= kRanges[range].to) ++range;
    by_range[range].add(kernel.latency_ns, tail);
    by_limit[static_cast<size_t>(fill.occupancy.limited_by)].add(kernel.latency_ns, tail);
  }
};

class WaveRows {
 public:
  WaveRows(const Study& study, KernelFills* fills, KernelRoles* roles)
      : study_(study), trace_(study.trace), names_(trace_), layers_(study), fills_(*fills), roles_(*roles) {}

  void add(const JoinedKernel& kernel, Table* table) {
    const Row span = trace_.executions.row[kernel.execution];
    const KernelLayer layer = layers_.of(kernel);
    TableRow row = table->add_row();
    row.set(kR1.kernel_name, text_cell(names_.text(trace_.spans.name[span])));
    row.set(kR1.layer_index, layer_index(layer));
    row.set(kR1.layer_name, text_cell(trace_.text(layer.name)));
    row.set(kR1.stream, count_cell(trace_.queues[trace_.executions.queue[kernel.execution]].stream));
    row.set(kR1.latency_ms, cell(kernel.latency_ns / kNsPerMs));
    row.set(kR1.kind, text_cell(name_of(roles_.of(kernel))));
    const KernelFill& fill = fills_.of(kernel);
    if (fill.device.multiprocessors != 0) row.set(kR1.sms, count_cell(fill.device.multiprocessors));
    if (fill.has_shape) {
      row.set(kR1.grid_blocks, count_cell(fill.shape.blocks));
      row.set(kR1.block_threads, count_cell(fill.shape.threads));
      if (fill.device.multiprocessors != 0) row.set(kR1.sms_used_pct, cell(100 * sms_used(fill)));
    }
    if (fill.problem != FillProblem::kNone) return;
    row.set(kR1.blocks_per_sm, count_cell(fill.occupancy.blocks_per_sm));
    row.set(kR1.limited_by, std::string(name_of(fill.occupancy.limited_by)));
    row.set(kR1.waves, cell(fill.waves.waves));
    row.set(kR1.used_pct, cell(fill.waves.used_pct));
    row.set(kR1.tail_ms, cell(tail_ns(kernel, fill) / kNsPerMs));
    row.set(kR1.occupancy_limit_pct, cell(fill.occupancy.limit_pct));
    row.set(kR1.occupancy_est_pct, cell(fill.waves.occupancy_pct));
  }

 private:
  const Study& study_;
  const Trace& trace_;
  KernelNames names_;
  KernelLayers layers_;
  KernelFills& fills_;
  KernelRoles& roles_;
};

Table histogram_of(const WaveSums& sums) {
  Table table = make_table(kR1Waves);
  const auto add = [&](std::string_view text, const WaveSum& sum) {
    TableRow row = table.add_row();
    row.set(kR1Waves.waves, std::string(text));
    row.set(kR1Waves.kernels, count_cell(sum.count));
    row.set(kR1Waves.latency_ms, cell(sum.latency_ns / kNsPerMs));
    row.set(kR1Waves.latency_pct, percent(sum.latency_ns, sums.all.latency_ns + sums.communication.latency_ns));
    return row;
  };
  for (size_t i = 0; i < kRanges.size(); ++i) {
    add(kRanges[i].text, sums.by_range[i]).set(kR1Waves.tail_ms, cell(sums.by_range[i].tail_ns / kNsPerMs));
  }
  const WaveSum unknown{.count = sums.all.count - sums.known.count,
                        .latency_ns = sums.all.latency_ns - sums.known.latency_ns};
  if (unknown.count != 0) add(wave_ranges::kNotKnown, unknown);
  if (sums.communication.count != 0) add(wave_ranges::kCommunication, sums.communication);
  return table;
}

void add_extras(const WaveSums& sums, Table* table) {
  const double known = sums.known.latency_ns;
  table->extras.push_back(
      {std::string(wave_extras::kSums),
       {{std::string(wave_extras::kKernelMs), cell(sums.all.latency_ns / kNsPerMs)},
        {std::string(wave_extras::kKnownPct), percent(known, sums.all.latency_ns)},
        {std::string(wave_extras::kBelowOnePct), percent(sums.below_one.latency_ns, known)},
        {std::string(wave_extras::kIdleSlotsPct), percent(sums.known.tail_ns, known)},
        {std::string(wave_extras::kFewBlocksPct), percent(sums.few_blocks.latency_ns, known)},
        {std::string(wave_extras::kIdleSmsPct), percent(sums.few_blocks.tail_ns, known)},
        {std::string(wave_extras::kKernels), count_cell(sums.all.count)},
        {std::string(wave_extras::kCommunicationMs), cell(sums.communication.latency_ns / kNsPerMs)}}});
  Extra limits{std::string(wave_extras::kLimits)};
  for (const OccupancyLimit limit : kLimits) {
    limits.fields.emplace_back(name_of(limit), percent(sums.by_limit[static_cast<size_t>(limit)].latency_ns, known));
  }
  table->extras.push_back(std::move(limits));
}

std::string_view text_of(FillProblem problem) {
  switch (problem) {
    case FillProblem::kNone:
      break;
    case FillProblem::kConfiguration:
      return "the trace lacks their grid, block, registers or shared memory, or these differ between calls";
    case FillProblem::kDevice:
      return "the compute capability or the multiprocessors of their GPU are not known (if the trace does not "
             "name the GPU, give it, e.g. --gpu H100)";
    case FillProblem::kCluster:
      return "their blocks are launched in clusters, which are placed together";
    case FillProblem::kTooLarge:
      return "no multiprocessor of their GPU holds one of their blocks, so their launch is recorded wrongly";
  }
  return {};
}

void add_wave_notes(const Study& study, const WaveSums& sums, Table* table) {
  for (const FillProblem problem : kProblems) {
    const WaveSum& sum = sums.by_problem[static_cast<size_t>(problem)];
    if (problem == FillProblem::kNone || sum.count == 0) continue;
    table->notes.push_back(fmt::format("waves of {} not known ({:.3g} % of kernel time): {}",
                                       plural(sum.count, "kernel"), 100 * sum.latency_ns / sums.all.latency_ns,
                                       text_of(problem)));
  }
  if (sums.communication.count != 0) {
    table->notes.push_back(
        fmt::format("{} ({:.3g} ms) {} data between ranks: their waves are in no sum, as few blocks are meant to "
                    "leave the GPU to others",
                    plural(sums.communication.count, "kernel"), sums.communication.latency_ns / kNsPerMs,
                    sums.communication.count == 1 ? "moves" : "move"));
  }
  if (sums.known.count == 0) return;
  if (sums.below_one.count != 0) {
    table->notes.push_back(fmt::format(
        "{:.3g} % of kernel time is in kernels that launch less than one wave of blocks; they use {:.3g} % of the "
        "block slots; the rest is an upper bound of what could be saved, since a block is faster where fewer share its "
        "multiprocessor",
        100 * sums.below_one.latency_ns / sums.known.latency_ns,
        100 * (1 - sums.below_one.tail_ns / sums.below_one.latency_ns)));
  }
  table->notes.emplace_back(
      "tail_ms is an upper bound, too: it assumes that all blocks of a kernel take equally long, however many share a "
      "multiprocessor, and that the kernel has the GPU for itself");
  if (sums.persistent.count != 0) {
    table->notes.push_back(fmt::format(
        "{} ({:.3g} % of kernel time) {} persistent by name: each of the blocks works on several tiles, so that the "
        "grid and the waves say little of the work",
        plural(sums.persistent.count, "kernel"), 100 * sums.persistent.latency_ns / sums.known.latency_ns,
        sums.persistent.count == 1 ? "is" : "are"));
  }
  if (sums.without_clusters && has_profile_of(study.trace, "kineto")) {
    table->notes.emplace_back(
        "profiles of PyTorch do not tell which kernels are launched in clusters: all are taken as launched without");
  }
  table->notes.emplace_back("rows are in order of execution; --top N shows those with the longest tail_ms first");
}

/// What is said of FLOPs and bytes says nothing of this table.
void leave_out_metric_notes(const Study& study, Table* table) {
  if (!study.kernel_metric_notes) return;
  const std::vector<std::string>& metric = *study.kernel_metric_notes;
  std::erase_if(table->notes,
                [&](const std::string& note) { return std::find(metric.begin(), metric.end(), note) != metric.end(); });
}

}  // namespace

Table kernel_waves(const Study& study) {
  Table table = make_table(kR1, study);
  const auto& kernels = study.kernels.kernels;
  KernelFills fills(study.trace, study.roofs, study.options.peaks.gpu);
  KernelRoles roles(study.trace);
  WaveSums sums;
  for (const JoinedKernel& kernel : kernels) sums.add(kernel, fills.of(kernel), roles.of(kernel));
  WaveRows rows(study, &fills, &roles);
  for (const uint32_t i : longest_kernels(kernels)) rows.add(kernels[i], &table);
  finish_kernel_table(study, &table);
  if (kernels.empty()) return table;
  leave_out_metric_notes(study, &table);
  if (table.rows.size() < kernels.size()) {
    table.notes.push_back(
        fmt::format("the {} longest of {} kernels; sums are over all of them", table.rows.size(), kernels.size()));
  }
  add_wave_notes(study, sums, &table);
  add_extras(sums, &table);
  table.parts.push_back(histogram_of(sums));
  table.lacks_data |= sums.known.count == 0;
  return table;
}

}  // namespace xsp::analysis
