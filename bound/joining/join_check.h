#pragma once

#include "base/status.h"
#include "bound/joining/join_subject.h"
#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// An error where the trace is of another batch size, of other inputs, or of another model: fewer than half of the
/// convolutions, products and recurrent layers of the model were found in it, or fewer than two thirds of its own were
/// found in the model. A trace may lack layers, and one layer of it may be several of the model; but it has hardly more
/// of the heavy ones than the model. Where neither has any, all layers count.
Status check_join(const JoinSubject& subject, const JoinedTrace& joined,
                  const std::vector<std::vector<int64_t>>& traced_inputs);

}  // namespace xsp::bound
