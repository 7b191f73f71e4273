#pragma once

/// Levels and kinds of spans, with the values of proto/trace.proto (which this stage reads without libprotobuf).

#include <cstddef>
#include <cstdint>

namespace xsp::analysis {

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
inline constexpr const char* kLevelNames[kLevelCount] = {"unspecified", "application", "model", "layer",
                                                         "library",     "runtime",     "device"};

enum class Kind : uint8_t {
  kUnspecified = 0,
  kApi = 1,
  kTorchModule = 2,
  kTorchContainer = 3,
  kTorchRoot = 4,
  kOrtRun = 5,
  kOrtNode = 6,
  kTorchScript = 7,
};

}  // namespace xsp::analysis
