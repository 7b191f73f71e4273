#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

struct Study;

/// Where runs of a set are not alike.
struct Divergence {
  Level level = Level::kLayer;                           // of what differs; kModel: evaluations
  size_t places = 0;                                     // layers, calls, kernels, or runs
  double ns = std::numeric_limits<double>::quiet_NaN();  // the time that it touches; NaN: of none
  std::string text;                                      // what, where first, how much of the time
};

/// What differs between the runs of the subject's set and between its level sets. Evaluations of one run that differ
/// are counted where they are joined; a run all of whose evaluations differ from the others of its level set is named.
std::vector<Divergence> find_divergences(const Study& study);

}  // namespace xsp::analysis
