#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What serialised runs tell of the parents that are in doubt in other runs of their set and point. A span meets its
/// counterpart by its place among the spans of its process with the same level, name and type, in order of begin; the
/// parent it has there is met by ordinal too: a layer by evaluation and place in it, another span by its place among
/// its like. Nothing is told where the two runs differ in how many there are, or where the places contradict a parent
/// that is known.
ToldParents told_by_serialised_runs(const Trace& trace, const Parents& parents);

/// Finds parents, with the help of serialised runs where they are in doubt, and takes the spans of these out of the
/// trace where it has others.
Parents find_resolved_parents(Trace* trace);

}  // namespace xsp::analysis
