#include "analysis/trace/continuous_packets.h"

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

bool read_sampling(std::string_view encoded, Process* process) {
  const auto sampling = packet::read<wire::Sampling>(encoded);
  if (sampling.recorded > sampling.seen) return false;
  // Totals grow: of parts of a recording that come in any order the latest holds.
  if (!process->sampling || sampling.seen >= process->sampling->seen) process->sampling = sampling;
  return true;
}

bool read_overhead(std::string_view encoded, Process* process) {
  const auto overhead = packet::read<wire::Overhead>(encoded);
  if (!process->overhead || overhead.wall_ns >= process->overhead->wall_ns) process->overhead = overhead;
  return true;
}

}  // namespace xsp::analysis
