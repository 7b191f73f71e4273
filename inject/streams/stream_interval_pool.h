#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/streams/event_driver.h"
#include "inject/streams/reference_event.h"
#include "inject/streams/stream_events.h"

namespace xsp::guest {

/// The intervals of model calls and the contexts of the driver that they lie in; see stream_events.h.

inline constexpr uint32_t kMaxContexts = 8;

struct StreamInterval {
  enum State : uint32_t { kFree = 0, kOpen = 1, kWaiting = 2 };

  std::atomic<uint32_t> state;
  uint32_t ring;
  uint32_t span;
  void* stream;
  void* begin;  // events, made at first use and kept
  void* end;
  uint64_t asked_ns;  // CLOCK_MONOTONIC before the first event was recorded: the device came to it later
};

/// One device of the process.
struct StreamContext {
  std::atomic<void*> handle;  // CUcontext; null: not used
  std::atomic<bool> failed;   // an error of the program's or ours: nothing more is asked of it
  unsigned long long id;      // distinguishes the context from one after a reset that has the same handle
  int device;
  std::atomic<uint32_t> next;  // where the search for a free interval starts
  StreamInterval intervals[kMaxStreamIntervals];
  // Used by the reading thread only.
  DeviceReference reference;
};

struct StreamEvents {
  enum Phase : uint32_t { kNew = 0, kBeingMade = 1, kReady = 2, kOff = 3 };

  std::atomic<uint32_t> phase;
  EventDriver driver;
  StreamContext contexts[kMaxContexts];
  std::atomic<uint32_t> waiting;  // intervals to be read
  std::atomic<uint32_t> wake_word;
};

/// The place of a context that the program has made current; null if there are too many, or it has failed.
StreamContext* context_of(StreamEvents& all, void* handle, int device);

/// The context's handle; null while its place is free or being filled.
void* known_handle(const StreamContext& context);

/// An interval with both events, now open; null if there is none.
StreamInterval* take_interval(const EventDriver& driver, StreamContext& context);

/// Makes the interval free again; it is no longer waited for.
void release_interval(StreamEvents& all, StreamInterval& interval);

/// Drops all intervals of a context after an error of the driver: the context was destroyed, or the device has failed.
void give_up_context(StreamEvents& all, StreamContext& context);

/// The context and the interval of an interval's number, from 1 on.
StreamContext& context_at(StreamEvents& all, uint32_t interval);
StreamInterval& interval_at(StreamEvents& all, uint32_t interval);

void count_lost_interval();

}  // namespace xsp::guest
