#pragma once

#include <span>
#include <vector>

#include "bound/bounds/group_choice.h"
#include "bound/bounds/longest_path.h"

namespace xsp::bound {

/// When each layer is done, if independent branches run at the same time. A group waits for all that it reads, and all
/// its layers are done at once; where its layers one by one are done sooner, they are computed so.
std::vector<double> ready_times(std::span<const Layer> layers, std::span<const FusedGroup> groups,
                                const GroupChoice& choice, std::span<const double> layer_ms,
                                std::span<const double> group_ms);

/// The longest path with groups computed at once.
struct CondensedPath {
  LongestPath path;                // its layers are all those of the groups on it, too
  std::vector<size_t> apart;       // taken groups that are done sooner layer by layer: a branch beside them is late
  std::vector<double> weights_ms;  // by layer, that the path adds up: a group's at its last layer
};

/// Never longer than the path without groups, as no group is done later than its layers would be; and never longer than
/// the sum over groups and layers.
CondensedPath condensed_path(std::span<const Layer> layers, std::span<const FusedGroup> groups,
                             const GroupChoice& choice, std::span<const double> layer_ms,
                             std::span<const double> group_ms);

}  // namespace xsp::bound
