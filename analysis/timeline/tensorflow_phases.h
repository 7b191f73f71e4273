#pragma once

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The phases of calls that XSP recorded of TensorFlow and that compute gradients: each step of Keras' fit, or of a
/// tf.function that trains. A kernel is backward work in the scope of a gradient (gradient_tape/net/conv, gradients/),
/// and the optimizer's in the scope of one (adam_1/) or by its type (ResourceApplyAdam). One without a scope belongs to
/// what ran before it. To be called before kernels are joined to layers.
void find_tensorflow_phases(const Parents& parents, const Trace& trace, PhasesByModel* phases);

}  // namespace xsp::analysis
