#include "analysis/experiment/run_processes.h"

namespace xsp::analysis {

std::string rank_of(const Process& process) {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const std::string* rank = process.variable(name)) return *rank;
  }
  return {};
}

bool is_same_program(const Process& a, const Process& b) {
  return a.command == b.command && a.executable == b.executable && rank_of(a) == rank_of(b);
}

const ExperimentRun* run_of(const Trace& trace, uint32_t process) {
  const auto& run = trace.segments[trace.processes[process].segment].run;
  return run ? &*run : nullptr;
}

bool are_comparable(const Segment& a, const Segment& b) {
  if (!a.run || !b.run) return true;
  return a.run->set == b.run->set && a.run->parameters == b.run->parameters;
}

}  // namespace xsp::analysis
