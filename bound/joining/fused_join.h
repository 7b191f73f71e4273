#pragma once

#include "bound/joining/join_subject.h"
#include "bound/joining/layer_join.h"

namespace xsp::bound {

/// Gives products that add a bias the layer of the model that adds it.
void join_biases(const JoinSubject& subject, LayerJoin* join);

/// Gives layers of the model that no layer of the trace is called for to those that ran them, too: the parts of a
/// normalization, a GELU, an attention to the only one in the trace that can have been there; activations, additions
/// and paddings that a runtime fuses to the operator that computed their last operand, or that alone read their result.
/// What the trace has a layer of its own for, which did not join, is left alone. Layers without work between those of
/// one owner are its, too.
void join_fused(const JoinSubject& subject, LayerJoin* join);

}  // namespace xsp::bound
