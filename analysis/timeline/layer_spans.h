#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/parents.h"
#include "analysis/timeline/role_choices.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What the layers of a process are; several at once are possible, so that these are flags.
enum LayerSource : uint8_t {
  kRecordedLayers = 1,
  kModuleLayers = 2,
  kOperatorLayers = 4,
  kCallLayers = 8,
  kRangeLayers = 16,
};

/// Gives spans the level of layers, once those of models are known. By default: modules that contain none, and
/// operators in no such module and no other operator; in an imported profile without any of these, outermost library
/// calls of functions that start kernels. Backward work that is linked to a layer is none of its own.
/// Returns flags of LayerSource by process.
std::vector<uint8_t> find_layer_spans(RoleChoices* choices, Parents* parents, Trace* trace);

}  // namespace xsp::analysis
