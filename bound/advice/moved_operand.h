#pragma once

#include <string>

#include "analysis/trace/trace.h"
#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// Which operand of a call that computes a call that only changes a layout has moved.
enum class MovedOperand : uint8_t { kUnknown, kWeights, kSource, kResult };

/// `moving`: a reorder of oneDNN, a transformation of cuDNN's, geam of cuBLAS. `before` and `behind`: the calls that
/// compute next to it, null where there is none. Told by sizes and, of oneDNN, by layouts.
MovedOperand moved_operand(const analysis::Trace& trace, const TraceCall& moving, const TraceCall* before,
                           const TraceCall* behind);

/// "64x3x7x7 from acdb to Acdb64a"; empty where the call does not tell.
std::string movement_text(const analysis::Trace& trace, const TraceCall& moving);

/// Whether the call moves anything: geam may also add.
bool moves_only(const analysis::Trace& trace, const TraceCall& moving);

}  // namespace xsp::bound
