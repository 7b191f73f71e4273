#pragma once

#include <string>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// The graph of the layers for Graphviz, in the shown mode (shown_mode()): a node a layer with its name, type and time,
/// the longest path in red and layers without work in grey. Layers of a group that is computed at once are in a frame
/// that has its time. With a trace the measured time stands beside the bound.
std::string path_dot(const Bounds& bounds);

/// The same as a drawing for the page: `<svg role="img">` with a title, layers from top to bottom in ranks, deep graphs
/// in several columns, the longest path in red. Layers that follow one another without a branch share a box, as
/// BoxGraph says; what is folded or not drawn is said in it. At most some 200 KB. Colours by the classes of the page's
/// style; all text escaped.
std::string path_svg(const Bounds& bounds);

}  // namespace xsp::bound
