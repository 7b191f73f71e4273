#include "analysis/timeline/phased_work.h"

#include <algorithm>

namespace xsp::analysis {

EvaluationPhases phases_of_work(const SpanTable& spans, int64_t begin, int64_t end, std::vector<PhasedWork>* work) {
  std::stable_sort(work->begin(), work->end(),
                   [&](const PhasedWork& a, const PhasedWork& b) { return spans.begin[a.row] < spans.begin[b.row]; });
  EvaluationPhases phases;
  phases.kinds.mode = Mode::kTraining;
  const auto time_of = [&](StepPhase phase) -> int64_t& {
    return phase == StepPhase::kOptimizer  ? phases.optimizer_ns
           : phase == StepPhase::kBackward ? phases.backward_ns
                                           : phases.forward_ns;
  };
  int64_t at = begin;
  StepPhase last = StepPhase::kForward;
  for (const auto& [row, phase] : *work) {
    last = phase;
    phases.kinds.has_backward |= phase == StepPhase::kBackward;
    phases.kinds.has_optimizer |= phase == StepPhase::kOptimizer;
    if (spans.end[row] <= at) continue;
    time_of(phase) += spans.end[row] - at;
    at = spans.end[row];
  }
  time_of(last) += end - at;
  return phases;
}

}  // namespace xsp::analysis
