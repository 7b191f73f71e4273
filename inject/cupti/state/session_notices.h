#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/cupti/library/cupti_abi.h"
#include "inject/guard/fixed_text.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// What the session tells the user, each thing once, and the gaps in what it records.

struct SessionNotices {
  bool refusals_told;
  bool failure_told;
  FixedText<256> holder_told;
};

/// "cuptiActivityEnable failed: CUPTI_ERROR_UNKNOWN (999); ..."
void tell_failure(SessionNotices& notices, const cupti::Functions& cupti, const char* what, cupti::Result result);

/// Some devices do not have all kinds.
void tell_refused_kinds(SessionNotices& notices, const cupti::Functions& cupti, std::string_view kinds,
                        cupti::Result result);

/// CUPTI has shut itself down.
void tell_end_of_session(std::string_view why);

/// CUPTI's walk through a buffer stopped before its end.
void tell_unreadable_records(const cupti::Functions& cupti, cupti::Result result);

/// CUPTI has no times for kernels of graphs that have run.
void tell_graphs_without_times();

/// A profiler in the program has the subscriber, as it may: an info, no warning.
void tell_profiler_in_program(SessionNotices& notices, std::string_view holder);

/// A tool whose calls were not seen has CUPTI: what it registered and enabled could not be given back, so that we leave
/// CUPTI to it.
void tell_other_tool(SessionNotices& notices, std::string_view holder);

inline constexpr size_t kGapReasons = 7;

/// Times in which the session recorded less than it was asked to, by Gap.Reason. A gap goes into the trace when it
/// begins, as the process may end before it does, and again when it ends.
struct SessionGaps {
  uint64_t begin_ns[kGapReasons];  // 0: there is none now
  FixedText<256> detail[kGapReasons];
};

void begin_gap(SessionGaps& gaps, wire::GapReason reason, std::string_view detail);

/// Does nothing if none has begun.
void end_gap(SessionGaps& gaps, wire::GapReason reason);

}  // namespace xsp::guest
