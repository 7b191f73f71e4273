#pragma once

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Makes one group of what the runs of a set evaluated of the same model: the same point of the sweep, process (rank,
/// else command and order of start), instance, input shapes. Runs of different sets, and recordings by themselves, stay
/// apart.
void merge_runs(const Trace& trace, Evaluations* evaluations);

/// Of a group, the run of the set that its first evaluations are of; null for a recording by itself.
const ExperimentRun* run_of(const Trace& trace, const EvaluationGroup& group);

}  // namespace xsp::analysis
