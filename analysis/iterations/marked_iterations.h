#pragma once

#include "analysis/iterations/found_iterations.h"
#include "analysis/iterations/step_marks.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Makes the marks of the input the iterations of the outermost loop, one to one, where at least two of one kind have
/// operations that are alike: an iteration begins with the first operation that was launched in its mark. What was
/// mined and repeats within the marks becomes a loop inside, what repeats with them or around them is left out. Calls
/// of a model of which a mined iteration has several stay parts of it. Notes say what was done, or why it was not.
void take_marks(const Trace& trace, const StepMarks& marks, FoundIterations* found);

/// Why a loop of level 0 is no repetition of steps, for FoundIterations::not_judged: "all of it lies in one evaluation
/// …"; empty where that cannot be said.
std::string why_blocks(const Trace& trace, const StepMarks& marks, const Loop& loop);

}  // namespace xsp::analysis
