#pragma once

#include "bound/joining/join_subject.h"
#include "bound/joining/layer_join.h"

namespace xsp::bound {

/// Joins layers that are called after a node, or a value that a node writes, and of which type and shape fit. Names
/// that repeat in the model join nothing.
void join_by_name(const JoinSubject& subject, LayerJoin* join);

}  // namespace xsp::bound
