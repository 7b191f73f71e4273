#pragma once

#include <string>
#include <vector>

#include "analysis/compare/matches.h"

namespace xsp::analysis {

/// In what the recordings themselves differ, so that a difference may be none of the program: machine, GPU, level,
/// origin, and what is under study. One note for each.
std::vector<std::string> circumstance_notes(const Comparison& comparison);

}  // namespace xsp::analysis
