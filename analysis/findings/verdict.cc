#include "analysis/findings/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/evidence.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_calls.h"
#include "analysis/tables/model_sweeps.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Share of the step; a headline names no smaller reason.
constexpr double kWorthPart = 0.05;
/// Of a call, or of layer time where there are none: a type that a headline names.
constexpr double kDominantPct = 50;

/// "images" where the input looks like a batch of pictures: [N,3,224,224] or [N,224,224,3].
std::string_view unit_of_inputs(std::string_view shapes) {
  if (shapes.empty() || shapes.front() != '[') return "inputs";
  const std::string_view first = shapes.substr(1, shapes.find(']') - 1);
  std::vector<std::string_view> dimensions;
  for (size_t begin = 0; begin <= first.size();) {
    const size_t end = std::min(first.find(',', begin), first.size());
    dimensions.push_back(first.substr(begin, end - begin));
    begin = end + 1;
  }
  if (dimensions.size() != 4) return "inputs";
  const auto is_colours = [](std::string_view text) { return text == "1" || text == "3" || text == "4"; };
  return is_colours(dimensions[1]) || is_colours(dimensions[3]) ? "images" : "inputs";
}

std::string rate_text(double per_second) {
  return fmt::format("{:.{}f}", per_second, per_second >= 99.95 ? 0 : per_second >= 9.995 ? 1 : 2);
}

