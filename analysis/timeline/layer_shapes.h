#pragma once

#include <string>
#include <string_view>

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Whether profiles of this source tell the shapes of what operators read, and none of what they return.
bool tells_inputs_only(std::string_view source);

/// Gives layers of such profiles that have no shape those of the tensors that they read: an operator's own, of a module
/// those of its first operator. To be called when the levels of layers are known.
void find_layer_shapes(const Parents& parents, Trace* trace);

/// "[32,3,224,224];[64,3,7,7]" of an operator's inputs "f32[32,3,224,224];f32[64,3,7,7];;": the tensors alone.
std::string tensor_shapes(std::string_view inputs);

}  // namespace xsp::analysis
