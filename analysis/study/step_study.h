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

/// What a step of a group takes: its period where that is what throughput is of and known, else its latency; ns. All
/// shares that findings tell are of this. Where nothing ran on a device no step can begin before the one before it has
/// ended: a latency that is a tenth above the period is one of steps that take very different times, and what layers
/// take is a part of the latency. With --per trace the total of all evaluations.
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

/// The same of a wait, and its mean where that is more: of what few steps have a lot of, as the first of an epoch has
/// to wait for workers, a trimmed mean and a median leave nothing.
double wait_of_step(const Study& study, const std::vector<double>& waits);

/// Of a process without evaluations: from the first to the last of its work on devices, without start-up. What the host
/// does before and after that keeps no device waiting. Without work on a device all lengths are 0.
StepBreakdown recording_breakdown(const Study& study, uint32_t process);

/// Of the processes under study, the one whose recording stands for them where there are no evaluations.
std::optional<uint32_t> busiest_process_under_study(const Study& study);

/// Whether anything of the trace tells what its host waits for: then wait_ms is known.
bool knows_waits(const Study& study);

}  // namespace xsp::analysis
