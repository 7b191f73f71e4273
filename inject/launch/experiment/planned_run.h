#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace xsp::launch {

/// What a run of a set is for.
enum class RunPurpose : uint8_t {
  kLatencies,
  kCounters,    ///< reads hardware counters; its times stand for nothing
  kSerialised,  ///< one kernel and one thread at a time; its times stand for nothing
  kWarmUp,      ///< is not recorded and has no place in the index
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// One run of a set before it is made.
struct PlannedRun {
  std::vector<std::string> command;  ///< parameters filled in
  std::string level;                 ///< deepest one to record, as of --level; empty: all that can be had
  RunPurpose purpose = RunPurpose::kLatencies;
  uint32_t repetition = 1;
  Parameters parameters;  ///< of a sweep, in the order in which they were given
  double inputs = 0;      ///< of one evaluation, as the user says; 0: not told
};

}  // namespace xsp::launch