class Line {
 public:
  void add(std::string part) {
    if (part.empty()) return;
    text_ += (text_.empty() ? "" : " · ") + std::move(part);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

constexpr std::string_view kWaitsForHost = "host-bound";

std::string busy_text(const Study& study, const StepBreakdown& steps) {
  if (!steps.has_devices()) return {};
  const std::string gpus = steps.devices == 1 ? "GPU" : fmt::format("{} GPUs", steps.devices);
  const double busy = 100 * steps.share(steps.busy_ns);
  const std::string_view least = is_filtered(study.trace) ? " or more" : "";
  return fmt::format("{} {:.{}f} % busy{}", gpus, busy, busy > 0 && busy < 0.95 ? 1 : 0, least);
}

struct CauseText {
  std::string text;
  bool is_host = false;  // the GPU waits for the CPU
  double part = 0;       // of the step that is told
};

/// What costs the step most beside computing, by what could be won; empty where nothing costs much.
CauseText cause_text(const Study& study, const StepBreakdown& steps, double step_ms) {
  struct Cause {
    std::string_view what;
    double lost;   // part of the step that could be won
    double shown;  // part of the step that is told
  };
  const bool on_device = steps.has_devices();
  const double input = wait_of_step(study, steps.input_ns) / kNsPerMs / step_ms;
  const double synchronisation = steps.share(steps.idle_synchronisation_ns);
  const bool waits_for_copies = 2 * steps.idle_synchronisation_copy_ns >= steps.idle_synchronisation_ns;
  const double host_communication =
      on_device ? 0 : wait_of_step(study, steps.host_communication_ns) / kNsPerMs / step_ms;
  std::array<Cause, 6> causes = {
      Cause{"waits for input", on_device ? steps.share(steps.idle_input_ns) : input, input},
      Cause{"blocked in synchronisation", waits_for_copies ? 0 : synchronisation, 0},
      Cause{"exposed communication", time_of_step(study, steps.exposed_communication_ns) / kNsPerMs / step_ms, 0},
      Cause{"copies without kernels", steps.share(steps.idle_copy_ns) + (waits_for_copies ? synchronisation : 0), 0},
      // Operators that were removed from a profile leave gaps.
      Cause{kWaitsForHost, is_filtered(study.trace) ? 0 : steps.share(steps.idle_host_ns), 0},
      Cause{"communication", host_communication, 0},
  };
  const Cause& worst =
      *std::max_element(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.lost < b.lost; });
  if (!(worst.lost >= kWorthPart)) return {};
  const double shown = std::max(worst.shown, worst.lost);
  const bool is_host = worst.what == kWaitsForHost;
  const std::string time = short_time(shown * step_ms);
  const std::string share = share_text(100 * shown);
  if (is_host) return {fmt::format("the GPU waits for the CPU {} of the time ({})", share, time), is_host, shown};
  return {fmt::format("{} {} ({})", worst.what, time, share), is_host, shown};
}

/// A GPU that only computes or waits for the CPU, mostly the latter: the waiting tells how busy it is.
bool says_how_busy(const CauseText& cause, const StepBreakdown& steps) {
  constexpr double kNearlyAll = 0.9;
  const double busy = steps.share(steps.busy_ns);
  return cause.is_host && cause.part > busy && cause.part + busy >= kNearlyAll;
}

/// On a host alone: the type of layers with most time of a call, or of the time in layers.
std::string dominant_type(const Study& study, const std::optional<double>& call_ms) {
  const auto types = layer_types(study);
  if (types.size() < 2) return {};
  double total = 0;
  const LayerType* largest = nullptr;
  for (const LayerType& type : types) {
    const double own = type.latency_ns - type.wait_ns + type.backward_ns;
    total += own;
    if (largest == nullptr || own > largest->latency_ns - largest->wait_ns + largest->backward_ns) largest = &type;
  }
  const double own = largest->latency_ns - largest->wait_ns + largest->backward_ns;
  const bool is_of_call = call_ms && total <= kLayersOverlap * *call_ms * kNsPerMs;
  const double pct = 100 * own / (is_of_call ? *call_ms * kNsPerMs : total);
  if (!(pct >= kDominantPct)) return {};
  const std::string share = share_text(pct) + (is_of_call ? "" : " of the time in layers");
  return fmt::format("{} {} ({})", name_in_sentence(largest->type), short_time(own / kNsPerMs), share);
}

/// "only 1 step in the trace, too few for a throughput"; for two steps their distance, which is no statistic.
std::string unknown_period_text(const Study& study, const EvaluationGroup& group, const GroupLatency& latency) {
  const std::string recorded = count_text(static_cast<double>(latency.n), evaluation_noun(study, group));
  if (!latency.period.only_ns) return fmt::format("only {} in the trace, too few for a throughput", recorded);
  return fmt::format("only {} in the trace, {} from one to the next, too few for a throughput", recorded,
                     short_time(*latency.period.only_ns / kNsPerMs));
}

/// "40 calls of 42.6 to 123 ms, as 40 inputs differ": if the tables are of fewer than half of a model's calls. The
/// times are those of A1's rows.
std::string all_calls_text(const Study& study, const EvaluationGroup& group) {
  const ModelCalls calls = calls_of_model(study, group);
  if (study.options.per_trace || calls.inputs < 2 || 2 * group.evaluations.size() >= calls.count) return {};
  double shortest = 0;
  double longest = 0;
  for (const uint32_t number : calls.groups) {
    const double ns = latency_of(study, study.evaluations.groups[number]).ns;
    if (!(ns > 0)) continue;
    shortest = shortest > 0 ? std::min(shortest, ns) : ns;
    longest = std::max(longest, ns);
  }
  if (!(shortest > 0)) return {};
  return fmt::format("{} of {} to {}, with {} different inputs",
                     count_text(static_cast<double>(calls.count), evaluation_noun(study, group)),
                     short_time(shortest / kNsPerMs), short_time(longest / kNsPerMs), calls.inputs);
}

std::string verdict_of_evaluations(const Study& study) {
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const GroupLatency latency = latency_of(study, group);
  if (latency.n == 0 || !(latency.ns > 0)) return "No call has a time: the latency is not known";
  Line line;
  const bool is_step = latency.period.of == ThroughputOf::kPeriod;
  std::string noun(evaluation_noun(study, group));
  noun.front() = static_cast<char>(std::toupper(noun.front()));
  const bool has_period = is_step && latency.period.ns.has_value();
  const double step_ms = (has_period ? *latency.period.ns : latency.ns) / kNsPerMs;
  const double whole_ms = step_ns(study, group) / kNsPerMs;  // of shares
  if (std::string all = all_calls_text(study, group); !all.empty()) {
    line.add(std::move(all));
    noun = fmt::format("tables show the {} with {}:", evaluation_noun(study, group),
                       name_in_sentence(study.trace.text(group.input)));
  }
  if (study.options.per_trace) {
    line.add(fmt::format("{} in {}", short_time(step_ms),
                         count_text(static_cast<double>(latency.n), evaluation_noun(study, group))));
  } else if (is_step && !has_period) {
    line.add(fmt::format("{} latency {}", noun, short_time(step_ms)));
    line.add(unknown_period_text(study, group, latency));
  } else {
    const bool varies = has_period && whole_ms > step_ms;
    line.add(fmt::format(
        "{} {}{}", noun, short_time(step_ms),
        varies ? fmt::format(" (median; {} {})", study.options.statistic.description(), short_time(whole_ms)) : ""));
  }
  if (const auto rate = latency.throughput_per_s(inputs_of(study, group, latency.n))) {
    line.add(fmt::format("{} {}/s", rate_text(*rate), unit_of_inputs(study.trace.text(group.input))));
  }
  const StepBreakdown& steps = subject_breakdown(study);
  const CauseText cause = cause_text(study, steps, whole_ms);
  if (!says_how_busy(cause, steps)) line.add(busy_text(study, steps));
  line.add(cause.text);
  if (cause.text.empty() && !steps.has_devices()) line.add(dominant_type(study, whole_ms));
  return std::move(line).text();
}

/// Without evaluations and without a loop: what the device did while it was recorded.
std::string verdict_of_recording(const Study& study) {
  Line line;
  line.add("No steps or model calls found: time per step not known");
  const auto process = busiest_process_under_study(study);
  const StepBreakdown steps = process ? recording_breakdown(study, *process) : StepBreakdown();
  if (!steps.has_devices()) {
    if (study.joined.layers.empty()) return std::move(line).text();
    line.add(fmt::format("{} in layers", short_time(study.layer_latency_ns() / kNsPerMs)));
    line.add(dominant_type(study, std::nullopt));
    return std::move(line).text();
  }
  const auto kernels = static_cast<double>(steps.kernels);
  const double kernel_ms = static_cast<double>(steps.kernel_ns) / kNsPerMs;
  if (!has_enough_kernels(kernels, kernel_ms)) {
    line.add(fmt::format("{}, {} in all: too little to judge", count_text(kernels, "kernel"), short_time(kernel_ms)));
    return std::move(line).text();
  }
  const double recording_ms = static_cast<double>(steps.windows_ns) / kNsPerMs;
  const double start_up_ms = static_cast<double>(steps.start_up_ns) / kNsPerMs;
  const double all_ms = static_cast<double>(steps.recorded_ns) / kNsPerMs;
  if (start_up_ms >= kWorthPart * all_ms) {
    line.add(fmt::format("start-up {} of {}", short_time(start_up_ms), short_time(all_ms)));
  }
  const CauseText cause = cause_text(study, steps, recording_ms);
  const std::string place = start_up_ms >= kWorthPart * all_ms ? " after start-up" : " recorded";
  const std::string first = says_how_busy(cause, steps) ? cause.text : busy_text(study, steps);
  line.add(fmt::format("in the {}{}: {}", short_time(recording_ms), place, first));
  if (first != cause.text) line.add(cause.text);
  return std::move(line).text();
}

}  // namespace

std::string verdict_of(const Study& study) {
  const bool has_evaluations = study.subject.has_value() && !study.without_models;
  return has_evaluations ? verdict_of_evaluations(study) : verdict_of_recording(study);
}

}  // namespace xsp::analysis
