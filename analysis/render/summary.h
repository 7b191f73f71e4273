#pragma once

#include <string>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// The end-of-run summary of xsp-run: at most twelve lines with what ran, the most useful numbers, and what was lost.
std::string render_summary(const Study& study);

}  // namespace xsp::analysis
