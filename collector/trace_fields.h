#pragma once

/// The numbers of trace.proto that the collector reads and writes without libprotobuf. A test compares them with the
/// generated code.

#include <cstddef>
#include <cstdint>

#include "proto/string_ids.h"
#include "proto/trace_numbers.h"

namespace xsp {

using wire::Body;

enum class LossReason : uint32_t {
  kUnspecified = 0,
  kRingFull = 1,
  kNoRing = 2,
  kTooDeep = 3,
  kStringsFull = 4,
  kCorrupt = 5,
  kDiskFull = 6,
  kProfileFile = 7,
};
inline constexpr size_t kLossReasons = 8;

enum class EndHow : uint32_t { kGoodbye = 1, kDisconnected = 2, kCutOff = 3, kStillRunning = 4 };

enum class Severity : uint32_t { kInfo = 0, kWarning = 1, kError = 2 };

enum class TraceClock : uint32_t { kMonotonicNs = 0, kTsc = 1 };

inline constexpr size_t kLevels = wire::kLevelCount;
inline constexpr auto kLevelLayer = static_cast<uint8_t>(wire::Level::kLayer);
inline constexpr auto kKindOrtNode = static_cast<uint8_t>(wire::Kind::kOrtNode);

/// Spans that the collector converts from a process's profile files come in rings above the guest's: this + 1, + 2, ...
inline constexpr uint32_t kProfileRingBase = 0xFFFF;

}  // namespace xsp
