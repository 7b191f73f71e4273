#pragma once

#include <map>
#include <string>
#include <vector>

#include "bound/model/node_view.h"

namespace xsp::bound {

/// Attributes by name as problems write them; those that a node of a common operator leaves out have the value that the
/// published schema gives them. Of a tensor type, shape and the sum of its values; where those are not kept, and of
/// graphs, the name of the node, so that no other node has the same problem. A Constant's tensor is left out: nothing
/// is computed from it.
std::map<std::string, std::string> attribute_texts(const NodeView& view);

/// "0.5,2"
std::string joined_numbers(const std::vector<double>& numbers);

}  // namespace xsp::bound
