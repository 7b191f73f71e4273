#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/counters/counter_host.h"

namespace xsp::guest {

/// Ranges that a counter data image holds at most. A killed process loses as many.
inline constexpr uint32_t kMostRanges = 512;
/// Images that wait to be evaluated.
inline constexpr size_t kCounterChunks = 8;

/// A decoded image on its way from the thread that launched to the one that evaluates it.
struct CounterChunk {
  enum State : uint32_t { kFree = 0, kTaken = 1, kFilled = 2 };
  std::atomic<uint32_t> state;
  uint32_t device;
  const CounterHost* host;
  uint8_t* image;
  size_t bytes;
  uint64_t first_ordinal;
  uint32_t ranges;              // in the image
  uint32_t launches;            // among which these are
  uint32_t names[kMostRanges];  // of the launches; 0: a kernel of a graph whose nodes are not known
};

}  // namespace xsp::guest
