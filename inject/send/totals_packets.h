#pragma once

#include <cstdint>

#include "proto/wire_writer.h"

namespace xsp::guest {

/// Which model calls were recorded in full, and what recording costs the process: totals (trace.proto).
struct SamplingTotals {
  uint32_t every;
  uint64_t seen;
  uint64_t recorded;
  bool is_adaptive;

  bool operator==(const SamplingTotals&) const = default;
};
void write_sampling(WireWriter& writer, const SamplingTotals& totals);

struct OverheadTotals {
  uint64_t wall_ns;
  uint64_t cpu_ns;
  uint64_t hooks_ns;
  uint64_t threads_ns;
  uint64_t hooks_timed;
  uint64_t calls_ns;
};
void write_overhead(WireWriter& writer, const OverheadTotals& totals);

}  // namespace xsp::guest
