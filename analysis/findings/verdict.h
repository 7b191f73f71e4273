#pragma once

#include <string>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// The report in one line, numbers first: "Step 177 ms · 181 images/s · GPU 57 % busy · waits for input 70.3 ms
/// (40 %)". What cannot be known is said in place of a number. Of the subject, by its cells of A1 and A15; no table is
/// needed.
std::string verdict_of(const Study& study);

}  // namespace xsp::analysis
