#pragma once

#include <vector>

#include "analysis/timeline/executions.h"

namespace xsp::analysis {

/// Places executions where evaluations are iterations (iterations/iteration_spans.h): the evaluation of each is
/// `iteration_of` it, the row of a root, or kNoRow; all else is as place_executions of the launches has it. Executions
/// of an evaluation in which the launch of any is not known stand in order of begin.
Executions place_executions(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                            const std::vector<Row>& iteration_of);

}  // namespace xsp::analysis
