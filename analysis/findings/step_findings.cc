#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "analysis/findings/families.h"
#include "analysis/steps/start_up.h"
#include "analysis/tables/step_study.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {
namespace {

/// Of the step. Less than this is not what a reader should begin with.
constexpr double kWorthPct = 5;
/// Short gaps between kernels belong to any program: only from here on the host is too slow.
constexpr double kHostIdlePct = 15;
/// Part of the idle time that lies in long gaps: then it is those, and not each launch.
constexpr double kLongGapPart = 0.5;
/// Of the time in which kernels run; so much communication is told also where it is hidden.
constexpr double kCommunicationPct = 20;
/// Longer kernels hide a launch (5 to 10 µs of a framework's operator, and more where it is profiled).
constexpr double kShortKernelMs = 0.05;
/// Part of the idle time for a kernel that its launch takes, from which on launches are the reason.
constexpr double kLaunchPart = 0.5;
/// Part of a wait in which copies run, from which on it is a blocking copy.
constexpr double kCopyingPart = 0.5;

/// The row of A15 of the subject, and sentences about parts of its step.
class Step {
 public:
  explicit Step(const Evidence& evidence) : evidence_(evidence), models_(evidence.table("A15")) {
    row_ = evidence.subject_kernels();
    if (row_) step_ms_ = number("step_ms");
    if (evidence.study.subject) return;
    const auto process = busiest_process_under_study(evidence.study);
    has_start_up_ = process && find_start_up(evidence.study.trace, evidence.study.evaluations, *process).is_known();
  }

  bool is_known() const { return step_ms_ > 0; }
  double ms() const { return step_ms_; }
  double number(std::string_view column) const { return models_.number(*row_, column).value_or(0); }
  double pct(double ms) const { return 100 * ms / step_ms_; }

  /// "70.3 ms of every 177 ms step (40 %)".
  std::string part(double ms) const {
    return fmt::format("{} of {}{} {}{} ({})", short_time(ms), evidence_.has_evaluations() ? "every " : "a ",
                       short_time(step_ms_), evidence_.step_word(), has_start_up_ ? " without its start-up" : "",
                       share_text(pct(ms)));
  }

  Finding finding(std::string id, std::string text, std::string advice, double ms, double gain_ms) const {
    const bool alone = models_.rows() == 1;
    return {.id = std::move(id),
            .text = std::move(text),
            .advice = std::move(advice),
            .value = pct(ms),
            .unit = "%",
            .table = "A15",
            .column = alone ? "model" : "",
            .key = alone ? models_.text(*row_, "model") : "",
            .weight = std::min(0.99, ms / step_ms_),
            .gain_ms = gain_ms,
            .share_pct = pct(ms),
            .share_of = std::string(evidence_.step_word()),
            .row = *row_};
  }

