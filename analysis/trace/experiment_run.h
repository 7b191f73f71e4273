#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/trace_numbers.h"

namespace xsp::analysis {

using RunPurpose = wire::ExperimentRunPurpose;

/// ExperimentRun of trace.proto: which run of a set a segment is.
struct ExperimentRun {
  std::string set;
  uint32_t index = 0;
  uint32_t repetition = 0;
  RunPurpose purpose = RunPurpose::kLatencies;
  std::vector<std::pair<std::string, std::string>> parameters;  // of a sweep: its point
  std::optional<double> inputs;                                 // of one evaluation, as the user says
  bool failed = false;  // the index of the set says that its command failed or was stopped
};

/// False when the message contradicts itself; protozero's exceptions on damaged encoding pass through.
bool read_experiment_run(std::string_view encoded, ExperimentRun* run);

/// "batch=4 threads=2"; empty without parameters.
std::string point_label(const ExperimentRun& run);

}  // namespace xsp::analysis
