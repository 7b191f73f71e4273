#include "analysis/trace/experiment_run.h"

#include <cmath>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

bool read_experiment_run(std::string_view encoded, ExperimentRun* run) {
  wire::ExperimentRun read;
  packet::read(encoded, &read, [&](uint32_t, std::string_view parameter) {
    const auto entry = packet::read<wire::ExperimentRunParameter>(parameter);
    run->parameters.emplace_back(entry.name, entry.value);
    return true;
  });
  if (read.purpose >= wire::kExperimentRunPurposeCount) return false;
  run->set = read.set;
  run->index = read.index;
  run->repetition = read.repetition;
  run->purpose = static_cast<RunPurpose>(read.purpose);
  if (std::isfinite(read.inputs) && read.inputs > 0) run->inputs = read.inputs;
  return !run->set.empty();
}

std::string point_label(const ExperimentRun& run) {
  std::string label;
  for (const auto& [name, value] : run.parameters) label += (label.empty() ? "" : " ") + name + "=" + value;
  return label;
}

}  // namespace xsp::analysis
