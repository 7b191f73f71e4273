#pragma once

#include "bound/joining/joined_trace.h"
#include "bound/problems/geometry.h"
#include "bound/problems/problem.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// Whether a benchmark had its tensors as the call had them: oneDNN's tags ("acdb:Acdb64a:acdb") and cuDNN's words
/// ("nhwc:nhwc:nhwc"), against "channels_last", "any: aBcd16b -> abcd", "weights any: BA16a64b". Dimensions of 1 lie
/// anywhere.
bool is_same_layout(const TraceCall& call, const Measurement& row, const Problem& problem);

}  // namespace xsp::bound
