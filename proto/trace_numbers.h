#pragma once

/// The numbers of trace.proto for the stages, none of which links libprotobuf. test/proto/trace_numbers_test.cc
/// compares them with the generated code. In a namespace of their own, as the generated enums are in `xsp`.

#include <cstddef>
#include <cstdint>

namespace xsp::wire {

/// Packet.body.
enum class Body : uint32_t {
  kNone = 0,
  kHeader = 3,
  kHello = 4,
  kStrings = 5,
  kSpans = 6,
  kTags = 7,
  kOpenSpans = 8,
  kClock = 9,
  kLoss = 10,
  kNotice = 11,
  kProfileFile = 12,
  kProcessEnd = 13,
  kTraceEnd = 14,
  kArguments = 15,
  kUnintercepted = 16,
  kLoadedFiles = 17,
  kActivities = 18,
  kGraphNodes = 19,
  kGap = 20,
  kDevice = 21,
  kCounters = 22,
  kAggregates = 23,
  kSampling = 24,
  kOverhead = 25,
  kUsedLibrary = 26,
};

enum class Level : uint8_t {
  kUnspecified = 0,
  kApplication = 1,
  kModel = 2,
  kLayer = 3,
  kLibrary = 4,
  kRuntime = 5,
  kDevice = 6,
};
inline constexpr size_t kLevelCount = 7;

enum class Kind : uint8_t {
  kUnspecified = 0,
  kApi = 1,
  kTorchModule = 2,
  kTorchContainer = 3,
  kTorchRoot = 4,
  kOrtRun = 5,
  kOrtNode = 6,
  kTorchScript = 7,
  kLibraryCall = 8,
  kRuntimeCall = 9,
  kNvtxRange = 10,
  kIttTask = 11,
  kDriverCall = 12,
  kKernel = 13,
  kMemcpy = 14,
  kMemset = 15,
  kSynchronization = 16,
  kMemory = 17,
  kOverhead = 18,
  kStreamInterval = 19,
  kOperator = 20,
  kPythonFunction = 21,
  kAnnotation = 22,
  kRun = 23,
};

enum class Clock : uint8_t { kMonotonicNs = 0, kTsc = 1, kCupti = 2 };

/// Loss.Reason.
enum class LossReason : uint8_t {
  kUnspecified = 0,
  kRingFull = 1,
  kNoRing = 2,
  kTooDeep = 3,
  kStringsFull = 4,
  kCorrupt = 5,
  kDiskFull = 6,
  kProfileFile = 7,
  kActivity = 8,
  kZeroTime = 9,
  kInverted = 10,
  kGraphNodes = 11,
  kCounters = 12,
  kRemoved = 13,
  kNotCounted = 14,
};
inline constexpr size_t kLossReasons = 15;

/// Gap.Reason.
enum class GapReason : uint8_t {
  kUnspecified = 0,
  kOtherProfiler = 1,
  kOutsideRange = 2,
  kNoCallbacks = 3,
  kNotStored = 4,
  kNotSampled = 5,
  kCuptiFailed = 6,
};

}  // namespace xsp::wire
