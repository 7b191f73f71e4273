/// The part of Q1 that is about profiles of other tools.

#include "analysis/tables/loss_notes.h"
#include "analysis/tables/quality_rows.h"

namespace xsp::analysis {

uint64_t numbered_operators(const Trace& trace) {
  const uint64_t removed = losses(trace, LossReason::kRemoved);
  if (removed == 0) return 0;
  uint64_t recorded = removed;
  for (Row row = 0; row < trace.spans.size(); ++row) {
    const Kind kind = trace.spans.kind[row];
    const bool is_counted =
        trace.spans.level[row] != Level::kDevice && (kind == Kind::kOperator || kind == Kind::kAnnotation);
    if (!is_counted) continue;
    const Process& process = trace.processes[trace.process_of(row)];
    recorded += process.losses[static_cast<size_t>(LossReason::kRemoved)].count != 0 ? 1 : 0;
  }
  return recorded;
}

bool is_filtered(const Trace& trace) { return 2 * losses(trace, LossReason::kRemoved) > numbered_operators(trace); }

void add_profile_rows(const Trace& trace, QualityRows* rows) {
  const uint64_t removed = losses(trace, LossReason::kRemoved);
  if (removed == 0) return;
  rows->add("recorded_operators", "all", count_cell(numbered_operators(trace)),
            "operators and annotations that the profiler recorded, at least");
  rows->add("removed_operators", "all", count_cell(removed),
            "of these missing: the profile was filtered before the import");
}

}  // namespace xsp::analysis
