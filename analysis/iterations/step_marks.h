#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/operations.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// In StepMarks::of_operation: launched in no mark, or not known where.
inline constexpr uint32_t kNoMark = UINT32_MAX;

/// What the input itself says about where the steps of a process are: its ProfilerStep annotations, else its
/// evaluations of models.
struct StepMarks {
  std::vector<Row> rows;               // in order of begin, none overlapping another
  std::vector<uint32_t> kinds;         // likewise: those of one kind are repeats of one another
  std::vector<uint32_t> of_operation;  // by operation: the mark in whose time it was launched
  bool are_steps = false;              // annotations of steps, not calls of a model

  bool empty() const { return rows.empty(); }
};

/// Empty where there are none, or where they overlap, as calls of several threads do.
StepMarks step_marks(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                     const Operations& operations);

}  // namespace xsp::analysis
