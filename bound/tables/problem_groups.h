#pragma once

#include <cstddef>
#include <vector>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Layers of one problem, all of which take the same time.
struct ProblemGroup {
  size_t first = 0;  // layer
  size_t layers = 0;
  double bound_ms = 0;  // of all
};

/// Of the problems that have a time and count, those that take most first.
std::vector<ProblemGroup> problem_groups(const Bounds& bounds);

}  // namespace xsp::bound
