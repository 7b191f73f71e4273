#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/run/command_process.h"
#include "proto/set_index.h"

namespace xsp::launch {

enum class RunState : uint8_t { kPlanned, kRunning, kDone, kFailed, kOutOfMemory, kDropped };

/// What set.json says: which runs a set has, and how each ended. doc/experiments.md has the format.
struct SetIndex {
  struct Run {
    PlannedRun planned;
    uint32_t index = 0;  ///< from 1, in order of execution
    std::string trace;   ///< name of the file in the folder
    std::string log;     ///< likewise
    RunState state = RunState::kPlanned;
    Ending ending;
    double seconds = 0;
    std::string why;  ///< it was dropped
  };

  std::string id;       ///< 16 hexadecimal digits
  std::string program;  ///< who made it, with version
  std::vector<std::string> command;
  std::string began;  ///< UTC, ISO 8601
  std::string state = set_index::kSetIsRunning;
  std::string stopped_by;
  std::string warm_up_log;  ///< name of the file that a failed warm-up left; empty: none
  std::vector<Run> runs;

  /// Adds `run` with the names of its files.
  void add(PlannedRun run);
};

/// An empty index of a new set.
SetIndex new_index(const std::string& program, const std::vector<std::string>& command);

/// Writes set.json beside itself and renames it, so that it is whole at every moment.
Status write_index(const std::string& folder, const SetIndex& index);

/// The files in `folder` that its set.json names, and itself. Nothing if there is no set.json of ours.
std::optional<std::vector<std::string>> files_of_set(const std::string& folder);

/// `run` as xsp-collector's --run-json takes it.
std::string run_json(const SetIndex& index, const SetIndex::Run& run);

}  // namespace xsp::launch
