#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Names the calls of MXNet that are known by the function alone, "Executor.forward" and "backward", by what the names
/// of their layers begin with: "resnetv10 (forward)" for resnetv10_conv0_fwd and resnetv10_dense0_fwd. Where this
/// differs between calls of one function, or a call has no layers and it is not known whose it is, the names stay.
///
/// The scopes of calls, which only say whose the operators are, are taken away: two calls at the same time have
/// different ones, and would be taken for two instances of their model.
void name_mxnet_calls(const Parents& parents, Trace* trace);

}  // namespace xsp::analysis
