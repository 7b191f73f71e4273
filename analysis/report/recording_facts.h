#pragma once

#include <vector>

#include "analysis/report/report_header.h"

namespace xsp::analysis {

/// What was profiled, on what, when, how deep, and where the numbers come from. What a trace does not tell is not
/// there.
std::vector<Fact> recording_facts(const Study& study);

}  // namespace xsp::analysis
