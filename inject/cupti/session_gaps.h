#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/guard/fixed_text.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

inline constexpr size_t kGapReasons = 7;

/// Times in which the session recorded less than it was asked to, by Gap.Reason. A gap goes into the trace when it
/// begins, as the process may end before it does, and again when it ends.
struct SessionGaps {
  uint64_t begin_ns[kGapReasons];  // 0: there is none now
  FixedText<256> detail[kGapReasons];
};

void begin_gap(SessionGaps& gaps, wire::GapReason reason, std::string_view detail);

/// Nothing where none has begun.
void end_gap(SessionGaps& gaps, wire::GapReason reason);

}  // namespace xsp::guest
