#pragma once

/// The numbers of trace.proto that the collector reads and writes without libprotobuf. A test compares them with the
/// generated code.

#include <cstddef>
#include <cstdint>

#include "proto/string_ids.h"
#include "proto/trace_numbers.h"

namespace xsp {

using wire::Body;
using wire::kLossReasons;
using wire::LossReason;
using TraceClock = wire::Clock;

enum class EndHow : uint32_t { kGoodbye = 1, kDisconnected = 2, kCutOff = 3, kStillRunning = 4 };

enum class Severity : uint32_t { kInfo = 0, kWarning = 1, kError = 2 };

inline constexpr size_t kLevels = wire::kLevelCount;
inline constexpr auto kLevelApplication = static_cast<uint8_t>(wire::Level::kApplication);
inline constexpr auto kLevelRuntime = static_cast<uint8_t>(wire::Level::kRuntime);
inline constexpr auto kLevelDevice = static_cast<uint8_t>(wire::Level::kDevice);
inline constexpr auto kLevelLayer = static_cast<uint8_t>(wire::Level::kLayer);
inline constexpr auto kKindOrtNode = static_cast<uint8_t>(wire::Kind::kOrtNode);

/// Spans that the collector converts from a process's profile files come in rings above the guest's: this + 1, + 2, ...
/// Behind the last one below the next kind's come those above kExecutionRing.
inline constexpr uint32_t kProfileRingBase = 0xFFFF;
/// Calls of the CUDA API that came as activity records: a ring for each of their threads, this + 1, + 2, ...
inline constexpr uint32_t kApiCallRingBase = 0x1FFFF;
/// All that executed on devices, once it is joined with its launches.
inline constexpr uint32_t kExecutionRing = 0x30000;

}  // namespace xsp
