#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The rank that a launcher gave a process; empty: none.
std::string rank_of(const Process& process);

/// What a process is in each run of a set: its rank, else its command with `#` for every number, for those may be the
/// run's own (`{run}`, descriptors, ports); and which it is of those alike, by command and order of start.
struct ProcessRole {
  std::string rank;
  std::vector<std::string> command;
  size_t place = 0;

  auto operator<=>(const ProcessRole&) const = default;  // NOLINT(modernize-use-nullptr): of its 0
};

/// The roles of some processes of one run, by process.
std::map<uint32_t, ProcessRole> roles_of(const Trace& trace, std::vector<uint32_t> processes);

/// A word of a command with "#" for each number in it: ports and pids are not the same in all runs.
std::string without_numbers(const std::string& word);

/// Whether two processes run the same command, but for numbers, in the same rank.
bool is_same_program(const Process& a, const Process& b);

/// The run of a set that a process is of; null in a recording by itself.
const ExperimentRun* run_of(const Trace& trace, uint32_t process);

/// Whether what two segments recorded may be the same: not where they are of two sets, or points of a sweep.
bool are_comparable(const Segment& a, const Segment& b);

}  // namespace xsp::analysis
