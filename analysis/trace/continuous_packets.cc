#include "analysis/trace/continuous_packets.h"

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

using packet::fields;
using packet::number;

bool read_sampling(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  SamplingTotals sampling;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        sampling.every = reader.get_uint32();
        break;
      case number(2):
        sampling.seen = reader.get_uint64();
        break;
      case number(3):
        sampling.recorded = reader.get_uint64();
        break;
      case number(4):
        sampling.is_adaptive = reader.get_bool();
        break;
      default:
        reader.skip();
    }
  }
  if (sampling.recorded > sampling.seen) return false;
  // Totals grow: of parts of a recording that come in any order the latest holds.
  if (!process->sampling || sampling.seen >= process->sampling->seen) process->sampling = sampling;
  return true;
}

bool read_overhead(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  OverheadTotals overhead;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        overhead.wall_ns = reader.get_uint64();
        break;
      case number(2):
        overhead.cpu_ns = reader.get_uint64();
        break;
      case number(3):
        overhead.hooks_ns = reader.get_uint64();
        break;
      case number(4):
        overhead.threads_ns = reader.get_uint64();
        break;
      case number(5):
        overhead.hooks_timed = reader.get_uint64();
        break;
      case number(6):
        overhead.calls_ns = reader.get_uint64();
        break;
      default:
        reader.skip();
    }
  }
  if (!process->overhead || overhead.wall_ns >= process->overhead->wall_ns) process->overhead = overhead;
  return true;
}

}  // namespace xsp::analysis
