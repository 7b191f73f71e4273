#pragma once

#include "bound/joining/join_subject.h"
#include "bound/joining/layer_join.h"

namespace xsp::bound {

/// Joins calls of modules with all layers of the model that exporters called after the module, and operators in modules
/// with the layers of their family there. A module that was called several times has layers with numbers
/// ("layer1.0.relu", "…relu_1"): they join where there are as many of them as calls. Type and shape must fit.
void join_by_module(const JoinSubject& subject, LayerJoin* join);

}  // namespace xsp::bound
