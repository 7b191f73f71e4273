#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/step_row.h"
#include "analysis/steps/gap_causes.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/loss_notes.h"

namespace xsp::analysis {
namespace {

/// Any program has short gaps between kernels: only from here on is the host too slow.
constexpr double kHostIdlePct = 15;
/// From this part of the idle time in long gaps on, these are the cause, and not each launch.
constexpr double kLongGapPart = 0.5;
/// Longer kernels hide a launch (5 to 10 µs of a framework's operator, and more where it is profiled).
constexpr double kShortKernelMs = 0.05;
/// From this part of the idle time per kernel on, launches are the reason.
constexpr double kLaunchPart = 0.5;

bool is_of_torch(const Evidence& evidence) {
  const TableCells types = evidence.table(kA6);
  for (size_t row = 0; row < types.rows(); ++row) {
    if (types.text(row, kA6.type).starts_with("aten::")) return true;
  }
  return false;
}

/// "162 ms of it in ## backward ##, 96.0 ms in Shampoo.step": what the host does in long gaps, if that covers most of
/// them. Empty if the recording does not tell.
std::string host_in_gaps(const Evidence& evidence, const StepRow& step) {
  constexpr size_t kNamed = 3;
  constexpr double kWorthPart = 0.15;  // of the long gaps
  const Study& study = evidence.study;
  const StepBreakdown steps = step.breakdown();
  const double gaps = steps.share(steps.long_idle_host_ns) * step.ms();
  std::vector<std::string> parts;
  for (const GapCause& cause : causes_of_gaps(study.trace, study.evaluations, steps.long_gaps)) {
    const double ms = steps.share(cause.ns) * step.ms();
    if (ms < kWorthPart * gaps || parts.size() == kNamed) break;
    parts.push_back(fmt::format("{} in {}", short_time(ms), name_in_sentence(cause.name)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string gap_advice(std::string_view where) {
  if (where.empty()) {
    return "the recording does not show what the CPU does there: look at Python code, logging and other threads";
  }
  // Names of the CUDA API alone: cudaMalloc, cudaFree, cudaHostAlloc, cuMemAlloc, hipMalloc.
  const bool allocates =
      where.find("cudaMalloc") != std::string_view::npos || where.find("cudaFree") != std::string_view::npos ||
      where.find("cudaHostAlloc") != std::string_view::npos || where.find("hipMalloc") != std::string_view::npos ||
      where.find("cuMemAlloc") != std::string_view::npos;
  if (allocates) {
    return "keep memory instead of freeing and allocating it again (no empty_cache() between steps)";
  }
  return "do this work once or in other threads, or launch further ahead of the GPU";
}

}  // namespace

void add_host_idle(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings) {
  const double idle = step.number(kA15.idle_host_ms);
  if (!(step.pct(idle) >= kHostIdlePct) || is_filtered(evidence.study.trace)) return;
  const double in_long_gaps = step.number(kA15.long_gap_ms);
  const double kernels = step.number(kA15.step_kernels);
  const std::string nothing_runs = fmt::format("Host-bound: the GPU is idle for {}", step.part(idle));
  if (in_long_gaps >= kLongGapPart * idle || !(kernels > 0)) {
    const std::string where = host_in_gaps(evidence, step);
    findings->push_back(
        step.finding("gpu-idle",
                     fmt::format("{}, {} of it in long gaps while the CPU does other work{}{}", nothing_runs,
                                 short_time(in_long_gaps), where.empty() ? "" : ": ", where),
                     gap_advice(where), idle, idle));
    return;
  }
  const double communication = std::min(step.number(kA15.communication_ms), step.number(kA15.step_kernel_ms));
  const double each = (step.number(kA15.step_kernel_ms) - communication) / kernels;
  const double gap = idle / kernels;
  const double launch = step.number(kA15.launch_gap_ms) / kernels;
  const bool is_launch = launch >= kLaunchPart * gap;
  const std::string_view rest = is_of_torch(evidence) ? "Python and PyTorch" : "other CPU work";
  std::string of_it =
      launch > 0 ? fmt::format(", {}{} of it in the launch call", is_launch ? "" : "only ", short_time(launch)) : "";
  if (launch > 0 && !is_launch) of_it += fmt::format(", the rest in {}", rest);
  std::string text = fmt::format("{}; before each of {} ({} long{}) it waits {} on average{}", nothing_runs,
                                 count_text(kernels, "kernel"), short_time(each),
                                 communication > 0 ? ", without communication" : "", short_time(gap), of_it);
  if (each >= kShortKernelMs) {
    findings->push_back(step.finding("gpu-idle", std::move(text),
                                     "reduce what the CPU does between launches (by layer: A13)", idle, idle));
    return;
  }
  const std::string_view compile = is_of_torch(evidence) ? "torch.compile, " : "";
  findings->push_back(
      step.finding("launch-bound", std::move(text),
                   fmt::format("{}: {}CUDA graphs; fewer kernels: fused operators; longer kernels: a larger batch",
                               is_launch ? "cheaper launches" : "less CPU work per kernel", compile),
                   idle, idle));
}

}  // namespace xsp::analysis
