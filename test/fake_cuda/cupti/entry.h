#pragma once

/// For the exported functions of libcupti. Results: cupti_result.h.

#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

enum CuptiResult : int {
  kCuptiSuccess = 0,
  kCuptiInvalidParameter = 1,
  kCuptiInvalidContext = 3,
  kCuptiParameterSize = 6,
  kCuptiInvalidOperation = 7,
  kCuptiMaxLimitReached = 12,
  kCuptiNotCompatible = 14,
  kCuptiNotInitialized = 15,
  kCuptiQueueEmpty = 18,
  kCuptiInvalidKind = 21,
  kCuptiNotSupported = 27,
  kCuptiMultipleSubscribers = 39,
  kCuptiUnknown = 999,
};

/// 0, or why CUPTI cannot be used: 999 without a driver, like the real one.
int attached();

}  // namespace fake
