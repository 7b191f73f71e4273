#pragma once

#include <string>
#include <vector>

#include "analysis/compare/matches.h"

namespace xsp::analysis {

/// How the recordings themselves differ, so that a difference may not be the program's: machine, GPU, level, origin,
/// and what is under study. One note for each.
std::vector<std::string> circumstance_notes(const Comparison& comparison);

/// Why the values of A2 to A11 cannot be compared; empty where they can. Without a model they are totals of everything
/// recorded, which cannot be compared with one call or with a different number of recordings.
std::string totals_note(const Comparison& comparison);

/// Why comparing rows of A2 to A11 would be meaningless: the inputs are of different models, or of none, and share less
/// than half of their layers. Empty if it is meaningful.
std::string unlike_note(const Comparison& comparison);

}  // namespace xsp::analysis
