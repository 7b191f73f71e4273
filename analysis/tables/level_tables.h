#pragma once

#include <string>
#include <vector>

#include "analysis/study/level_overheads.h"
#include "analysis/study/level_profile.h"
#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// "model", "layer", "library", "kernel", as of xsp-run --level.
std::string_view level_word(Level level);

/// "6 runs of a set (3 of M, 3 of M/L)": of the model under study; empty of a recording by itself.
std::string runs_of_set(const Study& study);

/// What L1 says below its rows.
std::vector<std::string> level_notes(const Study& study, const std::vector<LevelProfile>& profiles,
                                     const std::vector<LevelOverhead>& events);

}  // namespace xsp::analysis