 private:
  const Evidence& evidence_;
  EvidenceTable models_;
  std::optional<size_t> row_;
  double step_ms_ = 0;
  bool has_start_up_ = false;
};

/// The iterator's class tells whether the program has worker processes (torch/utils/data/dataloader.py).
std::string input_advice(const Evidence& evidence) {
  const EvidenceTable layers = evidence.table("A2");
  for (size_t row = 0; row < layers.rows(); ++row) {
    if (layers.text(row, "type") != "DataLoader") continue;
    if (layers.text(row, "name").find("_SingleProcess") == std::string::npos) break;
    return "the DataLoader loads in the program's own process (num_workers=0): give it worker processes, or do less "
           "for each input";
  }
  return "load in more worker processes (num_workers of the DataLoader), or do less for each input";
}

void add_input_wait(const Evidence& evidence, const Step& step, std::vector<Finding>* findings) {
  const double wait = step.number("input_wait_ms");
  const double idle = step.number("idle_input_ms");
  // A device that goes on computing meanwhile loses nothing.
  if (!(step.pct(idle) >= kWorthPct)) return;
  findings->push_back(step.finding(
      "input-wait", fmt::format("Waits for input: {}; no kernel runs for {} of it", step.part(wait), short_time(idle)),
      input_advice(evidence), wait, idle));
}

/// The layer of A2 in which the host waits for the device, where nearly all of its waiting is in one; else nothing:
/// which of several waits costs time is no cell.
std::string waiting_layer(const EvidenceTable& layers) {
  constexpr double kNearlyAll = 0.8;
  std::string name;
  double most = 0;
  double all = 0;
  for (size_t row = 0; row < layers.rows(); ++row) {
    const double wait = layers.number(row, "wait_ms").value_or(0);
    if (layers.text(row, "type") == "DataLoader") continue;
    all += wait;
    if (wait <= most) continue;
    most = wait;
    name = layers.text(row, "name");
  }
  return most > kNearlyAll * all ? name_in_sentence(name) : std::string();
}

/// Whether what the host waits for, while no kernel runs, is mostly copies: then those are the cause.
bool waits_for_copies(const Step& step) {
  return step.number("idle_sync_copy_ms") >= kCopyingPart * step.number("idle_sync_ms");
}

void add_synchronisation(const Evidence& evidence, const Step& step, std::vector<Finding>* findings) {
  const double idle = step.number("idle_sync_ms");
  if (!(step.pct(idle) >= kWorthPct) || waits_for_copies(step)) return;
  const std::string layer = waiting_layer(evidence.table("A2"));
  findings->push_back(step.finding(
      "sync-wait",
      fmt::format("Blocked in synchronisation: the host waits while no kernel runs for {}{}", step.part(idle),
                  layer.empty() ? "" : ", in " + layer),
      "do not wait for the device in each step: read numbers (item(), cpu()) rarely and late", idle, idle));
}

struct CopyKind {
  std::string_view function;  // of C2 begins with it
  std::string_view advice;
};
constexpr std::array kCopyKinds = {
    CopyKind{"memcpy HtoD", "copy less: keep on the device what does not change"},
    CopyKind{"memcpy DtoH", "fetch less from the device"},
    CopyKind{"memcpy DtoD", "avoid copies inside the device: contiguous(), clone() and concatenations; write in place"},
    CopyKind{"memcpy PtoP", "let the devices exchange less, or while kernels run"},
};

/// Memory that is pinned already needs no such advice.
std::string copy_advice(std::string_view function) {
  const auto kind = std::find_if(kCopyKinds.begin(), kCopyKinds.end(),
                                 [&](const CopyKind& of) { return function.starts_with(of.function); });
  if (kind == kCopyKinds.end()) return "copy while kernels run";
  std::string advice(kind->advice);
  const bool is_of_host =
      function.find("HtoD") != std::string_view::npos || function.find("DtoH") != std::string_view::npos;
  if (!is_of_host) return advice;
  const bool is_pinned = function.find("Pinned") != std::string_view::npos;
  const std::string_view memory = is_pinned                             ? ""
                                  : function.starts_with("memcpy HtoD") ? " from pinned memory"
                                                                        : " to pinned memory";
  return advice + fmt::format(", or copy{} while kernels run, on a stream of its own", memory);
}

/// The copies with most time: their direction decides what helps.
std::optional<size_t> longest_copies(const EvidenceTable& calls) {
  std::optional<size_t> longest;
  double most = 0;
  for (size_t row = 0; row < calls.rows(); ++row) {
    if (calls.text(row, "library") != "device memory") continue;
    const double ms = calls.number(row, "kernel_ms").value_or(0);
    if (ms <= most) continue;
    most = ms;
    longest = row;
  }
  return longest;
}

void add_copies(const Evidence& evidence, const Step& step, std::vector<Finding>* findings) {
  const double blocking = waits_for_copies(step) ? step.number("idle_sync_ms") : 0;
  const double idle = step.number("idle_copy_ms") + blocking;
  if (!(step.pct(idle) >= kWorthPct)) return;
  const EvidenceTable calls = evidence.table("C2");
  const auto longest = longest_copies(calls);
  const std::string function = longest ? calls.text(*longest, "function") : "";
  std::string text = fmt::format("Copies while no kernel runs: {}", step.part(idle));
  if (longest) text += fmt::format(", most of them {}", name_in_sentence(function));
  if (blocking >= kCopyingPart * idle) {
    text += "; the host waits for them";
    if (const std::string layer = waiting_layer(evidence.table("A2")); !layer.empty()) text += " in " + layer;
  }
  findings->push_back(step.finding("copies", std::move(text), copy_advice(function), idle, idle));
}

void add_communication(const Step& step, std::vector<Finding>* findings) {
  const double all = step.number("communication_ms");
  const double exposed = step.number("exposed_communication_ms");
  const double busy = step.number("gpu_busy_ms");
  if (!(all > 0) || !(busy > 0)) return;
  const double of_kernels = 100 * all / busy;
  if (!(step.pct(exposed) >= kWorthPct) && !(of_kernels >= kCommunicationPct)) return;
  findings->push_back(step.finding(
      "communication",
      fmt::format("Communication between ranks: {}; {} of it is exposed (no other kernel runs), {} of the time in "
                  "which kernels run",
                  step.part(all), short_time(exposed), share_text(of_kernels)),
      "overlap it with computation (buckets, prefetching), and look for ranks that come late: the others wait in it",
      all, exposed));
}

/// What calls that launch take of the host for each kernel, ms; C2.
double launch_ms(const Evidence& evidence, double kernels) {
  const EvidenceTable calls = evidence.table("C2");
  double ms = 0;
  for (size_t row = 0; row < calls.rows(); ++row) {
    if (calls.text(row, "function").find("Launch") == std::string::npos) continue;
    ms += calls.number(row, "self_ms").value_or(0);
  }
  return ms / kernels;
}

bool is_of_torch(const Evidence& evidence) {
  const EvidenceTable types = evidence.table("A6");
  for (size_t row = 0; row < types.rows(); ++row) {
    if (types.text(row, "type").starts_with("aten::")) return true;
  }
  return false;
}

void add_host_idle(const Evidence& evidence, const Step& step, std::vector<Finding>* findings) {
  const double idle = step.number("idle_host_ms");
  if (!(step.pct(idle) >= kHostIdlePct)) return;
  const double in_long_gaps = step.number("long_gap_ms");
  const double kernels = step.number("kernel_count");
  const std::string nothing_runs = fmt::format("Host-bound: nothing runs on the GPU for {}", step.part(idle));
  if (in_long_gaps >= kLongGapPart * idle || !(kernels > 0)) {
    findings->push_back(step.finding(
        "gpu-idle",
        fmt::format("{}, {} of it in long gaps while the host does other work", nothing_runs, short_time(in_long_gaps)),
        "move that work (reading, logging, Python between steps) to other threads, or let the host run ahead", idle,
        idle));
    return;
  }
  const double communication = std::min(step.number("communication_ms"), step.number("kernel_latency_ms"));
  const double each = (step.number("kernel_latency_ms") - communication) / kernels;
  const double gap = idle / kernels;
  const double launch = launch_ms(evidence, kernels);
  const bool is_launch = launch >= kLaunchPart * gap;
  const std::string of_it =
      launch > 0 ? fmt::format(", of which launching it takes {}", short_time(std::min(launch, gap))) : "";
  std::string text = fmt::format("{}: {} of {} on average, and {} of idle time for each{}", nothing_runs,
                                 count_text(kernels, "kernel"), short_time(each), short_time(gap), of_it);
  if (each >= kShortKernelMs) {
    findings->push_back(
        step.finding("gpu-idle", std::move(text),
                     "find what the host does between launches (A13 has it by layer), and let it do less", idle, idle));
    return;
  }
  const std::string_view compile = is_of_torch(evidence) ? "torch.compile, " : "";
  findings->push_back(step.finding(
      "launch-bound", std::move(text),
      fmt::format("{}: {}CUDA graphs, fused operators, a larger batch",
                  is_launch ? "fewer and longer kernels" : "less work of the host for each kernel", compile),
      idle, idle));
}

/// Without a device: the time in which the host waits for its next batch is all lost.
void add_input_wait_of_host(const Evidence& evidence, std::vector<Finding>* findings) {
  const auto step = evidence.step_ms();
  const EvidenceTable models = evidence.table("A1");
  if (!evidence.has_evaluations() || !step || models.rows() == 0) return;
  const double wait = time_of_step(evidence.study, subject_breakdown(evidence.study).input_ns) / kNsPerMs;
  if (!(100 * wait / *step >= kWorthPct)) return;
  const bool alone = models.rows() == 1;
  findings->push_back({.id = "input-wait",
                       .text = fmt::format("Waits for input: {} of every {} {} ({})", short_time(wait),
                                           short_time(*step), evidence.step_word(), share_text(100 * wait / *step)),
                       .advice = input_advice(evidence),
                       .value = 100 * wait / *step,
                       .unit = "%",
                       .table = "A1",
                       .column = alone ? "model" : "",
                       .key = alone ? models.text(0, "model") : "",
                       .weight = std::min(0.99, wait / *step),
                       .gain_ms = wait,
                       .share_pct = 100 * wait / *step,
                       .share_of = std::string(evidence.step_word())});
}

}  // namespace

void add_step_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const Step step(evidence);
  if (!step.is_known()) {
    add_input_wait_of_host(evidence, findings);
    return;
  }
  add_input_wait(evidence, step, findings);
  add_synchronisation(evidence, step, findings);
  add_copies(evidence, step, findings);
  add_communication(step, findings);
  add_host_idle(evidence, step, findings);
}

}  // namespace xsp::analysis
