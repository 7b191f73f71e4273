#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What serialised runs tell about uncertain parents in other runs of their set and point. A span is matched with its
/// counterpart by position among the spans of its process with the same level, name and type, in order of begin; the
/// parent there is matched by ordinal too: a layer by evaluation and place in it, another span by its place among its
/// like. Nothing is told if the two runs differ in how many there are, or if the places contradict a known parent.
ToldParents told_by_serialised_runs(const Trace& trace, const Parents& parents);

/// Finds parents, with the help of serialised runs where they are in doubt, and takes the spans of these out of the
/// trace where it has others.
Parents find_resolved_parents(Trace* trace);

}  // namespace xsp::analysis
