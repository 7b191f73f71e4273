#pragma once

/// Short names for the numbers of trace.proto that the collector uses most, and its own ring numbers.

#include <cstddef>
#include <cstdint>

#include "proto/string_ids.h"
#include "proto/trace_numbers.h"

namespace xsp {

using wire::Body;
using wire::LossReason;
using EndHow = wire::ProcessEndHow;
using Severity = wire::NoticeSeverity;
using TraceClock = wire::Clock;

inline constexpr size_t kLevels = wire::kLevelCount;
inline constexpr size_t kLossReasons = wire::kLossReasonCount;
inline constexpr auto kLevelApplication = static_cast<uint8_t>(wire::Level::kApplication);
inline constexpr auto kLevelRuntime = static_cast<uint8_t>(wire::Level::kRuntime);
inline constexpr auto kLevelDevice = static_cast<uint8_t>(wire::Level::kDevice);
inline constexpr auto kLevelLayer = static_cast<uint8_t>(wire::Level::kLayer);
inline constexpr auto kKindOrtNode = static_cast<uint8_t>(wire::Kind::kOrtNode);

/// Spans that the collector converts from a process's profile files use rings above the guest's: this + 1, + 2, ...
/// Beyond the last one below the next kind's base they continue above kExecutionRing.
inline constexpr uint32_t kProfileRingBase = 0xFFFF;
/// CUDA API calls that came as activity records: a ring for each of their threads, this + 1, + 2, ...
inline constexpr uint32_t kApiCallRingBase = 0x1FFFF;
/// All GPU activity, once it is joined with its launches.
inline constexpr uint32_t kExecutionRing = 0x30000;

}  // namespace xsp
