#pragma once

#include <string>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The rank that a launcher gave a process; empty: none.
std::string rank_of(const Process& process);

/// Whether two processes run the same command in the same rank.
bool is_same_program(const Process& a, const Process& b);

/// The run of a set that a process is of; null in a recording by itself.
const ExperimentRun* run_of(const Trace& trace, uint32_t process);

/// Whether what two segments recorded may be the same: not where they are of two sets, or points of a sweep.
bool are_comparable(const Segment& a, const Segment& b);

}  // namespace xsp::analysis
