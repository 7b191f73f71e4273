#pragma once

#include <string>
#include <vector>

#include "analysis/compare/matches.h"

namespace xsp::analysis {

/// In what the recordings themselves differ, so that a difference may be none of the program: machine, GPU, level,
/// origin, and what is under study. One note for each.
std::vector<std::string> circumstance_notes(const Comparison& comparison);

/// Why the values of A2 to A11 cannot be compared; empty where they can. Without a model they are totals of all that
/// was recorded, which have no like in an evaluation or in another number of recordings.
std::string totals_note(const Comparison& comparison);

/// Why the rows of A2 to A11 would tell nothing: both are of different models, or of none, and have less than half of
/// their layers in common. Empty where they tell something.
std::string unlike_note(const Comparison& comparison);

}  // namespace xsp::analysis
