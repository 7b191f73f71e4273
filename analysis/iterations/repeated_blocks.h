#pragma once

#include <cstdint>
#include <string>

#include "analysis/iterations/operations.h"
#include "analysis/mining/loops.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// "encoder.block" where the iterations of a loop are numbered parts of a model, one after the other, and no steps of a
/// program: the module paths in the names around their operations ("pre_forward (encoder.block.14.layer.1)") count up
/// by one from iteration to iteration, and begin anew with the next call of the model. Empty where they do not.
std::string repeated_block(const Trace& trace, const Parents& parents, const Operations& operations, const Loop& loop);

}  // namespace xsp::analysis
