#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/counters/counter_host.h"
#include "inject/cupti/counter_chunk.h"

namespace xsp::guest {

/// The devices of a process that are counted.
inline constexpr uint32_t kMostCountedDevices = 16;

/// The target side of one device: the context whose kernels are being counted, and the launches since its ranges were
/// started. Whoever has the device's turn may call the functions here; the context is current on the thread.
struct CounterDevice {
  enum Preparation : uint32_t { kUnasked = 0, kAsked = 1, kPrepared = 2, kUnprepared = 3 };

  // Of who launches now: a thread's id, 0: nobody.
  std::atomic<uint32_t> turn;
  uint32_t nesting;        // launches of the driver inside that launch
  uint32_t launched_name;  // string id
  bool is_graph;
  bool is_captured;
  bool may_wait;  // that launch is not counted (waiting_kernels.h)
  /// For who finds that the launch does not return: since when the turn is somebody's, and what is launched.
  std::atomic<uint64_t> turn_ns;
  FixedText<200> launched_text;
  bool stuck_told;  // by the thread xsp-counters

  std::atomic<bool> failed;  // for good, and told
  uint32_t index;
  char chip[32];
  uint8_t* availability;
  /// By the thread xsp-counters; a futex.
  std::atomic<uint32_t> preparation;
  CounterHost host;
  FixedText<512> left_out;  // metrics that the chip has not
  bool begin_told;

  std::atomic<void*> context;  // null: none is being counted
  bool is_paused;              // its ranges are stopped, up to the next launch that is counted
  cupti::Result paused_with;   // how they ended
  void* profiler;              // CUPTI's object for it
  uint8_t* image;
  size_t image_bytes;
  uint32_t most_ranges;
  /// After how many launches the ranges are decoded; fewer where CUPTI makes ranges that are none of the program's, as
  /// these spoil what they are decoded with.
  uint32_t turn_at;
  uint32_t launches;  // since the ranges were started
  uint32_t names[kMostRanges];
  uint64_t next_ordinal;            // of the first of them
  std::atomic<bool> is_disordered;  // launches were not kept apart
  bool mixed_told;
};

/// Of the process that counts.
struct CounterSetup {
  cupti::RangeFunctions functions;
  cupti::Result (*get_result_string)(cupti::Result result, const char** text);
  const char* metrics;  // --metrics
};

/// Asks what the device is and whether it can count. False after a notice.
bool describe_counters(const CounterSetup& setup, CounterDevice& device, void* context);

/// Starts counting in a context, once the device is prepared. False after a notice, and nothing is enabled then.
bool open_ranges(const CounterSetup& setup, CounterDevice& device, void* context);

/// Takes the ranges since the start out of CUPTI, for the thread to evaluate, and starts again. Those of a graph's
/// launch are as many as there are.
void turn_over_ranges(const CounterSetup& setup, CounterDevice& device, bool of_graph);

/// Takes them out and does not start again, before a launch that must not be counted; and starts again.
void pause_ranges(const CounterSetup& setup, CounterDevice& device);
void resume_ranges(const CounterSetup& setup, CounterDevice& device);

/// The same, and stops counting in the context.
void close_ranges(const CounterSetup& setup, CounterDevice& device, bool disable);

}  // namespace xsp::guest
