#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace xsp::launch {

/// What a run of a set is for.
enum class RunPurpose : uint8_t {
  kLatencies,
  kCounters,    ///< reads hardware counters; its times mean nothing
  kSerialised,  ///< one kernel and one thread at a time; its times mean nothing
  kWarmUp,      ///< is not recorded and has no entry in the index
};

using Parameters = std::vector<std::pair<std::string, std::string>>;
using Variables = std::vector<std::pair<std::string, std::string>>;

/// One run of a set before it is made.
struct PlannedRun {
  std::vector<std::string> command;  ///< parameters filled in
  std::string level;                 ///< deepest one to record, as in --level; empty: all available
  RunPurpose purpose = RunPurpose::kLatencies;
  uint32_t repetition = 1;
  Parameters parameters;  ///< of a sweep, in the order in which they were given
  double inputs = 0;      ///< of one call, as the user says; 0: not given
  Variables variables;    ///< of the environment, that are set for the command
};

/// What is run once in every repetition at every level set.
struct RunPoint {
  std::vector<std::string> command;
  Parameters parameters;
  double inputs = 0;
  Variables variables = {};
};

struct RunPlan {
  std::vector<std::string> levels;  ///< deepest level of each set; one empty: all that can be had
  uint32_t repetitions = 1;
  uint32_t warm_ups = 0;    ///< of each point
  bool serialised = false;  ///< one more run of each point, one kernel and one thread at a time
  bool counting = false;    ///< one more run of each point, which reads counters
};

/// In order of execution: warm-ups; then the repetitions, each with all points at all their level sets, every second
/// repetition in reverse; then the serialised and the counting runs, whose times are not used.
std::vector<PlannedRun> planned_runs(const RunPlan& plan, const std::vector<RunPoint>& points);

/// The level sets of --leveled down to `deepest` (empty: kernel).
std::vector<std::string> level_sets_to(const std::string& deepest);

/// M, M/L, M/L/library, M/L/library/G; `all levels` for an empty one.
std::string level_set_name(const std::string& level);

/// For messages: `batch=4, M/L/library, repetition 2`.
std::string text_of(const PlannedRun& run);

}  // namespace xsp::launch
