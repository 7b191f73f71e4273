#pragma once

#include <cstddef>
#include <string>

#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

/// How much of a trace a page draws.
struct TimelineLimits {
  size_t slices = 150'000;  // drawn singly: the longest; of the others how busy a lane is, in bins
};

/// The data of the page's timeline, JSON: lanes (application to runtime by thread, one a stream), slices in them by
/// columns, launch of each execution, and how many spans, with which share of the time, are not drawn singly. Slices
/// carry the facets of doc/html.md, so that rows and figures select them.
std::string timeline_json(const AnalysedTrace& analysed, const TimelineLimits& limits = {});

/// The data of the icicle, JSON: layer type → layer → library call → kernel, by time, per evaluation as in the tables.
std::string icicle_json(const AnalysedTrace& analysed);

}  // namespace xsp::analysis
