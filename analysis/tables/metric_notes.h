#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Where flops and bytes come from, of how much of the kernels' time they are known, and what the flags mean.
std::vector<std::string> metric_notes(const Study& study);

/// The peaks that roofs are made of, where each comes from, or what would give them.
std::vector<std::string> roof_notes(const Study& study);

/// Whether any kernel under study has roofs, or would if its work were known.
bool has_roofs(const Study& study);

}  // namespace xsp::analysis
