#pragma once

#include <cstdint>

#include "proto/trace_numbers.h"

namespace xsp::guest {

/// Severity of what the user is told about CUPTI and counters (notify() of record/process.h).
inline constexpr auto kNoticeInfo = static_cast<uint32_t>(wire::NoticeSeverity::kInfo);
inline constexpr auto kNoticeWarning = static_cast<uint32_t>(wire::NoticeSeverity::kWarning);

}  // namespace xsp::guest
