#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/steps/step_breakdown.h"
#include "analysis/steps/step_periods.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// How often the evaluations of a group come, by those that time the model. With --per trace there is no period.
StepPeriod step_period(const Study& study, const EvaluationGroup& group);

/// What one evaluation of a group is called: "iteration" of a loop that was found, "block" of one that is within a
/// model, "step", or "call" of a program that waits for what it returns, or that trains several models by turns.
std::string_view evaluation_noun(const Study& study, const EvaluationGroup& group);

/// The same of what tables are of: "call" where that is not known.
std::string_view subject_noun(const Study& study);

/// The time of a step of a group in ns: its period if throughput is computed from that and it is known, else its
/// latency. All shares in findings are of this. If nothing ran on a device, no step can begin before the previous one
/// has ended: a latency a tenth above the period then means that steps take very different times, and layer times are
/// parts of the latency. With --per trace the total of all evaluations.
double step_ns(const Study& study, const EvaluationGroup& group);

/// Whether a recording without evaluations has enough kernels to say what its program waits for: 16, or 1 ms of them.
bool has_enough_kernels(double kernels, double kernel_ms);

/// Where the steps of a group spend their time, by those that record kernels.
StepBreakdown step_breakdown(const Study& study, const EvaluationGroup& group);

/// The same of the subject, found at its first use.
const StepBreakdown& subject_breakdown(const Study& study);

/// The statistic over evaluations of a time of each (StepBreakdown::input_ns); with --per trace, and where there are no
/// evaluations, the sum.
double time_of_step(const Study& study, std::vector<double> values);

/// The same of a wait, or its mean if that is larger: a trimmed mean or a median hides waits that only few steps have,
/// as the first step of an epoch has for workers.
double wait_of_step(const Study& study, const std::vector<double>& waits);

/// Of a process without evaluations: from the first to the last of its work on devices, without start-up. What the host
/// does before and after that keeps no device waiting. Without work on a device all lengths are 0.
StepBreakdown recording_breakdown(const Study& study, uint32_t process);

/// Of the processes under study, the one whose recording stands for them where there are no evaluations.
std::optional<uint32_t> busiest_process_under_study(const Study& study);

/// Whether anything of the trace tells what its host waits for: then wait_ms is known.
bool knows_waits(const Study& study);

}  // namespace xsp::analysis
