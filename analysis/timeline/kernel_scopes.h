#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Joins the kernels of calls that XSP recorded of TensorFlow to what a person calls a layer: kernels that follow each
/// other on one thread and whose names in the graph have one scope, "net/conv1/BiasAdd" and "net/conv1/Relu". Each such
/// piece becomes a span of level layer, named "net/conv1", whose type is that of the kernel that takes most of its
/// time, and whose shape is that of its last output. Its kernels become operators inside it.
///
/// A scope that contains other layers is none, nor is one with several matrix products or convolutions: there each
/// kernel stays a layer. TensorFlow names nodes by scopes since 0.5 (tf.name_scope); Keras gives each layer one.
void join_kernels_of_scopes(Parents* parents, Trace* trace);

}  // namespace xsp::analysis
