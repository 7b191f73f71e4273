#pragma once

#include "bound/joining/join_subject.h"
#include "bound/joining/layer_join.h"

namespace xsp::bound {

enum class SequenceOf { kHeavy, kAll };

/// Joins what is left by aligning both sequences, with what is joined already as fixed places: first by family and
/// shape, then, of layers whose shape the trace does not tell, by family alone. The model's layers stand in the order
/// in which the trace can have run them. Candidates of fusion stand for a normalization or an attention of the trace.
void join_by_sequence(const JoinSubject& subject, SequenceOf layers, LayerJoin* join);

}  // namespace xsp::bound
