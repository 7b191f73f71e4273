#pragma once

#include <cstdint>
#include <optional>

#include "analysis/trace/trace.h"
#include "analysis/work/work.h"

namespace xsp::analysis {

/// The work of a library call, and what its arguments tell of how it is done.
struct CallWork {
  Work work;
  uint8_t flags = 0;      // MetricFlag: kWinograd, kFft, kEmulated
  bool is_exact = false;  // `work.type` is what the call computes in, whatever the kernel's name says
};

inline std::optional<CallWork> as_call(const std::optional<Work>& work) {
  return work ? std::optional(CallWork{*work}) : std::nullopt;
}

/// From the captured arguments of the call (inject/library/description); nothing for a function without a formula, or
/// if they do not tell enough. Values on the device (beta of cuBLAS) are not known and taken for 0.
std::optional<CallWork> call_work(const Trace& trace, Row row);

}  // namespace xsp::analysis
