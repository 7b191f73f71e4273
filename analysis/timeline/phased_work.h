#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/trace/span_table.h"

namespace xsp::analysis {

enum class StepPhase : uint8_t { kForward, kBackward, kOptimizer };

/// Work of a step of training, in a graph or an engine that runs all of it.
struct PhasedWork {
  Row row;
  StepPhase phase;
};

/// The phases of a step from `begin` to `end`: the time up to the end of a piece of work, from that of the one before,
/// belongs to its phase; what is left at the end to the last one's. They add up to the step. Sorts the work by its
/// begins.
EvaluationPhases phases_of_work(const SpanTable& spans, int64_t begin, int64_t end, std::vector<PhasedWork>* work);

}  // namespace xsp::analysis
