#pragma once

#include <cstdint>

#include "inject/cupti/counting/counter_device.h"

namespace xsp::guest {

/// The thread xsp-counters: prepares devices and evaluates decoded images, whose counts it posts. What CUPTI's profiler
/// host does there needs no context.

/// Starts it. False when there is none to be had.
bool start_counter_thread(const CounterSetup& setup, CounterDevice* devices);

/// Whether it is one of the process's threads.
bool counter_thread_runs();

/// Has it make the device's host, and waits until it has, at most half a minute.
bool prepare_device(CounterDevice& device);

/// Room for a decoded image, or null when the thread has had none free for ten seconds. The caller submits it or sets
/// it free.
CounterChunk* take_free_chunk();
void submit_chunk(CounterChunk& chunk);

/// Waits until all that was submitted is on its way, at most so long; nothing is taken afterwards.
void finish_counter_thread(uint64_t nanoseconds);

}  // namespace xsp::guest
