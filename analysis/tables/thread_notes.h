#pragma once

#include <string>
#include <vector>

#include "analysis/concurrency/thread_policy.h"
#include "analysis/tables/swept_curves.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What E1 and E2 say below their rows.

/// Under E1: how the curves were measured, and what they do not tell.
std::vector<std::string> curve_notes(const SweptCurves& swept, const ClimbState& state);

/// Under E2: what the advice is made from, and why there is none.
std::vector<std::string> advice_notes(const SweptCurves& swept, const Advices& advices, const ThreadPolicy& policy);

/// Under both: threads are of processors, and the time is that of the model call.
std::vector<std::string> device_notes(const Study& study, const SweptCurves& swept);

/// The table without rows, with a note that says how to measure.
Table without_sweep(const TableDefinition& definition, const Study& study);

/// Whether a sweep shows what numbers of threads do: not where the program has the same one at all points.
bool tells_of_threads(const SweptCurves& swept);

}  // namespace xsp::analysis
