#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Gives model spans of imported profiles that tell no input the shape of what their first operator with parameters
/// reads, if that shape begins with the batch: a convolution's input, or the indices of an embedding. Where a matrix
/// product comes first, its rows may be anything, and the input stays unknown. Returns how many got one.
size_t find_input_shapes(const Parents& parents, Trace* trace);

}  // namespace xsp::analysis
