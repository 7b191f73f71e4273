#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/guard/spin_lock.h"

namespace xsp::guest {

struct Process;

/// The part of the run that is recorded: --delay, --duration and --range. While it is closed `state` is kPaused and no
/// hook opens a span; spans that began before it closed still end and are recorded. The gap is reported (proto: Gap,
/// OUTSIDE_RANGE).
///
/// Times are those of the run, the same in all of its processes; the sender keeps them. A range is a span of the
/// program, of any thread of the process, with the name that --range says: an NVTX range, an ITT task, a span of the C
/// API; or the time between cudaProfilerStart and cudaProfilerStop. It opens and closes the window on the thread that
/// begins and ends it. Ranges that begin outside the times do not count. A forked child has no open range.
struct RecordingWindow {
  static constexpr uint32_t kMaxOpenings = 64;

  /// A span that holds the window open. `ring` kNoRing: the span lies on no ring and is ended by its id alone.
  struct Opening {
    uint32_t ring;
    uint32_t id;
    bool is_used;
    bool is_begun;  // its span is known
  };

  SpinLock<LockOrder::kWindow> lock;
  bool is_used;  // there is one at all
  bool has_range;
  bool is_over;  // the duration has passed
  bool first_gap_is_told;
  bool are_listeners_told;  // in a forked child they are as the parent left them until then
  uint64_t begin_ns;        // CLOCK_MONOTONIC
  uint64_t end_ns;          // 0: none, or not known before the first opening
  uint64_t duration_ns;
  uint64_t closed_ns;  // since when; 0: it is open
  Opening openings[kMaxOpenings];
  std::atomic<uint32_t> changes;  // counts up whenever it opens or closes
};

/// What --range says, for hooks to compare with, as string ids, which stay valid after a fork. kNoName equals no name.
struct AwaitedRange {
  static constexpr uint32_t kNoName = UINT32_MAX;
  uint32_t whole;   // as it was given
  uint32_t name;    // of NAME@DOMAIN
  uint32_t domain;  // of NAME@DOMAIN
  bool is_profiler_api;
};
extern AwaitedRange awaited_range;

inline bool is_awaited(uint32_t name, uint32_t domain) {
  return name == awaited_range.whole || (name == awaited_range.name && domain == awaited_range.domain);
}

/// Whether a range is awaited that NVTX or ITT may begin.
inline bool is_range_awaited() { return awaited_range.whole != AwaitedRange::kNoName; }

/// Whether a text that has no string id yet, taken in full, may be that of the range. Only compares: nothing is
/// interned.
bool may_be_awaited(std::string_view text);

/// Prepares the window of a process that wakes. Returns whether it is open. The caller holds the process's lock.
bool prepare_window(Process& process);

/// To be called when a range with the awaited name begins: opens the window. Returns the opening, to be passed to one
/// of the next two; 0 where the range does not count.
uint32_t begin_opening();

/// Names the opening's span; `ring` is kNoRing for a span that lies on no stack.
inline constexpr uint32_t kNoRing = UINT32_MAX;
void set_opening(uint32_t opening, uint32_t ring, uint32_t id);

/// Takes the opening back: there is no span after all.
void drop_opening(uint32_t opening);

/// How many openings there are: where there are none, span_ended() returns at once.
extern std::atomic<uint32_t> window_openings;
void end_opening(uint32_t ring, uint32_t id);

/// To be called when a span of a kind that may open the window has ended.
inline void span_ended(uint32_t ring, uint32_t id) {
  if (__builtin_expect(window_openings.load(std::memory_order_relaxed) != 0, 0)) end_opening(ring, id);
}

/// Called by the sender every round: opens and closes the window by time, reports the gap that the process began in,
/// and ends openings whose spans were abandoned. Returns the nanoseconds until it needs to be called again.
uint64_t update_window(Process& process);

/// Called when hooks have been paused or resumed, on the thread that did it. Another thread may have changed it again
/// since: ask are_hooks_running(). Null: nobody listens.
enum class WindowListener : uint8_t { kDevice, kOperators };
inline constexpr size_t kWindowListeners = 2;
extern std::atomic<void (*)()> window_listeners[kWindowListeners];
inline void set_window_listener(WindowListener which, void (*listener)()) {
  window_listeners[static_cast<size_t>(which)].store(listener, std::memory_order_release);
}
void tell_window_listeners();

/// Whether the window is open and somebody listens. True also while hooks are paused between sampled model calls.
bool is_window_open();
bool are_hooks_running();

/// Whether a span was abandoned by its thread, or its thread has ended.
bool is_span_lost(const Process& process, uint32_t ring, uint32_t id);

}  // namespace xsp::guest

extern "C" {
/// To be called when the program called cudaProfilerStart (`begins` not 0) or cudaProfilerStop.
void xsp_profiler_range(int begins);
}
