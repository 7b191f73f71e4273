#pragma once

#include <cstdint>

#include "inject/cupti/counting/counter_device.h"

namespace xsp::guest {

/// The thread xsp-counters: prepares devices and evaluates decoded images, whose counts it posts. What CUPTI's profiler
/// host does there needs no context.

/// Starts it. False when no thread could be started.
bool start_counter_thread(const CounterSetup& setup, CounterDevice* devices);

/// Whether it runs in this process.
bool counter_thread_runs();

/// Has it create the device's profiler host, and waits for that, at most half a minute.
bool prepare_device(CounterDevice& device);

/// Room for a decoded image, or null when the thread has had none free for ten seconds. The caller submits it or sets
/// it free.
CounterChunk* take_free_chunk();
void submit_chunk(CounterChunk& chunk);

/// Waits, at most this long, until all that was submitted is on its way; accepts nothing afterwards.
void finish_counter_thread(uint64_t nanoseconds);

}  // namespace xsp::guest
