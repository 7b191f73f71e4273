#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes/timeline_slices.h"
#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {

/// Which rows of the tables a slice belongs to (doc/html.md); kNoFacet: none.
inline constexpr uint32_t kNoFacet = UINT32_MAX;

struct SliceFacets {
  uint32_t evaluation = kNoEvaluation;
  uint32_t layer = kNoFacet;      // index of A2
  uint32_t execution = kNoFacet;  // place in A8
  uint32_t call = kNoFacet;       // call_index of C1
};

/// By slice. An evaluation of the subject has the layers of A2 where its layers have the same names and types in the
/// same order; executions and calls have places in A8 and C1 where their evaluations are joined there.
std::vector<SliceFacets> find_facets(const AnalysedTrace& analysed, const TimelineSlices& slices);

/// Whether C1 has the calls of the runtime level, for want of library calls.
bool shows_runtime_calls(const Study& study);

}  // namespace xsp::analysis
