#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/counters/counter_host.h"

namespace xsp::guest {

/// Most ranges that a counter data image holds. A killed process loses up to as many.
inline constexpr uint32_t kMostRanges = 512;
/// Images that wait to be evaluated.
inline constexpr size_t kCounterChunks = 8;

/// Most devices of a process that are counted.
inline constexpr uint32_t kMostCountedDevices = 16;

/// The target side of one device: the context whose kernels are being counted, and the launches since its ranges were
/// started. Unless noted otherwise, written by whoever has the device's turn (counter_ranges.h).
struct CounterDevice {
  enum Preparation : uint32_t { kUnasked = 0, kAsked = 1, kPrepared = 2, kUnprepared = 3 };

  // The id of the thread that is launching; 0: none.
  std::atomic<uint32_t> turn;
  uint32_t nesting;        // launches of the driver inside that launch
  uint32_t launched_name;  // string id
  bool is_graph;
  bool is_captured;
  bool may_wait;  // that launch is not counted (waiting_kernels.h)
  /// For the notice about a launch that does not return: when the turn was taken, and what is launched.
  std::atomic<uint64_t> turn_ns;
  FixedText<200> launched_text;
  bool stuck_told;  // by the thread xsp-counters

  std::atomic<bool> failed;  // for good, and told
  uint32_t index;
  char chip[32];
  uint8_t* availability;
  /// Written by the thread xsp-counters; a futex.
  std::atomic<uint32_t> preparation;
  CounterHost host;
  FixedText<512> left_out;  // metrics that the chip lacks
  bool begin_told;

  std::atomic<void*> context;  // null: none is being counted
  bool is_paused;              // its ranges are stopped until the next launch that is counted
  cupti::Result paused_with;   // how they ended
  void* profiler;              // CUPTI's object for it
  uint8_t* image;
  size_t image_bytes;
  uint32_t most_ranges;
  /// After how many launches the ranges are decoded. Fewer once CUPTI has made ranges that belong to no launch of the
  /// program, as these make the whole image useless.
  uint32_t turn_at;
  uint32_t launches;  // since the ranges were started
  uint32_t names[kMostRanges];
  uint64_t next_ordinal;            // of the first of them
  std::atomic<bool> is_disordered;  // launches were not kept apart
  bool mixed_told;
};

/// What all devices of the process share.
struct CounterSetup {
  cupti::RangeFunctions functions;
  cupti::Result (*get_result_string)(cupti::Result result, const char** text);
  const char* metrics;  // --metrics
};

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
