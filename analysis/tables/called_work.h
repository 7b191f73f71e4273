#pragma once

#include <map>
#include <string>
#include <utility>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// What the calls of a function compute, and where.
struct CalledWork {
  double flops = 0;  ///< of all calls of an evaluation, or of the trace, by their arguments; NaN: not known of each
  std::string file;  ///< the library file that they went to, or several, separated by ", "; empty: not told
};

/// By string ids of library and function: of the calls that C2 sums.
std::map<std::pair<uint32_t, uint32_t>, CalledWork> called_work(const Study& study, const LibraryCalls& all,
                                                                const JoinedCalls& joined);

}  // namespace xsp::analysis
