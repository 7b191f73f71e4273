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
/// kernel stays a layer. Keras gives each layer a scope (tf.name_scope). What TensorFlow puts before the name of a node
/// of a function that it has inlined, StatefulPartitionedCall/, is left out.
///
/// Keras' predict, fit and evaluate run functions that have the same names for every model: a call of one is named by
/// the scope in which most of its kernels' time is, "net (predict)".
///
/// A call whose input is not known has that of what it takes from an iterator: each step of fit.
///
/// The scopes of calls, which only say whose the kernels are, are taken away: two calls at the same time have different
/// ones, and would be taken for two instances of their model. `joins` false: each kernel stays a layer (--layers op).
void join_kernels_of_scopes(bool joins, Parents* parents, Trace* trace);

}  // namespace xsp::analysis
