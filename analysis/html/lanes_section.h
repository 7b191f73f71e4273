#pragma once

#include "analysis/export/byte_sink.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

/// The sections of the timeline and the icicle as they are without scripts: the icicle drawn, the timeline only named.
void write_lanes_sections(const AnalysedTrace& analysed, ByteSink* sink);

/// What scripts draw there: elements `xsp-timeline` and `xsp-icicle`.
void write_packed_lanes(const AnalysedTrace& analysed, ByteSink* sink);

}  // namespace xsp::analysis
