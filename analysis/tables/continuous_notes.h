#pragma once

/// What continuous recordings say of themselves: parts, sampling, and what was only counted (doc/continuous.md).

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Of a group, the calls that were recorded in full, and the others.
struct SampledCalls {
  uint64_t full = 0;
  uint64_t shallow = 0;

  uint64_t all() const { return full + shallow; }
};
SampledCalls sampled_calls(const EvaluationGroup& group);

/// "12,000".
std::string grouped_digits(uint64_t number);

/// "1 in 100 model calls recorded in full: 120 of 12,000", and what that means for latencies (A1) or for what is inside
/// of calls; empty where nothing was sampled. Of the subject, or of all groups of A1.
std::string sampling_note(const Study& study, bool of_latencies);

/// Parts that are not there, and times in which spans were counted only: notes of all tables that are made of spans.
std::vector<std::string> continuous_notes(const Study& study);

/// "continuous recording, 8 parts of 12, 03:12:44 recorded, stored 1,200 of 5,000 spans"; empty of other recordings.
std::string continuous_fact(const Trace& trace);

/// Calls `take(key, totals)` for all that was counted in a process.
template <typename Take>
void for_each_total(const Trace& trace, uint32_t process, Take&& take) {
  const auto& parts = trace.segments[trace.processes[process].segment].parts;
  const uint32_t first = parts && !parts->parts.empty() ? parts->parts.front().index : 0;
  trace.aggregates.for_each(process, first, take);
}

}  // namespace xsp::analysis
