#pragma once

#include <cstdint>
#include <string>

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// "pid 4242" or "rank 1 (pid 4242)". Where processes of several files would look alike, the file is added:
/// "pid 1 (a.json)".
std::string process_label(const Trace& trace, uint32_t process);

/// The same for the process of a group. In a set there is one in each run: "rank 1 (pid 4242, 8 runs)"; where the trace
/// has several sets, the set's folder is added.
std::string process_label(const Trace& trace, const EvaluationGroup& group);

}  // namespace xsp::analysis
